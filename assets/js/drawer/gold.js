// The drafts that an image can become gold of, each with its key.

import { button, h } from "../dom.js";

export function goldChoice(campaigns, choose, close) {
  const buttons = campaigns.map((one, n) => {
    const key = n < 9 ? String(n + 1) : null;
    return button(one.title, { key, "data-key": key, autofocus: n === 0 || null }, () => choose(one));
  });
  const words = h("p", {}, "People’s answers that the verdict confirms become the right ones. Which draft gets this image as gold?");
  return h("div", { class: "cc-dialog__body" }, h("h2", { class: "cc-title" }, "Make gold"), words, h("div", { class: "cc-stack" }, ...buttons), h("div", { class: "cc-dialog__foot" }, button("Close", { key: "Esc" }, close)));
}
