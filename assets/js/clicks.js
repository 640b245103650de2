// Clicks inside a part of a page. A link to this very page opens its view in place, `data-do` acts, and `data-do="copy"` copies
// `data-copied`; any other click on a link follows it.

import { copyText } from "./clipboard.js";

/** `tell` gets `{query}`, the address's query, or the `data-` of what acts. */
export function follow(element, tell) {
  element.addEventListener("click", (event) => {
    const clicked = event.target.closest("[data-do], a[href]");
    if (!clicked || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const acts = clicked.dataset.do !== undefined;
    if (!acts && new URL(clicked.href).pathname !== location.pathname) return;
    event.preventDefault();
    if (!acts) tell({ query: new URL(clicked.href).search.slice(1) });
    else if (clicked.dataset.do === "copy") copy(clicked);
    else tell({ ...clicked.dataset });
  });
}

async function copy(button) {
  await copyText(button.dataset.copied, button);
  button.textContent = "Copied";
}
