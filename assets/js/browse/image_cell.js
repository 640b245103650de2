// One image of the grid: its picture, what it is, what is said of it.

import { h } from "../dom.js";
import { at } from "../base_path.js";
import { judge, tells, workbench } from "../workbench/address.js";

const UNITS = 4; // so many of an image are told

/** Where an image opens: the Workbench learns what has been seen here, as an answer given there is then not blind. */
export function opens(item, listing) {
  return workbench(item.item_id, listing, item.mean === null && !tells(listing) ? "" : judge(listing));
}

export function picture(item, width = 320) {
  return item.sha256
    ? h("img", { src: at(`/img/${item.sha256}?w=${width}`), loading: "lazy", decoding: "async", draggable: "false", alt: "" })
    : h("span", { class: "cc-no-picture cc-cell-none" }, "no picture, answers only");
}

export function place(item) {
  return [item.generator, item.task, item.idx === null ? null : `image ${item.idx}`, item.blanked].filter(Boolean).join(" · ");
}

/** An option of the list; `index` from 0 of `total`. */
export function cell(item, { listing, index, total, chosen, current }) {
  const text = item.text ?? item.item_id;
  const lines = crossings(item.crossed ?? [], listing);
  return h(
    "a",
    {
      class: "cc-cell",
      href: opens(item, listing),
      role: "option",
      draggable: "false",
      tabindex: current ? "0" : "-1",
      "aria-selected": String(chosen),
      "aria-posinset": index + 1,
      "aria-setsize": total,
      "aria-label": [text, place(item), ...lines.map((line) => line.textContent), spoken(item, listing), tagged(item)].filter(Boolean).join(", "),
      "data-index": index,
    },
    h("span", { class: "cc-cell-picture" }, picture(item), h("span", { class: "cc-cell-tick", "data-tick": true, title: "Choose (Space)" })),
    h("span", { class: "cc-cell-text", title: text }, text),
    h("span", { class: "cc-cell-meta", title: place(item) }, place(item)),
    ...lines,
    said(item, listing),
    item.reason ? h("span", { class: "cc-cell-reason", title: item.reason }, item.reason.replaceAll("\n", " · ")) : null,
    item.tags?.length ? h("span", { class: "cc-cell-tags" }, ...item.tags.map((tag) => h("span", { class: "cc-tag" }, tag))) : null,
  );
}

/** Its place, until its page has come. */
export function waiting(index, current) {
  return h(
    "div",
    { class: "cc-cell-waiting", role: "option", "aria-selected": "false", "aria-label": `Image ${index + 1} is coming`, tabindex: current ? "0" : "-1", "data-index": index, "data-waiting": true },
    h("span", { class: "cc-cell-picture" }),
  );
}

/** What the shown rater says of it; nothing where it says nothing. */
export function said(item, listing) {
  const rater = listing.get("rater") ?? "people";
  if (item.mean === null || item.mean === undefined) return null;
  const verdict = verdictOf(item, listing);
  if (!verdict) return h("span", { class: "cc-cell-meta" }, spoken(item, listing));
  const kind = verdict === "yes" ? "ok" : "bad";
  return h("span", { class: "cc-cell-said" }, h("span", { class: `cc-badge cc-badge--${kind}` }, verdict), h("span", { class: "cc-cell-meta" }, rater));
}

function spoken(item, listing) {
  const rater = listing.get("rater") ?? "people";
  if (item.mean === null || item.mean === undefined) return "";
  const verdict = verdictOf(item, listing);
  return verdict ? `${verdict} by ${rater}` : `${rater} ${format(item.mean)}${item.n > 1 ? ` (${item.n} answers)` : ""}`;
}

/** One rater's yes or no; groups have a mean. Lines by prompt do not say it in words. */
function verdictOf(item, listing) {
  if (item.verdict !== undefined) return item.verdict;
  const alone = !["people", "simulated people", null].includes(listing.get("rater"));
  return alone && (listing.get("by") ?? "correct") === "correct" ? ({ 1: "yes", 0: "no" }[item.mean] ?? null) : null;
}

function tagged(item) {
  return item.tags?.length ? `tagged ${item.tags.join(", ")}` : "";
}

/** What both sides say of an image, of each target of it on which they say what is listed. */
function crossings(units, listing) {
  const left = units.length - UNITS;
  const lines = units.slice(0, UNITS).map((unit) => crossed(unit, listing));
  return left > 0 ? [...lines, h("span", { class: "cc-cell-meta" }, `and ${left} more`)] : lines;
}

/** "geneval: no · people: 3 of 5 yes" */
function crossed(unit, listing) {
  const counts = Object.entries(unit.b);
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  const asked = listing.get("b_says");
  const one = asked ? `${unit.b[asked]} of ${all} ${asked}` : counts.map(([label, n]) => `${n} of ${all} ${label}`).join(", ");
  const theirs = all === 1 ? counts[0][0] : one;
  const target = unit.target === null ? "" : `${unit.target}: `;
  return h("span", { class: "cc-cell-meta" }, `${target}${listing.get("a")}: ${unit.a} · ${listing.get("b")}: ${theirs}`);
}

export function format(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(2);
}
