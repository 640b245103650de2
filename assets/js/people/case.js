// The opened case: all answers, which a route shows once it has recorded who sees them, and the verdict by keys.

import { at } from "../base_path.js";
import { detail } from "../api.js";
import { h } from "../dom.js";

/** Fills the place of a case; `send` posts and asks for a name where it takes one. */
export async function openCase(around, page, send) {
  const asked = JSON.parse(around.dataset.case);
  const { outcome, data } = await send(at("/api/studio/case"), asked);
  if (!around.isConnected) return;
  if (outcome !== "ok") {
    const list = h("a", { href: around.dataset.list }, "To the list");
    around.replaceChildren(h("p", { class: "cc-note cc-bad", role: "alert" }, detail(data, "The case could not be opened."), " ", list));
    return;
  }
  around.innerHTML = data.html;
  // a verdict that is half given, and what somebody looks at, stay while the project moves
  around.dataset.dirty = "";
  const opened = around.querySelector(".cc-case");
  const form = around.querySelector(".cc-ruling");
  const go = (key) => page.place.go(new URL(key ? around.dataset.address.replace("CASE", encodeURIComponent(key)) : around.dataset.list, location.href));
  const step = (name) => (name === "list" ? go("") : opened.dataset[name] && go(opened.dataset[name]));
  form.addEventListener("change", () => blame(form));
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-step]");
    if (button) step(button.dataset.step);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    const answer = await send(at("/api/studio/case/verdict"), { ...asked, ...given });
    if (answer.outcome !== "ok") form.querySelector(".cc-act-said").textContent = detail(answer.data, "Nothing was saved. Try again.");
    else go(answer.data.following);
  });
  const keys = (event) => {
    if (!form.isConnected) return document.removeEventListener("keydown", keys);
    return pressed(event, form, step);
  };
  document.addEventListener("keydown", keys);
  around.querySelector("h2").tabIndex = -1;
  around.querySelector("h2").focus({ preventScroll: true });
}

/** Only those can have been wrong who say something else than the verdict; who is alone is chosen. */
function blame(form) {
  const { verdict, wrong } = Object.fromEntries(new FormData(form));
  const place = form.querySelector("[data-raters]");
  const possible = [];
  for (const choice of place.querySelectorAll("[data-wrong]")) {
    choice.hidden = choice.dataset.wrong !== wrong || choice.dataset.says === verdict;
    const radio = choice.querySelector("input");
    choice.querySelector("kbd")?.remove();
    delete radio.dataset.letter;
    if (choice.hidden) radio.checked = false;
    else possible.push(radio);
  }
  for (const [n, radio] of possible.slice(0, 5).entries()) {
    radio.dataset.letter = String(5 + n);
    radio.after(h("kbd", { class: "cc-kbd", "aria-hidden": "true" }, String(5 + n)));
  }
  place.hidden = !possible.length;
  if (possible.length === 1) possible[0].checked = true;
}

function pressed(event, form, step) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open")) return;
  const { target } = event;
  const radio = target.matches?.("input[type=radio]");
  if (target.matches?.("textarea, select, input") && !radio) return;
  const key = event.key.toLowerCase();
  const choice = /^[a-z0-9]$/.test(key) && form.querySelector(`[data-letter="${key}"]`);
  if (choice) choice.click();
  else if (key === "enter" && !target.closest?.("button, a")) form.requestSubmit();
  else if (key === "arrowright" && !radio) step("following");
  else if (key === "arrowleft" && !radio) step("before");
  else if (key === "escape") step("list");
  else return;
  event.preventDefault();
}
