// Images beside each other: two that were chosen, or one prompt over its generators; two of them can be swiped.

import { button, h, kbd } from "../dom.js";
import { opens, picture, said } from "./image_cell.js";
import { swipe } from "./swipe.js";
import { IN_PAIRS } from "../thumbnails.js";

/** `items`: at least two of which `left` and `right` are compared first (places in `items`). */
export function compare(page, { title, items, left = 0, right = 1 }) {
  const { dialogs, state } = page;
  const named = (item) => [item.generator ?? item.item_id, item.idx === null || item.idx === undefined ? null : `image ${item.idx}`].filter(Boolean).join(", ");
  const sides = [left, right];
  let swiping = true;
  const stage = h("div", { class: "cc-compare__stage" });
  const chooser = (n) => {
    const label = ["Left", "Right"][n];
    const select = h("select", { class: "cc-select", "aria-label": label, on: { change: () => { sides[n] = Number(select.value); draw(); } } }, ...items.map((item, k) => h("option", { value: k }, named(item))));
    select.value = String(sides[n]);
    return h("label", { class: "cc-row" }, h("span", { class: "cc-label" }, label), select);
  };
  const mode = h("button", { type: "button", class: "cc-button", "data-key": "s", on: { click: () => { swiping = !swiping; draw(); } } }, "Side by side", kbd("s"));
  const card = (n) => {
    const item = items[sides[n]];
    return h(
      "figure",
      { class: "cc-compare__card" },
      swiping ? null : picture(item, IN_PAIRS),
      h("figcaption", {}, h("strong", {}, named(item)), item.text && item.text !== title ? h("span", { class: "cc-cell-text" }, item.text) : null, item.task ? h("span", { class: "cc-cell-meta" }, item.task) : null, said(item, state.params), item.tags?.length ? h("span", { class: "cc-cell-tags" }, ...item.tags.map((tag) => h("span", { class: "cc-tag" }, tag))) : null, h("a", { href: opens(item, state.params) }, "Open this image")),
    );
  };
  function draw() {
    const [one, other] = sides.map((k) => ({ ...items[k], name: named(items[k]) }));
    mode.firstChild.textContent = swiping ? "Side by side" : "Swipe";
    stage.classList.toggle("is-swiping", swiping);
    stage.replaceChildren(...[swiping ? swipe(one, other, IN_PAIRS) : null, card(0), card(1)].filter(Boolean));
  }
  draw();
  const close = button("Back", { key: "Esc", kind: "primary" }, () => dialogs.close());
  const head = h("div", { class: "cc-row cc-compare__head" }, chooser(0), chooser(1), mode);
  dialogs.open("compare", `Compare: ${title}`, h("div", { class: "cc-compare" }, h("h2", { class: "cc-title" }, title), head, stage), h("div", { class: "cc-dialog__foot" }, close));
  (stage.querySelector(".cc-swipe__slider") ?? close).focus({ preventScroll: true });
}
