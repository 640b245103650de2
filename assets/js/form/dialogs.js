// Help and zoom: native modal dialogs, which keep the focus inside and close by Esc.

import * as asides from "./side_dialogs.js";
import { button, h, kbd } from "../dom.js";
import { pictureName } from "./pictures.js";
import { ADVANCE, advance, setAdvance } from "./settings.js";
import { later, t } from "../texts.js";

const asks = (kind) => (questions) => questions.some((one) => one.kind === kind);
const offers = (key) => (questions) => questions.some((one) => one.kind !== "colors" && one.options.some((option) => option.key === key));

/** Keys, what they do, and whether these questions have a use for them; all others are on the buttons. */
const KEYS = [
  [["0", "–", "9"], later("how many, a step of a scale, or the answer with that number"), offers("1")],
  [["r", "o", "y", "g", "b"], later("colors: red, orange, yellow, green, blue …"), asks("colors")],
  [["p", "i", "n", "k", "w", "a"], later("… purple, pink, brown, black, white, gray"), asks("colors")],
  [["ArrowLeft", "ArrowRight"], later("left, right"), offers("ArrowLeft")],
  [["ArrowUp", "ArrowDown"], later("above, below"), offers("ArrowUp")],
  [["b"], later("both"), offers("b")],
  [["y"], later("yes"), offers("y")],
  [["n"], later("no, neither, none"), offers("n")],
  [["x"], later("cannot tell"), (questions) => questions.some((one) => one.cannot_tell)],
  [["e"], later("the image is blank (empty)"), (questions, blanks) => blanks.some((one) => one.key === "e")],
  [["Enter"], later("next question; submit when all are answered")],
  [["Backspace"], later("previous question (also Shift + Enter)")],
  [["Esc"], later("leave the text field, so that keys work as keys")],
  [["ArrowDown"], later("in a text field: take the word that you typed before"), asks("text")],
  [["u"], later("undo: revise your last answer")],
  [["s"], later("skip this picture: it comes again at the end")],
  [["t"], later("take the last skip back")],
  [["h"], later("my answers (history)")],
  [["."], later("pause")],
  [["!"], later("report a broken picture")],
  [["z"], later("zoom")],
  [["?"], later("this help")],
];

export class Dialogs {
  constructor(root) {
    this.root = root;
    this.dialog = null;
    this.after = null;
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
      if (this.dialog !== null && this.dialog !== dialog) return;
      this.dialog = null;
      const { after } = this;
      this.after = null;
      if (after) {
        after();
        return;
      }
      // the event comes a moment after the closing: whoever has gone on by then is not called back
      if (before?.isConnected && document.activeElement === document.body) before.focus({ preventScroll: true });
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

  /** Do something now, or, where a dialog is open, when it has closed: that decides where the focus goes then. */
  afterClosing(action) {
    if (this.dialog === null) action();
    else this.after = action;
  }

  /** The instructions, a campaign's own first, and all keys; `first` words it for a first visit. `questions`, where one may
   *  choose between all of them and one: `quick`, which it is now, and `choose(quick)`. */
  help(questionnaire, { first = false, instructions = [], questions: choice = null } = {}) {
    const sections = (questionnaire?.instructions ?? []).map(({ title, lines }) =>
      h("section", { dir: "auto" }, h("h3", { class: "cc-heading" }, title), h("ul", { class: "cc-list" }, ...lines.map((line) => h("li", {}, line)))),
    );
    const questions = questionnaire?.questions ?? [];
    const rows = KEYS.filter(([, , useful]) => !useful || useful(questions, questionnaire?.blanks ?? [])).map(([keys, meaning]) =>
      h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map(keyCap)), h("dd", {}, t(meaning))),
    );
    const close = button(first ? t("Start") : t("Back to the picture"), { key: "Enter", kind: "primary", autofocus: true }, () => this.close());
    this.open(
      "help",
      t("Instructions and keys"),
      h(
        "div",
        { class: "cc-dialog__body" },
        h("h2", { class: "cc-title" }, first ? t("Before you start") : t("Instructions and keys")),
        choice ? questionsChoice(choice) : null,
        asides.instructions(instructions),
        ...sections,
        h("section", { class: "cc-for-keys" }, h("h3", { class: "cc-heading" }, t("Keys")), h("dl", { class: "cc-keys" }, ...rows)),
        advanceChoice(),
      ),
      h("div", { class: "cc-dialog__foot" }, first ? h("span", { class: "cc-muted cc-for-keys" }, t("Opens again with "), kbd("?")) : null, close),
    );
  }

  /** One picture as large as the window; of several the arrows show the others. */
  zoom(task, place = 0) {
    const { images } = task;
    const image = h("img", { class: "cc-zoom__image" });
    const name = h("p", { class: "cc-zoom__name", "aria-live": "polite" });
    let at = place;
    const show = (by) => {
      at = (at + by + images.length) % images.length;
      image.src = images[at].image;
      name.textContent = pictureName(at, task);
      image.alt = t("{name}, enlarged", { name: name.textContent || t("The picture to judge") });
    };
    show(0);
    image.addEventListener("click", () => this.close());
    const arrow = (key, by, label) => button(label, { key, "data-key": key, class: "cc-button" }, () => show(by));
    const others = images.length > 1 ? [arrow("ArrowLeft", -1, t("Previous")), name, arrow("ArrowRight", 1, t("Next"))] : [];
    const close = button(t("Close"), { key: "z", class: "cc-button cc-button--floating cc-zoom__close" }, () => this.close());
    this.open("zoom", t("The picture, enlarged"), image, h("div", { class: "cc-zoom__foot", hidden: others.length === 0 }, ...others), close);
  }
}

function questionsChoice({ quick: now, choose }) {
  const choice = (quick, words) => button(words, { class: "cc-button cc-dialog__choice", "aria-pressed": String(now === quick) }, () => now === quick || choose(quick));
  const all = choice(false, t("In detail: objects, numbers, colors, places"));
  const quick = choice(true, t("One question: does the image show what the prompt says?"));
  return h("div", { class: "cc-stack", role: "group", "aria-label": t("Questions about each image") }, h("span", { class: "cc-heading" }, t("Questions about each image")), h("div", { class: "cc-row" }, quick, all));
}

function advanceChoice() {
  const chosen = advance();
  const options = ADVANCE.map(([name, words]) => h("option", { value: name, selected: name === chosen }, t(words)));
  const select = h("select", { class: "cc-input", on: { change: (event) => setAdvance(event.target.value) } }, ...options);
  return h("label", { class: "cc-stack cc-advance" }, h("span", { class: "cc-heading" }, t("After an answer by key or click")), select);
}

function keyCap(key) {
  return key === "–" ? h("span", {}, "–") : kbd(key);
}
