// Adjudication on the Workbench: what is right about one aspect, and who or what was wrong.

import { button, h, uniqueId } from "../dom.js";

const WRONG = [["scorer", "a scorer"], ["person", "a person"], ["prompt", "the prompt, which is ambiguous"], ["guideline", "the guideline, which leaves it open"]];
const KINDS = { scorer: "scorer", person: "human" };

/** The verdicts so far and a form for another; `send(body)` gives null once it is on disk, else why it is not. */
export function verdicts({ verdicts: given, cases }, send) {
  const listed = given.map((one) => h("li", {}, h("p", {}, `${about(one)}: `, h("strong", {}, one.verdict), `, wrong: ${one.rater_id ?? `the ${one.wrong}`}`), one.note ? h("p", { class: "cc-pre" }, one.note) : null, h("small", { class: "cc-detail" }, [one.made_by, moment(one.moment)].filter(Boolean).join(" · "))));
  return h(
    "section",
    { class: "cc-remarks__part", "aria-label": "Verdicts" },
    h("h3", { class: "cc-heading" }, "Verdicts"),
    listed.length ? h("ul", { class: "cc-remarks__list" }, ...listed) : null,
    cases.length ? form(cases, send) : h("p", { class: "cc-muted" }, "Nobody has judged this image yet."),
  );
}

/** A moment for people, to the minute. */
export function moment(text) {
  return text ? `${text.slice(0, 16).replace("T", " ")} UTC` : "";
}

function about({ aspect, target }) {
  return target ? `${aspect}: ${target}` : aspect;
}

function form(cases, send) {
  // where they differ first, and of those the verdict on the whole image
  const sorted = [...cases].sort((a, b) => Number(b.differ) - Number(a.differ) || Number(b.aspect === "correct") - Number(a.aspect === "correct"));
  const what = choice("About", sorted.map((one, n) => [String(n), `${about(one)}${one.differ ? " (they differ)" : ""}`]));
  const right = choice("What is right", []);
  const wrong = choice("Who was wrong", WRONG);
  const who = choice("Which one", []);
  const note = h("input", { class: "cc-input", type: "text", maxlength: "4000", "aria-label": "Why (may stay empty)", placeholder: "why (may stay empty)" });
  const trouble = h("p", { class: "cc-bad", role: "alert" });
  const current = () => sorted[Number(what.select.value)];
  const blame = () => {
    const kind = KINDS[wrong.select.value];
    const names = [...new Set(current().said.filter((one) => one.kind === kind && one.label !== right.select.value).map((one) => one.rater))];
    fill(who.select, names.map((name) => [name, name]));
    who.element.hidden = !kind;
  };
  const ask = () => {
    fill(right.select, current().labels.map((label) => [label, label]));
    blame();
  };
  what.select.addEventListener("change", ask);
  for (const { select } of [right, wrong]) select.addEventListener("change", blame);
  ask();
  const save = button("Save verdict", { "data-part": "rule" }, async () => {
    const { aspect, target } = current();
    const body = { aspect, target, verdict: right.select.value, wrong: wrong.select.value, rater: who.element.hidden ? null : who.select.value || null, note: note.value };
    trouble.textContent = (await send(body)) ?? "";
  });
  return h("div", { class: "cc-remarks__form" }, what.element, right.element, wrong.element, who.element, note, h("div", { class: "cc-row" }, save), trouble);
}

function choice(label, options) {
  const id = uniqueId("cc-choice");
  const select = h("select", { class: "cc-input", id });
  fill(select, options);
  return { select, element: h("div", { class: "cc-remarks__choice" }, h("label", { for: id }, label), select) };
}

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
}
