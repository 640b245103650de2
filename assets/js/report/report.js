// Report: its first page in a root of its own, choices that ask for another address, and the report as it is made.

import { Api, detail } from "../api.js";
import { copyText } from "../clipboard.js";
import { boxed } from "../place/scope_bar.js";

const ASK_MS = 500;
const api = new Api("/");

export function attach(root, place) {
  const page = { root, place, said: "" };
  root.addEventListener("change", (event) => {
    const ticks = event.target.closest("[data-ticks]");
    if (ticks) place.go(boxed(ticks));
  });
  root.addEventListener("submit", (event) => filled(event, place));
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-make]");
    if (button) make(page, button);
    const copy = event.target.closest("[data-copy-link]");
    if (copy) copyText(location.href).then(() => (copy.textContent = "Copied"));
  });
  place.content.addEventListener("drawn", () => drawn(page));
  drawn(page);
}

/** The first page is the report's own, with the report's own style: nothing of Studio's reaches it. */
function drawn(page) {
  for (const paper of page.place.content.querySelectorAll("[data-paper]")) {
    const content = paper.querySelector("template");
    if (content && !paper.shadowRoot) paper.attachShadow({ mode: "open" }).append(content.content);
  }
  say(page, page.said);
}

function filled(event, place) {
  const form = event.target.closest("[data-fields]");
  if (!form) return;
  event.preventDefault();
  const url = new URL(form.getAttribute("action"), location.href);
  for (const [name, value] of new FormData(form)) if (value.trim() && value !== "0") url.searchParams.set(name, value.trim());
  place.go(url);
}

function say(page, text) {
  page.said = text;
  const status = page.place.content.querySelector(".cc-report-making");
  if (!status) return;
  status.hidden = !text;
  status.textContent = text;
  const button = page.place.content.querySelector("[data-make]");
  if (text && button) button.disabled = true;
}

async function make(page, button) {
  const begun = await api.post("api/studio/report/make", { query: button.dataset.make });
  if (begun.outcome !== "ok") return say(page, detail(begun.data, "The report was not begun: the server does not answer. Try again."));
  for (let state = begun.data; !state.made && !state.error; ) {
    say(page, `Making the report: ${state.step}, ${Math.round(100 * state.share)} %`);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    const answer = await api.get(`api/studio/reports/${state.key}`);
    if (answer.outcome === "ok") state = answer.data;
    else if (answer.status === 404) break;
  }
  say(page, "");
  await page.place.draw({ quietly: true });
  page.place.content.querySelector("#made")?.scrollIntoView({ behavior: "smooth", block: "nearest" });
  return undefined;
}
