// A short message above the lower edge, with a way back where there is one. It goes by itself.

import { button, h } from "./dom.js";

const TOAST_MS = 8_000;

export class Toast {
  constructor() {
    this.element = h("div", { class: "cc-toast", role: "alert", hidden: true });
  }

  show(text, undo = null) {
    clearTimeout(this.timer);
    const back = undo ? button("Undo", { key: "u", class: "cc-button cc-button--quiet cc-toast__undo" }, undo) : null;
    this.element.replaceChildren(h("span", {}, text), ...(back ? [back] : []));
    this.element.hidden = false;
    this.timer = setTimeout(() => this.hide(), TOAST_MS);
  }

  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }
}
