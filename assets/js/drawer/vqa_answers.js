// The questions that a scorer answered about one image: its choice among the others, and what people said to the same.

import { h } from "../dom.js";

const SIGNS = new Map([[true, ["✓", "as asked for", "is-ok"]], [false, ["✗", "not as asked for", "is-bad"]], [null, ["–", "no answer", ""]]]);
const MATCHED = { likelihood: null, equal: "that is one of the choices", similar: "the nearest choice was taken" };

/** All of them as a list; null of a scorer that answers no questions. */
export function questions({ questions: asked, failed }) {
  if (!asked?.length || failed) return null;
  const right = asked.filter((one) => one.right).length;
  const title = h("h3", { class: "cc-heading" }, `Questions: ${right} of ${asked.length} answered as a faithful image would be`);
  return h("section", { class: "cc-asks", "aria-label": "Questions and answers" }, title, h("ol", {}, ...asked.map(question)));
}

function question(one) {
  const [sign, words, kind] = SIGNS.get(one.right);
  const about = [one.element_type, one.element].filter(Boolean).join(": ");
  const mark = h("span", { class: "cc-check__sign", role: "img", "aria-label": words }, sign);
  const text = h("p", { class: "cc-ask__text" }, one.text, about ? h("small", { class: "cc-muted" }, ` ${about}`) : null);
  const failed = one.failed ? h("p", { class: "cc-ask__free" }, `No answer: ${one.failed}`) : null;
  const parts = [text, choices(one), failed, free(one), hindered(one), people(one)];
  return h("li", { class: `cc-ask ${kind}` }, mark, h("div", {}, ...parts.filter(Boolean)));
}

/** The choices in their order, with how likely the model holds each where it says so. */
function choices(one) {
  const rows = one.choices.map((choice, n) => {
    const value = one.probabilities?.[n];
    const said = choice === one.chosen ? h("span", { class: "cc-bars__asked cc-ask__said" }, "its answer") : null;
    const wanted = choice === one.answer ? h("span", { class: "cc-bars__asked" }, "asked for") : null;
    const name = h("span", { class: "cc-bars__name" }, choice, wanted, said);
    if (value === undefined) return h("li", { class: choice === one.chosen ? "is-best" : null }, name);
    const fill = h("span", { class: "cc-meter__fill" });
    fill.style.width = `${value * 100}%`;
    return h("li", { class: choice === one.chosen ? "is-best" : null }, name, h("span", { class: "cc-meter" }, fill), h("span", { class: "cc-bars__value" }, value.toFixed(2)));
  });
  return h("ul", { class: one.probabilities ? "cc-bars cc-ask__choices" : "cc-bars cc-ask__choices cc-ask__choices--bare" }, ...rows);
}

function free({ free: words, matched, similarity }) {
  if (words === null) return null;
  const how = [MATCHED[matched], similarity === null ? null : `similarity ${similarity.toFixed(2)}`].filter(Boolean).join(", ");
  return h("p", { class: "cc-ask__free" }, "In its own words: ", h("q", {}, words), how ? h("span", { class: "cc-muted" }, ` (${how})`) : null);
}

function hindered({ right, counts }) {
  return right && !counts ? h("p", { class: "cc-muted" }, "Does not count: a question that this one depends on has another answer.") : null;
}

function people({ people: said, answer }) {
  if (!said.length) return null;
  const items = said.map((one) => {
    const text = one.says ?? "cannot tell";
    const notes = [one.simulated ? "simulated" : "", one.why && one.why !== "cannot_tell" ? `does not count: ${one.why.replaceAll("_", " ")}` : "", one.other ? "asked in other words" : ""].filter(Boolean);
    const kind = one.other || one.why ? "" : one.says === answer ? "is-yes" : "is-no";
    return h("li", {}, `${one.rater}: `, h("strong", { class: kind }, text), notes.length ? h("span", { class: "cc-muted" }, ` (${notes.join(", ")})`) : null);
  });
  return h("ul", { class: "cc-ask__people", "aria-label": "What people answered" }, ...items);
}
