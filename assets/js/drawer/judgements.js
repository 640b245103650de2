// What everybody said of one image: like beside like, people first, then imitations, then scorers.

import { h } from "../dom.js";
import { fixed } from "../numbers.js";

const KINDS = { person: "person", imitation: "simulated", scorer: "scorer", consensus: "consensus" };
const ORDER = Object.keys(KINDS);

/** The tables; `me` is marked as "you". */
export function said({ annotations, judgements }, me) {
  if (!judgements.length && !annotations.length) {
    return h("p", { class: "cc-muted cc-said__nothing" }, "Nobody has judged this image yet.");
  }
  const answers = annotations.map((a) => [
    h("th", { scope: "row" }, named(a)),
    h("td", {}, [a.status, a.superseded ? "revised later" : "", a.saw_evidence ? "saw the evidence" : "", a.rater_id === me ? "you" : ""].filter(Boolean).join(", ")),
    h("td", { class: "cc-pre" }, Object.entries(a.answers).map(([question, value]) => `${question}: ${Array.isArray(value) ? value.join(", ") : value}`).join("\n")),
  ]);
  return h(
    "div",
    {},
    judgements.length ? pivot(judgements, me) : null,
    answers.length ? h("details", { class: "cc-said__answers", open: !judgements.length || null }, h("summary", {}, `Answers as given (${answers.length})`), table("Answers as given", ["rater", "state", "answers"].map(head), answers)) : null,
  );
}

// A row per aspect and target, a column per rater.
function pivot(judgements, me) {
  const raters = new Map(judgements.map((one) => [one.rater_id, one]));
  const order = [...raters.values()].sort((a, b) => ORDER.indexOf(kind(a)) - ORDER.indexOf(kind(b)));
  const rows = new Map();
  for (const one of judgements) {
    const about = one.target ? `${one.aspect}: ${one.target}` : one.aspect;
    if (!rows.has(about)) rows.set(about, new Map());
    const cell = rows.get(about);
    cell.set(one.rater_id, [...(cell.get(one.rater_id) ?? []), one]);
  }
  const heads = order.map((one) => {
    const note = one.rater_id === me ? "you" : KINDS[kind(one)];
    return h("th", { scope: "col" }, one.rater_id, saysSo(one) ? null : h("small", { class: "cc-detail" }, note));
  });
  const body = [...rows]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([about, cells]) => [h("th", { scope: "row" }, about), ...order.map((one) => cellOf(cells.get(one.rater_id) ?? []))]);
  return table("Judgements", [head("aspect"), ...heads], body);
}

function cellOf(found) {
  const text = found.map(words).join(", ");
  const label = found.length === 1 ? found[0].label : null;
  return h("td", { class: { yes: "cc-pre is-yes", no: "cc-pre is-no" }[label] ?? "cc-pre" }, text);
}

function words({ label, value, reason }) {
  if (label !== null) return label;
  return value === null ? (reason ?? "").replaceAll("_", " ") : number(value);
}

function number(value) {
  return Number.isInteger(value) ? String(value) : fixed(value, 3);
}

/** The verdict first, then what it rests on. */
function rank(about) {
  return ["correct", "score"].includes(about) ? 0 : 1;
}

function kind({ kind: what, simulated }) {
  if (what === "human") return simulated ? "imitation" : "person";
  return what;
}

function named(rater) {
  return rater.rater_id + (rater.simulated && !saysSo(rater) ? " (simulated)" : "");
}

/** Whether a simulated person's own name says that it is one. */
function saysSo({ rater_id: name, simulated }) {
  return simulated && name.startsWith("simulated ");
}

function head(text) {
  return h("th", { scope: "col" }, text);
}

function table(caption, heads, rows) {
  return h(
    "div",
    { class: "cc-table-wrap", tabindex: "0", role: "group", "aria-label": "A table; arrows scroll it" },
    h("table", { class: "cc-table" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells)))),
  );
}
