// Dialogs beside the questions: reporting a picture, one's own past answers, and what a training item teaches.

import { button, h } from "../dom.js";
import { onScreen } from "./pictures.js";
import { answerText } from "./question_view.js";
import { rich } from "../rich_text.js";
import { inLanguage, later, t } from "../texts.js";
import { IN_STRIPS, thumbnail } from "../thumbnails.js";

const REASONS = [later("The picture is broken, cut off or does not load"), later("The text makes no sense"), later("It should not be shown to people"), later("Something else is wrong")];

const body = (title, ...children) => h("div", { class: "cc-dialog__body", tabindex: "0" }, h("h2", { class: "cc-title" }, title), ...children);
const foot = (...children) => h("div", { class: "cc-dialog__foot" }, ...children);

export function report(dialogs, onReason) {
  const choose = (reason) => () => {
    dialogs.close();
    onReason(reason);
  };
  const reasons = REASONS.map((reason, k) => button(t(reason), { key: String(k + 1), "data-key": String(k + 1) }, choose(reason)));
  const told = h("p", { class: "cc-muted" }, t("You will not see it again. If two people report it, nobody sees it until a manager has checked it."));
  const back = button(t("Back to the picture"), { key: "Esc", kind: "primary", autofocus: true }, () => dialogs.close());
  dialogs.open("help", t("Picture is broken"), body(t("What is wrong with it?"), told, h("div", { class: "cc-stack" }, ...reasons)), foot(back));
}

/** Ask which picture of several is blank. */
export function whichBlank(dialogs, blanks, onBlank) {
  const choose = (blank) => () => {
    dialogs.close();
    onBlank(blank);
  };
  const ways = blanks.map((blank, k) => button(blank.label, { key: String(k + 1), "data-key": String(k + 1), autofocus: k === 0 }, choose(blank)));
  dialogs.open("help", t("Which picture is blank?"), body(t("Which picture is blank?"), h("div", { class: "cc-stack" }, ...ways)), foot(button(t("Back to the picture"), { key: "Esc" }, () => dialogs.close())));
}

export function mine(dialogs, answers, onRevise) {
  const row = ({ id, images, caption, submitted, answers: said }, k) => {
    const revise = () => {
      dialogs.close();
      onRevise(id);
    };
    const told = Object.values(said).map(words).join(" · ");
    return h(
      "li",
      { class: "cc-mine__row" },
      h("div", { class: "cc-row" }, ...images.map(({ image }) => h("img", { src: thumbnail(image, IN_STRIPS), alt: "", loading: "lazy" }))),
      h("div", {}, caption ? h("p", { class: "cc-mine__caption" }, caption) : null, h("p", { class: "cc-muted" }, told)),
      h("time", { class: "cc-muted", datetime: submitted }, new Date(submitted).toLocaleString()),
      button(t("Revise"), { autofocus: k === 0, "aria-label": t("Revise: {text}", { text: caption ?? told }) }, revise),
    );
  };
  const list =
    answers.length > 0
      ? h("ol", { class: "cc-mine" }, ...answers.map(row))
      : h("p", { class: "cc-muted" }, t("You have not answered anything yet. Your answers appear here, newest first, and you can revise them."));
  const close = button(t("Back to the picture"), { key: "Esc", kind: "primary", autofocus: answers.length === 0 }, () => dialogs.close());
  dialogs.open("help", t("My answers"), body(t("My answers ({n})", { n: answers.length === 100 ? t("the last 100") : answers.length }), list), foot(close));
}

/** `told` is {right, wrong: [{question: its id, expected: [answers], given}]}. */
export function feedback(dialogs, task, told) {
  const { questions, blanks } = inLanguage(task.questionnaire).questionnaire;
  const lines = told.wrong.map(({ question: id, expected, given }) => {
    const question = questions.find((one) => one.id === id);
    const name = question?.text ?? blanks.find((one) => one.id === id)?.label ?? id;
    const right = expected.map((one) => answerText(question, one)).join(` ${t("or")} `);
    const words = t("Correct: {expected}. Your answer: {given}.", { expected: right, given: answerText(question, given) });
    return h("li", {}, h("strong", {}, name), " ", h("span", {}, words));
  });
  const pictures = task.images.map(({ image }) => h("img", { class: "cc-feedback__image", src: onScreen(image), alt: t("The picture it is about") }));
  const title = told.right ? t("Correct") : t("Not quite");
  const words = told.right ? h("p", { class: "cc-muted" }, t("All of it, as expected.")) : h("ul", { class: "cc-list" }, ...lines);
  const close = button(t("Go on"), { key: "Enter", kind: "primary", autofocus: true }, () => dialogs.close());
  const about = h("div", { class: "cc-feedback" }, h("div", { class: "cc-row" }, ...pictures), h("div", { class: "cc-stack" }, task.caption ? h("blockquote", { class: "cc-caption" }, task.caption) : null, words));
  dialogs.open("help", title, body(title, about), foot(close));
}

/** Pictures with their right answers: `examples` are {picture, title, lines}. */
export function examples(all = []) {
  if (all.length === 0) return null;
  const figures = all.map(({ picture, title, lines }) =>
    h("figure", { class: "cc-example" }, h("img", { src: picture, alt: "" }), h("figcaption", {}, h("span", { class: "cc-example__prompt" }, title), ...lines.map((line) => h("span", {}, line)))),
  );
  return h("section", { class: "cc-dialog__wide cc-examples", dir: "auto" }, ...figures);
}

/** A campaign's own instructions, in the help. */
export const instructions = (nodes) => (nodes?.length > 0 ? h("section", { dir: "auto" }, rich(nodes)) : null);

function words(value) {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text.length > 60 ? `${text.slice(0, 60)} …` : text;
}
