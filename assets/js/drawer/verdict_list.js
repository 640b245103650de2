// The verdict of every rater on one image, a line each: people, simulated people, then scorers, each with its one reason.

import { h } from "../dom.js";
import { fixed } from "../numbers.js";

/**
 * `evidence` is what the server tells of the image, `aspect` the question, `chosen` the scorer whose details are open;
 * `onChoose(rater)` is told whose line is clicked.
 */
export function verdictList(evidence, aspect, chosen, onChoose) {
  const judged = evidence.judgements.filter((one) => one.aspect === aspect && one.target === null);
  const crowds = [["people", "people", ({ simulated }) => !simulated], ["simulated people", "simulated", ({ simulated }) => simulated]];
  const humans = judged.filter(({ kind }) => kind === "human");
  const lines = crowds.map(([name, kind, of]) => crowd(name, kind, humans.filter(of))).filter(Boolean);
  const most = lines.find(({ verdict }) => verdict)?.verdict ?? null;
  const rows = lines.map((line) => row(line, null));
  for (const sight of evidence.scorers) {
    const own = judged.find(({ rater_id: rater }) => rater === sight.rater);
    rows.push(row(scorer(sight, own, most), { open: sight.rater === chosen, choose: () => onChoose(sight.rater) }));
  }
  if (!rows.length) return h("p", { class: "cc-muted" }, "Nobody has judged this image yet. What comes is shown at once.");
  return h("div", { class: "cc-verdicts", role: "list", "aria-label": "Verdicts" }, ...rows);
}

/** What most of them say, and how many; null where nobody says anything. */
function crowd(name, kind, said) {
  if (!said.length) return null;
  const labels = said.map(({ label }) => label);
  if (labels.every((label) => label === "yes" || label === "no")) {
    const yes = labels.filter((label) => label === "yes").length;
    const verdict = 2 * yes > said.length ? "yes" : 2 * yes < said.length ? "no" : null;
    const words = said.length === 1 ? `one person: ${said[0].rater_id}` : `${yes} of ${said.length} say yes`;
    return { name, kind, verdict, value: verdict ?? "split", words };
  }
  const values = said.map(({ value }) => value).filter((value) => value !== null);
  if (!values.length) return { name, kind, verdict: null, value: labels.find(Boolean) ?? "–", words: `${said.length} answers` };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { name, kind, verdict: null, value: fixed(mean, 1), words: values.length === 1 ? "1 answer" : `mean of ${values.length} answers` };
}

function scorer(sight, own, most) {
  const verdict = sight.verdict ?? (own && ["yes", "no"].includes(own.label) ? own.label : null);
  const { score } = sight;
  const value = verdict ?? (score ? fixed(score.value, 2) : own?.value !== null && own?.value !== undefined ? fixed(own.value, 2) : "–");
  return { name: sight.rater, kind: "scorer", verdict, value, differs: verdict !== null && most !== null && verdict !== most, words: reason(sight, verdict) };
}

/** The one line of why: what failed, what the rules say, or where its score stands. */
export function reason(sight, verdict = sight.verdict) {
  if (sight.failed) return `could not look: ${sight.failed}`;
  if (sight.unknown) return sight.unknown;
  const [line] = sight.reason.split("\n").filter(Boolean);
  if (line) return line;
  const { standing } = sight.score ?? {};
  if (standing) return standing.n > 1 ? `higher than ${Math.round((100 * standing.below) / (standing.n - 1))} % of images` : "the only image with a score";
  const told = sight.checks.filter(({ holds }) => (verdict === "no" ? holds === false : holds === true));
  const check = told.find(({ offset }) => offset) ?? told[told.length - 1];
  if (check) return check.text;
  if (sight.questions?.length) return `${sight.questions.filter(({ right }) => right).length} of ${sight.questions.length} questions as asked for`;
  return sight.imported ? "imported: its reason is not stored" : "";
}

function row({ name, kind, value, differs = false, words }, acts) {
  const cells = [
    h("span", { class: `cc-drawer__dot cc-point cc-point--${kind}`, "aria-hidden": "true" }),
    h("span", { class: "cc-verdicts__who", title: name }, name),
    h("strong", { class: differs ? "cc-verdicts__says is-other" : "cc-verdicts__says" }, differs ? `${value} ≠` : value),
    h("span", { class: "cc-verdicts__why" }, words),
  ];
  if (!acts) return h("div", { class: "cc-verdicts__line", role: "listitem" }, ...cells);
  const label = `${name}: ${value}${differs ? ", people say otherwise" : ""}. ${words}. ${acts.open ? "Hide" : "Show"} what it saw`;
  const control = h("button", { type: "button", class: "cc-verdicts__line", "data-rater": name, "aria-expanded": String(acts.open), "aria-label": label, on: { click: acts.choose } }, ...cells);
  return h("div", { role: "listitem" }, control);
}
