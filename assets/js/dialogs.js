// Help and zoom: native modal dialogs, which keep the focus inside and close by Esc.

import { button, h, kbd } from "./dom.js";

const KEYS = [
  [["0", "–", "5"], "how many, or a step of a scale"],
  [["r", "o", "y", "g", "b"], "colors: red, orange, yellow, green, blue …"],
  [["p", "i", "n", "k", "w", "a"], "… purple, pink, brown, black, white, gray"],
  [["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], "left, right, above, below"],
  [["n"], "neither of them"],
  [["x"], "cannot tell"],
  [["e"], "the image is blank (empty)"],
  [["Enter"], "next question; submit when all are answered"],
  [["Backspace"], "previous question (also Shift + Enter)"],
  [["Esc"], "leave the text field, so that keys work as keys"],
  [["u"], "undo: revise your last answer"],
  [["s"], "skip this picture"],
  [["z"], "zoom"],
  [["?"], "this help"],
];

export class Dialogs {
  constructor(root) {
    this.root = root;
    this.dialog = null;
  }

  get isOpen() {
    return this.dialog?.open === true; // the close event comes a moment after the closing
  }

  open(kind, label, ...children) {
    this.close();
    const before = document.activeElement;
    const dialog = h("dialog", { class: `cc-dialog cc-dialog--${kind}`, "aria-label": label, "data-dialog": kind }, ...children);
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (this.dialog === dialog) this.dialog = null;
      if (before?.isConnected) before.focus({ preventScroll: true });
    });
    // A click beside the content falls on the dialog itself.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) this.close();
    });
    this.root.append(dialog);
    this.dialog = dialog;
    dialog.showModal();
  }

  close() {
    this.dialog?.close();
  }

  /** The instructions and all keys; `first` words it for a first visit. */
  help(questionnaire, first = false) {
    const sections = (questionnaire?.instructions ?? []).map(({ title, lines }) =>
      h("section", {}, h("h3", { class: "cc-heading" }, title), h("ul", { class: "cc-list" }, ...lines.map((line) => h("li", {}, line)))),
    );
    const rows = KEYS.map(([keys, meaning]) =>
      h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map(keyCap)), h("dd", {}, meaning)),
    );
    const close = button(first ? "Start" : "Back to the picture", { key: "Enter", kind: "primary", autofocus: true }, () => this.close());
    this.open(
      "help",
      "Instructions and keys",
      h(
        "div",
        { class: "cc-dialog__body" },
        h("h2", { class: "cc-title" }, first ? "Before you start" : "Instructions and keys"),
        ...sections,
        h("section", { class: "cc-for-keys" }, h("h3", { class: "cc-heading" }, "Keys"), h("dl", { class: "cc-keys" }, ...rows)),
      ),
      h("div", { class: "cc-dialog__foot" }, first ? h("span", { class: "cc-muted cc-for-keys" }, "Opens again with ", kbd("?")) : null, close),
    );
  }

  zoom(task) {
    const image = h("img", { class: "cc-zoom__image", alt: "The picture to judge, enlarged", src: task.image });
    image.addEventListener("click", () => this.close());
    this.open("zoom", "The picture, enlarged", image, button("Close", { key: "z", kind: "floating" }, () => this.close()));
  }
}

function keyCap(key) {
  return key === "–" ? h("span", {}, "–") : kbd(key);
}
