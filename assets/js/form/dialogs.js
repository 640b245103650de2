// Help and zoom: native modal dialogs, which keep the focus inside and close by Esc.

import * as asides from "./side_dialogs.js";
import { button, h, kbd } from "../dom.js";
import { pictureName } from "./pictures.js";
import { ADVANCE, advance, setAdvance } from "./settings.js";
import { languageLinks, later, t } from "../texts.js";
import { ZoomPan } from "./zoom_pan.js";

const asks = (kind) => (questions) => questions.some((one) => one.kind === kind);
const offers = (key) => (questions) => questions.some((one) => one.kind !== "colors" && one.options.some((option) => option.key === key));

const hasSides = (questions) => questions.some(({ options }) => options.some(({ value }) => value === "left"));
const several = (questions) => questions.length > 1;

/** Keys, what they do, and whether these questions have a use for them; all others are on the buttons. */
const KEYS = [
  [["0", "–", "9"], later("how many, a step of a scale, or the answer with that number"), offers("1")],
  [["r", "o", "y", "g", "b"], later("colors: red, orange, yellow, green, blue …"), asks("colors")],
  [["p", "i", "n", "k", "w", "a"], later("… purple, pink, brown, black, white, gray"), asks("colors")],
  [["ArrowLeft", "ArrowRight"], later("left, right"), hasSides],
  [["ArrowUp", "ArrowDown"], later("above, below"), offers("ArrowUp")],
  [["b"], later("both"), offers("b")],
  [["y"], later("yes"), offers("y")],
  [["n"], later("no, neither, none"), offers("n")],
  [["x"], later("cannot tell"), (questions) => questions.some((one) => one.cannot_tell)],
  [["e"], later("the image is blank (empty)"), (questions, blanks) => blanks.some((one) => one.key === "e")],
  [["Enter"], later("next question; submit when all are answered"), several],
  [["Backspace"], later("previous question (also Shift + Enter)"), several],
  [["Esc"], later("leave the text field, so that keys work as keys"), (questions) => asks("text")(questions) || asks("number")(questions)],
  [["ArrowDown"], later("in a text field: take the word that you typed before"), asks("text")],
  [["u"], later("undo: revise your last answer")],
  [["s"], later("skip this picture: it comes again at the end")],
  [["t"], later("take the last skip back")],
  [["h"], later("my answers (history)")],
  [["."], later("pause")],
  [["!"], later("the picture is broken")],
  [["c"], later("count the elements, which suggests a score"), (questions) => questions.some((one) => one.on_request)],
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

  /** The instructions: pictures with their right answers, a campaign's own words, the questionnaire's, and all keys; `first`
   *  words them for a first visit. With a `form`, what else its person can do stands there, too. */
  help(questionnaire, { first = false, campaign = null, form = null } = {}) {
    const sections = (questionnaire?.instructions ?? []).map(({ title, lines }) =>
      h("section", { dir: "auto" }, h("h3", { class: "cc-heading" }, title), h("ul", { class: "cc-list" }, ...lines.map((line) => h("li", {}, line)))),
    );
    const questions = questionnaire?.questions ?? [];
    const rows = KEYS.filter(([, , useful]) => !useful || useful(questions, questionnaire?.blanks ?? [])).map(([keys, meaning]) =>
      h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map(keyCap)), h("dd", {}, t(meaning))),
    );
    const keys = h("section", { class: "cc-for-keys" }, h("h3", { class: "cc-heading" }, t("Keys")), h("dl", { class: "cc-keys" }, ...rows));
    const close = button(first ? t("Start") : t("Back to the picture"), { key: "Enter", kind: "primary", autofocus: true }, () => this.close());
    const title = first ? t("Before you start") : t("Instructions and keys");
    this.open(
      "help",
      t("Instructions and keys"),
      h(
        "div",
        { class: "cc-dialog__body", tabindex: "0" },
        h("h2", { class: "cc-title" }, title),
        form && !first ? this.ownWork(form) : null,
        asides.examples(campaign?.examples),
        asides.instructions(campaign?.instructions),
        ...sections,
        keys,
        form && !first && form.mayChoose ? questionsChoice({ quick: form.quick, choose: (quick) => form.chooseQuestions(quick) }) : null,
        form ? languageChoice(form.languages) : null,
        form && !first ? advanceChoice() : null,
      ),
      h("div", { class: "cc-dialog__foot" }, first ? h("span", { class: "cc-muted cc-for-keys" }, t("Opens again with "), kbd("?")) : null, close),
    );
  }

  /** What a person can do besides answering. */
  ownWork(form) {
    const act = (words, key, action) => button(words, { key }, () => {
      this.close();
      action();
    });
    const { actions } = form;
    const buttons = [act(t("My answers"), "h", () => actions.mine()), act(t("Undo the last skip"), "t", () => actions.unskip()), act(t("Pause"), ".", () => actions.pause()), act(form.bars.leave.textContent, null, () => form.leave())];
    const row = h("div", { class: "cc-row" }, ...(form.name === null ? [] : buttons));
    return h("section", { class: "cc-dialog__wide" }, row);
  }

  /** One picture as large as the window, to be enlarged further; of several the arrows show the others. */
  zoom(task, place = 0) {
    const { images } = task;
    const frame = h("div", { class: "cc-zoom__frame" });
    const name = h("p", { class: "cc-zoom__name", "aria-live": "polite" });
    let at = place;
    let zoomed = null;
    const show = (by) => {
      at = (at + by + images.length) % images.length;
      name.textContent = pictureName(at, task);
      const image = h("img", { class: "cc-zoom__image", src: images[at].image, draggable: "false", alt: t("{name}, enlarged", { name: name.textContent || t("The picture to judge") }) });
      image.style.setProperty("--cc-ratio", String(images[at].width / images[at].height));
      frame.replaceChildren(image);
      zoomed?.destroy();
      zoomed = new ZoomPan(frame, image, { pixels: images[at].width, onTap: (point) => zoomed.toggleActual(point) });
    };
    show(0);
    const act = (key, label, action, props = {}) => button(label, { key, "data-key": key, class: "cc-button", ...props }, action);
    const others = images.length > 1 ? [act("ArrowLeft", t("Previous"), () => show(-1)), name, act("ArrowRight", t("Next"), () => show(1))] : [];
    const sizes = [act("+", t("Larger"), () => zoomed.zoom(1.5)), act("-", t("Smaller"), () => zoomed.zoom(1 / 1.5)), act("1", "1:1", () => zoomed.toggleActual(), { "aria-label": t("One image pixel as one screen pixel") })];
    const close = button(t("Close"), { key: "z", kind: "primary" }, () => this.close());
    this.open("zoom", t("The picture, enlarged"), frame, h("div", { class: "cc-zoom__foot" }, ...others, ...sizes, close));
  }
}

/** The page in another language, where there is one. */
function languageChoice(languages) {
  const links = languageLinks(languages);
  if (links.length < 2) return null;
  const named = links.map(({ code, name, href, isCurrent }) => h("a", { class: "cc-button cc-button--quiet", href, lang: code, hreflang: code, "aria-current": isCurrent ? "true" : null }, name));
  return h("nav", { class: "cc-row cc-dialog__wide", "aria-label": t("Language") }, ...named);
}

function questionsChoice({ quick: now, choose }) {
  const choice = (quick, words) => button(words, { class: "cc-button cc-dialog__choice", "aria-pressed": String(now === quick) }, () => now === quick || choose(quick));
  const all = choice(false, t("In detail: objects, numbers, colors, places"));
  const quick = choice(true, t("One question: does the image show what the prompt says?"));
  return h("div", { class: "cc-dialog__wide cc-stack", role: "group", "aria-label": t("Questions about each image") }, h("span", { class: "cc-heading" }, t("Questions about each image")), h("div", { class: "cc-row" }, quick, all));
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
