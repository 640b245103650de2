// People: buttons and forms that act by JSON routes, the name that is asked for in place, the search, links of administrators,
// and the opened case.

import { Api, detail } from "../api.js";
import { at } from "../base_path.js";
import { h } from "../dom.js";
import { Toast } from "../toast.js";
import { openCase } from "./case.js";
import { bodyOf } from "./body.js";
import { askName } from "./name.js";

const MEANING_MS = 400;
const api = new Api("/");

/** Posts to a route; who has given no name is asked for one, and it is tried again. */
export async function send(route, body) {
  const path = route.replace(/^\//, "");
  for (;;) {
    const answer = await api.post(path, body);
    if (answer.status !== 401 || !(await askName(detail(answer.data, "Please give your name first.")))) return answer;
  }
}

export function attach(root, place) {
  const toast = new Toast();
  root.append(toast.element);
  const page = { root, place, toast };
  root.addEventListener("submit", (event) => submitted(event, page));
  root.addEventListener("input", (event) => typed(event));
  root.addEventListener("click", (event) => copied(event, page));
  place.content.addEventListener("drawn", () => drawn(page));
}

function drawn(page) {
  // on a phone the tabs of a campaign are wider than the screen
  const tab = page.place.content.querySelector(".cc-place-tabs.is-inside [aria-current]");
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - tab.parentElement.clientWidth / 2;
  for (const part of page.place.content.querySelectorAll("[data-fetch]")) fill(part, page);
  const opened = page.place.content.querySelector("[data-case]");
  if (opened) openCase(opened, page, send);
}

/** What only administrators see comes from a route of its own. */
async function fill(part, page) {
  const { outcome, data } = await api.get(part.dataset.fetch.replace(/^\//, ""));
  if (outcome !== "ok") {
    part.replaceChildren(h("p", { class: "cc-part-hint" }, detail(data, "The links could not be read. Open this tab again.")));
    return;
  }
  part.innerHTML = data.html;
  for (const link of part.querySelectorAll("[data-absolute] code")) link.textContent = absolute(link.parentElement.dataset.absolute);
  const choice = page.place.content.querySelector("[data-invitations]");
  const options = [...part.querySelectorAll("[data-invitation]")].map((each) => h("option", { value: each.dataset.invitation }, each.textContent));
  choice?.replaceChildren(...options);
}

const absolute = (path) => new URL(path, location.href).href;

async function submitted(event, page) {
  const find = event.target.closest("[data-find]");
  if (find) {
    event.preventDefault();
    const url = new URL(find.dataset.find, location.href);
    const words = find.elements.find.value.trim();
    if (words) url.searchParams.set("find", words);
    page.place.go(url);
    return;
  }
  const form = event.target.closest("[data-act]");
  if (!form) return;
  event.preventDefault();
  const buttons = [...form.querySelectorAll("button")];
  const body = await bodyOf(form, event.submitter);
  for (const button of buttons) button.disabled = true;
  const { outcome, data } = await send(form.dataset.act, body);
  for (const button of buttons) button.disabled = false;
  const said = spoken(form);
  if (outcome !== "ok") {
    const why = detail(data, "Nothing was changed: the server does not answer. Try again.");
    if (said) said.textContent = why;
    else page.toast.show(why);
    return;
  }
  if (said) said.replaceChildren();
  delete form.dataset.dirty;
  done(form, data, page, said);
}

/** Where a form says what came of it: in itself, or in the popup that it is in. */
function spoken(form) {
  return form.querySelector(".cc-act-said") ?? form.closest("[popover]")?.querySelector(".cc-act-said");
}

function done(form, data, page, said) {
  if (form.dataset.files !== undefined) {
    const links = Object.entries(data.files).map(([name, text]) => h("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) }, name));
    said.replaceChildren(`${data.said} `, ...links.flatMap((link) => [link, " "]));
    return;
  }
  if (form.dataset.says) {
    const text = form.dataset.says.replace(/\{(\w+)\}/g, (_, name) => (name === form.dataset.link ? absolute(data[name]) : data[name]));
    // it is shown only now: it stays until somebody closes it
    if (said) said.textContent = text;
    else page.toast.show(text);
    return;
  }
  form.closest("[popover]")?.hidePopover();
  if (data.said) page.toast.show(data.said);
  if (form.dataset.then) {
    page.place.go(new URL(form.dataset.then, location.href));
    return;
  }
  if (data.campaign && form.dataset.act.endsWith("/duplicate")) {
    const url = new URL(location.href);
    url.search = new URLSearchParams({ campaign: data.campaign, tab: "settings" });
    page.place.go(url);
    return;
  }
  page.place.draw({ quietly: true });
}

let meaning = 0;

/** What somebody types stays when the place is drawn anew; what a change of settings means is said meanwhile. */
function typed(event) {
  const form = event.target.closest("form[data-act], .cc-ruling");
  if (!form || form.closest("[popover]")) return;
  form.dataset.dirty = "";
  if (!form.dataset.meaning) return;
  clearTimeout(meaning);
  meaning = setTimeout(async () => {
    const { outcome, data } = await api.post(at(`/api/studio/${form.dataset.meaning}`).replace(/^\//, ""), await bodyOf(form));
    const lines = outcome === "ok" ? data.changes : [detail(data, "")];
    form.querySelector(".cc-meaning").replaceChildren(...lines.filter(Boolean).map((line) => h("li", {}, line)));
  }, MEANING_MS);
}

async function copied(event, page) {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(absolute(button.dataset.copy));
    button.textContent = "Copied";
  } catch {
    // browsers keep the clipboard from pages without HTTPS
    page.toast.show(absolute(button.dataset.copy));
  }
}
