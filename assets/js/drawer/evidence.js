// What one scorer saw and what its rules make of it, in words: verdict, reason, checks, detections, colours, its number.

import { h } from "../dom.js";
import { colorBars, compass, crop, signed, standing } from "./figures.js";
import { questions } from "./vqa_answers.js";
import { marks, used } from "./stage.js";

const SIGNS = new Map([[true, ["✓", "as asked", "is-ok"]], [false, ["✗", "not as asked", "is-bad"]], [null, ["–", "cannot be said", ""]]]);

export class Evidence {
  /** `onPoint(ranks or null)` is told which boxes a row is about. */
  constructor(item, sight, colors, onPoint) {
    this.item = item;
    this.sight = sight;
    this.colors = colors;
    this.onPoint = onPoint;
    this.rows = new Map();
    this.seenColor = h("div", { class: "cc-colors", hidden: true });
    this.element = h("div", { class: "cc-evidence" }, ...this.parts().filter(Boolean));
    const { detections } = sight;
    const ranks = [...used(sight), ...detections.keys()];
    const first = ranks.find((rank) => detections[rank]?.colors);
    if (first !== undefined) this.choose(first);
  }

  parts() {
    const { sight } = this;
    return [
      this.verdict(),
      sight.failed ? h("p", { class: "cc-note cc-bad" }, `This scorer failed on the picture: ${sight.failed}.`) : null,
      sight.unknown ? h("p", { class: "cc-note cc-bad" }, `Its evidence cannot be judged here: ${sight.unknown}.`) : null,
      questions(sight),
      sight.checks.length && !sight.failed && !sight.questions.length ? h("ul", { class: "cc-checks", "aria-label": "What the rules checked" }, ...sight.checks.map((check) => this.check(check))) : null,
      this.seenColor,
      this.detections(),
      settings(sight.settings),
    ];
  }

  verdict() {
    const { verdict, reason, score } = this.sight;
    const imported = this.sight.imported ? h("p", { class: "cc-muted" }, "Imported: what it says is stored, not what it saw.") : null;
    const lines = reason.split("\n").filter(Boolean);
    const why = lines.length ? h("p", { class: this.sight.imported ? "" : "cc-reason" }, ...lines.flatMap((line, n) => (n ? [h("br"), line] : [line]))) : null;
    if (score) {
      const number = h("span", { class: "cc-score" }, score.value < 0 ? signed(score.value) : score.value.toFixed(3));
      return h("div", { class: "cc-verdict" }, number, score.standing ? standing(score.standing, score.value) : null, why, imported);
    }
    const said = { yes: ["Yes, it shows everything in the prompt", "ok"], no: ["No, something differs from the prompt", "bad"] }[verdict];
    if (!said) return this.sight.failed ? null : h("div", { class: "cc-verdict" }, h("span", { class: "cc-badge" }, "No verdict"), why);
    return h(
      "div",
      { class: "cc-verdict" },
      h("span", { class: `cc-badge cc-badge--${said[1]} cc-badge--large` }, said[0]),
      why,
      imported,
    );
  }

  check(check) {
    const [sign, words, kind] = SIGNS.get(check.holds);
    const text = h("span", { class: "cc-check__text" }, check.text);
    const figure = check.offset && check.relation
      ? h("div", { class: "cc-check__figure" }, compass(check.offset, check.relation, check.clear), h("p", { class: "cc-muted" }, ...offsetWords(check)))
      : null;
    const row = h("li", { class: `cc-check ${kind}`, tabindex: check.boxes.length ? 0 : null }, h("span", { class: "cc-check__sign", role: "img", "aria-label": words }, sign), text, figure);
    if (check.boxes.length) this.points(row, check.boxes);
    return row;
  }

  detections() {
    const { detections } = this.sight;
    if (!detections.length) return null;
    const colors = marks(detections);
    const looked = used(this.sight);
    const rows = detections.map((one, rank) => {
      const dot = h("span", { class: "cc-mark-dot", "data-mark": colors.get(one.label) });
      const fill = h("span", { class: "cc-meter__fill" });
      fill.style.width = `${one.score * 100}%`;
      const row = h(
        "tr",
        { class: looked.has(rank) ? null : "is-weak", tabindex: 0, "data-rank": rank },
        h("th", { scope: "row" }, dot, one.label),
        h("td", {}, h("span", { class: "cc-meter" }, fill), h("span", { class: "cc-meter__value" }, one.score.toFixed(2))),
        h("td", {}, one.colors ? likeliest(one.colors, this.colors) : ""),
        h("td", {}, looked.has(rank) ? "looked at" : "not looked at"),
      );
      row.addEventListener("click", () => this.choose(rank));
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.choose(rank);
      });
      this.points(row, [rank]);
      this.rows.set(rank, row);
      return row;
    });
    const head = ["object", "confidence", "colour", "by the rules"].map((text) => h("th", { scope: "col" }, text));
    const table = h("table", { class: "cc-table cc-seen" }, h("caption", {}, "What was detected"), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
    return h("div", { class: "cc-table-wrap", tabindex: "0", role: "group", "aria-label": "A table; arrows scroll it" }, table);
  }

  points(row, ranks) {
    for (const event of ["pointerenter", "focus"]) row.addEventListener(event, () => this.onPoint(ranks));
    for (const event of ["pointerleave", "blur"]) row.addEventListener(event, () => this.onPoint(null));
  }

  /** Show what the colour classifier saw of one detection, if it looked at it. */
  choose(rank) {
    const one = this.sight.detections[rank];
    if (!one?.colors) return;
    for (const [other, row] of this.rows) row.classList.toggle("is-chosen", other === rank);
    const asked = (this.item.spec?.include ?? []).filter((wanted) => wanted.class === one.label && wanted.color).map((wanted) => wanted.color);
    const title = h("h3", { class: "cc-heading" }, `Colour of the ${one.label} (${one.score.toFixed(2)})`);
    const seen = h("figure", { class: "cc-colors__seen" }, crop(this.item, one), h("figcaption", { class: "cc-muted" }, one.mask ? "as the classifier saw it" : "its box"));
    this.seenColor.replaceChildren(title, seen, colorBars(this.colors, one.colors, asked));
    this.seenColor.hidden = false;
  }

  /** A box is pointed at: its row shows it. */
  highlight(rank) {
    for (const [other, row] of this.rows) row.classList.toggle("is-pointed", other === rank);
  }
}

function offsetWords({ offset: [dx, dy], relation, holds, clear }) {
  const where = { above: "upwards", below: "downwards", "left of": "to the left", "right of": "to the right" }[relation];
  const line = clear ? "the dashed line" : "the middle";
  return [
    `Offset (${signed(dx)}, ${signed(dy)}), right and down positive. `,
    holds ? `It reaches past ${line} into “${relation}”.` : `“${relation}” needs more than ${clear} ${where}, past ${line}.`,
  ];
}

function likeliest(probabilities, names) {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `${names[best]} ${probabilities[best].toFixed(2)}`;
}

function settings(given) {
  const names = Object.keys(given);
  if (!names.length) return null;
  const rows = names.flatMap((name) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, String(given[name]))]);
  return h("details", { class: "cc-settings" }, h("summary", {}, "Settings of its rules"), h("dl", {}, ...rows));
}
