// One question as a fieldset with native radio buttons, checkboxes or a field: labels, Space and Tab come for free.

import { button, h, kbd, uniqueId } from "../dom.js";
import { CANNOT_TELL, isBlank, isTicked, toggled } from "./rules.js";
import { t } from "../texts.js";
import { completed, matching } from "./typed.js";

const TEXT_LIMIT = 2000;
const ARROWS = { ArrowLeft: "left", ArrowRight: "right" }; // beside an option's own key
const SHORT = 28; // longer words of a scale do not fit on its buttons

/** `onAnswer(value, {advance})` is called when the person answers, `onFocus()` when they turn to the question; `promptId` is
 *  the id of the prompt's text, which describes the questions that show it; `whose` names the words typed before (typed.js). */
export class QuestionView {
  constructor(question, { promptId, whose, onAnswer, onFocus }) {
    this.question = question;
    this.onAnswer = onAnswer;
    this.inputs = new Map();
    this.field = null;
    this.whose = whose;
    this.chips = null;
    this.pointed = false;
    const name = uniqueId("cc-q");
    const ids = { help: `${name}-help`, error: `${name}-error` };
    this.number = h("span", { class: "cc-question__number", "aria-hidden": "true" });
    this.suggestion = h("p", { class: "cc-question__help", role: "status", hidden: true });
    this.error = h("p", { class: "cc-field-error", id: ids.error, role: "alert" });
    this.said = h("span", { class: "cc-question__answer" });
    this.words = null;
    const describedBy = [question.caption && promptId, question.help && ids.help, ids.error].filter(Boolean).join(" ");
    this.element = h(
      "fieldset",
      { class: "cc-question", tabindex: "-1", "data-question": question.id, "data-kind": question.kind, "aria-describedby": describedBy },
      h("legend", { class: "cc-question__legend" }, this.number, h("span", { class: "cc-question__text" }, question.text), this.said),
      question.help ? h("p", { class: "cc-question__help", id: ids.help }, question.help) : null,
      ...this.answers(name),
      this.suggestion,
      this.error,
      question.cannot_tell ? this.tile(name, { value: CANNOT_TELL, label: t("Cannot tell"), key: "x" }, isTicked(question) || this.field !== null) : null,
    );
    this.element.addEventListener("focusin", onFocus);
    // A click goes on to the next question by itself; an arrow key that walks through radio buttons must not.
    this.element.addEventListener("pointerdown", () => {
      this.pointed = true;
    });
    this.element.addEventListener("keydown", () => {
      this.pointed = false;
    });
  }

  /** The elements by which one answers. */
  answers(name) {
    const { kind, options } = this.question;
    const scale = isScale(this.question);
    const row = h("div", { class: `cc-options${scale ? " cc-options--scale" : ""}`, "data-count": options.length });
    const ticked = isTicked(this.question);
    if (kind === "text") row.append(this.textField());
    if (kind === "number") row.append(this.numberField());
    for (const option of options) row.append(this.tile(name, option, ticked));
    if (kind === "text") {
      this.chips = h("div", { class: "cc-row cc-typed", role: "group", "aria-label": t("What you typed before"), hidden: true });
      row.append(this.chips);
    }
    const parts = options.length + (this.field ? 1 : 0) > 0 ? [row] : [];
    if (scale && options.some(({ label }) => label.length > SHORT)) parts.push(this.scaleWords(row));
    return parts;
  }

  /** Words too long for the buttons of a scale: those of both ends, or of the button that somebody points at or has chosen. */
  scaleWords(row) {
    row.classList.add("is-long");
    this.words = h("p", { class: "cc-options__words", "aria-hidden": "true" });
    const at = (event) => event.target.closest(".cc-tile")?.querySelector("input").value;
    for (const name of ["pointerover", "focusin"]) row.addEventListener(name, (event) => this.sayScale(at(event)));
    for (const name of ["pointerleave", "focusout"]) row.addEventListener(name, () => this.sayScale());
    return this.words;
  }

  sayScale(pointed = null) {
    if (this.words === null) return;
    const { options } = this.question;
    const one = options.find(({ value }) => String(value) === pointed) ?? options.find(({ value }) => this.inputs.get(value).checked);
    const said = one ? [one] : [options[0], options.at(-1)];
    this.words.replaceChildren(...said.map(({ key, label }) => h("span", {}, h("b", {}, key), ` ${label}`)));
  }

  textField() {
    this.field = h("textarea", {
      class: "cc-input",
      rows: 2,
      maxlength: TEXT_LIMIT,
      "aria-label": this.question.text,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: t("separated by commas"),
      on: { input: () => this.typed() },
    });
    return this.field;
  }

  typed() {
    this.onAnswer(this.field.value, { advance: false });
    this.offer(matching(this.whose, this.field.value));
  }

  /** Words typed before, each on a button; the arrow down takes the first. */
  offer(words) {
    const take = (word) => () => {
      this.field.value = completed(this.field.value, word);
      this.typed();
      this.field.focus({ preventScroll: true });
    };
    this.chips.replaceChildren(...words.map((word, n) => button(word, { key: n === 0 ? "ArrowDown" : null, kind: "quiet", dir: "auto" }, take(word))));
    this.chips.hidden = words.length === 0;
  }

  /** Whether there was a word to take. */
  takeFirst() {
    const first = this.chips?.hidden === false ? this.chips.firstElementChild : null;
    first?.click();
    return first !== null;
  }

  /** The number typed; what is none goes to the server as it is, which says what it takes. */
  numberField() {
    const { low, high, step } = this.question.numbers;
    const typed = () => {
      const text = this.field.value.trim();
      return text === "" || !Number.isFinite(Number(text)) ? text : Number(text);
    };
    this.field = h("input", {
      class: "cc-input",
      type: "text",
      inputmode: "decimal",
      "aria-label": this.question.text,
      autocomplete: "off",
      placeholder: step === 1 ? t("{low} to {high}", { low, high }) : t("{low} to {high}, in steps of {step}", { low, high, step }),
      on: { input: () => this.onAnswer(typed(), { advance: false }) },
    });
    return this.field;
  }

  tile(name, option, isCheckbox) {
    const input = h("input", {
      class: "cc-tile__input",
      type: isCheckbox ? "checkbox" : "radio",
      name,
      value: String(option.value),
      on: { change: (event) => this.choose(option.value, event.target.checked) },
    });
    this.inputs.set(option.value, input);
    const swatch = this.question.kind === "colors" && option.value !== CANNOT_TELL;
    const passes = option.value === CANNOT_TELL;
    const step = !passes && isScale(this.question);
    return h(
      "label",
      { class: `cc-tile${passes ? " cc-tile--pass" : ""}${step ? " cc-tile--step" : ""}` },
      input,
      swatch ? h("span", { class: "cc-swatch", "data-color": option.value, "aria-hidden": "true" }) : null,
      ...(step ? steps(option) : [h("span", { class: "cc-tile__label" }, option.label), kbd(option.key)]),
    );
  }

  choose(value, isChecked) {
    const advance = this.pointed;
    this.pointed = false;
    if (isTicked(this.question) && value !== CANNOT_TELL) this.onAnswer(this.toggled(value, isChecked), { advance: false });
    else this.onAnswer(isChecked ? value : null, { advance: advance && isChecked });
  }

  toggled(value, isChecked) {
    const ticked = this.question.options.map((option) => option.value).filter((one) => one !== value && this.inputs.get(one).checked);
    return toggled(this.question, ticked, value, isChecked);
  }

  /** The answer that a key stands for: {value, advance}, or null where it means nothing here. */
  keyed(key) {
    const { options } = this.question;
    if (key === "x" && this.question.cannot_tell) return { value: CANNOT_TELL, advance: true };
    const option = options.find((o) => o.key === key) ?? options.find(({ value }) => value === ARROWS[key]);
    if (!option) return null;
    if (!isTicked(this.question)) return { value: option.value, advance: true };
    return { value: this.toggled(option.value, !this.inputs.get(option.value).checked), advance: false };
  }

  update({ answer, shown, active, number, error }) {
    const { classList } = this.element;
    this.element.hidden = !shown;
    classList.toggle("is-active", active);
    classList.toggle("is-answered", !isBlank(answer));
    classList.toggle("has-error", Boolean(error));
    if (this.chips && !active) this.chips.hidden = true;
    this.number.textContent = String(number);
    // An unchanged alert that is written again would be read out again.
    if (this.error.textContent !== (error ?? "")) this.error.textContent = error ?? "";
    for (const [value, input] of this.inputs) {
      input.checked = Array.isArray(answer) ? answer.includes(value) : answer === value;
      input.parentElement.classList.toggle("is-checked", input.checked);
    }
    this.said.textContent = active || isBlank(answer) ? "" : answerText(this.question, answer);
    this.sayScale();
    if (this.field) {
      const text = answer === CANNOT_TELL ? "" : String(answer ?? "");
      // "2." is a number on its way to "2.5"
      const isSame = typeof answer === "number" && this.field.value !== "" && Number(this.field.value) === answer;
      if (this.field.value !== text && !isSame) this.field.value = text;
    }
  }

  /** Mark the answer that follows from what was counted; null: none does. */
  suggest(value) {
    const words = value === null ? "" : t("From your counts: {value}. Press Enter to accept.", { value });
    if (this.suggestion.textContent !== words) this.suggestion.textContent = words;
    this.suggestion.hidden = words === "";
    for (const [one, input] of this.inputs) input.parentElement.classList.toggle("is-suggested", one === value);
  }

  focus() {
    const typing = this.field && window.matchMedia("(pointer: fine)").matches && !this.inputs.get(CANNOT_TELL)?.checked;
    (typing ? this.field : this.element).focus({ preventScroll: true });
  }
}

/** The prompt's text, for the place where it stays in view. */
export class PromptView {
  constructor(text) {
    this.id = uniqueId("cc-form-prompt");
    this.text = h("blockquote", { class: "cc-caption", id: this.id, dir: "auto" }, text);
    this.element = h("div", { class: "cc-form-prompt", hidden: true }, h("span", { class: "cc-form-prompt__title", "aria-hidden": "true" }, t("The prompt")), this.text);
    new ResizeObserver(() => this.measure()).observe(this.text);
  }

  /** It is not shown before the first question that may know it. */
  update(isShown) {
    this.element.hidden = !isShown;
  }

  /** A long text scrolls by itself, which needs the focus where there is no mouse. */
  measure() {
    if (this.text.scrollHeight > this.text.clientHeight + 1) this.text.tabIndex = 0;
    else this.text.removeAttribute("tabindex");
  }
}

/** "The image is blank", which takes the place of all questions about it. */
export class BlankView {
  constructor(blank, onAnswer) {
    this.blank = blank;
    const change = (event) => onAnswer(event.target.checked ? "yes" : null);
    this.input = h("input", { class: "cc-tile__input", type: "checkbox", on: { change } });
    const label = h("span", { class: "cc-tile__label" }, blank.label);
    this.element = h("label", { class: "cc-tile cc-blank", "data-blank": blank.id }, this.input, label, kbd(blank.key));
  }

  update(isBlank) {
    this.input.checked = isBlank;
    this.element.classList.toggle("is-checked", isBlank);
  }
}

/** Where the key is the number that is meant, it stands first and is part of the words: "5 or more" by the key 5. */
function steps({ key, label }) {
  const rest = label.startsWith(key) ? label.slice(key.length) : label;
  const number = h("kbd", { class: "cc-kbd cc-kbd--step" }, key);
  return [h("span", { class: "cc-tile__label" }, number, rest.trim() ? h("span", { class: "cc-tile__words" }, ` ${rest.trim()}`) : null)];
}

/** Whether the answers are the steps of a scale, which stand in a row. */
const isScale = ({ kind }) => kind === "count" || kind === "likert";

/** An answer as the form words it. */
export function answerText(question, value) {
  if (isBlank(value)) return t("nothing");
  if (value === CANNOT_TELL) return t("Cannot tell");
  const label = (one) => question?.options.find((option) => option.value === one)?.label ?? String(one);
  return [value].flat().map(label).join(", ");
}
