// One image of the grid: its picture, what it is, what is said of it.

import { h } from "../dom.js";
import { at } from "../base_path.js";
import { fixed } from "../numbers.js";
import { majority, saying, share } from "../saying.js";
import { imageAddress, judge, shownOf } from "../drawer/address.js";
import { IN_GRIDS, thumbnail } from "../thumbnails.js";

const UNITS = 4; // so many of an image are told
const CHARACTER = 6.2; // px of a chip's text
const CHIP = 27; // px around it

/** Where an image opens. */
export function opens(item, listing) {
  return imageAddress(item.item_id, listing);
}

/** Whose values are shown of an image here; "" for nobody's. */
export function shownBy(item, listing) {
  return shownOf(listing, item.mean !== null && item.mean !== undefined);
}

export function picture(item, width = IN_GRIDS) {
  return item.sha256
    ? h("img", { src: thumbnail(at(`/img/${item.sha256}`), width), loading: "lazy", decoding: "async", draggable: "false", alt: "" })
    : h("span", { class: "cc-no-picture cc-cell-none" }, "no picture, answers only");
}

export function place(item) {
  return [item.generator, item.task, item.idx === null ? null : `image ${item.idx}`, item.blanked].filter(Boolean).join(" · ");
}

/** An option of the list; `index` from 0 of `total`. */
export function cell(item, { listing, index, total, chosen, current, open }) {
  const text = item.text ?? item.item_id;
  const lines = crossings(item.crossed ?? [], listing);
  const short = lines.length ? null : said(item, listing);
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
      "aria-label": [text, place(item), ...lines.map(words), words(short), tagged(item)].filter(Boolean).join(", "),
      "data-index": index,
      "data-item": item.item_id,
      "aria-current": open ? "true" : null,
    },
    h("span", { class: "cc-cell-picture" }, picture(item), h("span", { class: "cc-cell-tick", "data-tick": true, title: "Choose (Space)" })),
    h("span", { class: "cc-cell-text", title: text }, text),
    h("span", { class: "cc-cell-meta", title: place(item) }, place(item)),
    ...lines,
    short,
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

/** What is said of it, in short: the scorers that the listing names, the shown rater, people where the listing tells of them. */
export function said(item, listing) {
  const told = sayings(item, listing);
  return told.length ? h("span", { class: "cc-cell-said" }, ...told) : null;
}

function sayings(item, listing) {
  const rater = listing.get("rater") ?? "people";
  const scorers = Object.entries(item.says ?? {});
  const { yes, no } = item.people;
  const most = majority(yes, no);
  const told = scorers.map(([name, label]) => saying(name, label, label, { differs: most !== null && ["yes", "no"].includes(label) && label !== most }));
  const correct = (listing.get("by") ?? "correct") === "correct";
  const tellsPeople = judge(listing).split(" and ").includes("people");
  if (tellsPeople && yes + no > 0 && (correct || rater !== "people")) told.unshift(share("people", yes, yes + no));
  const has = item.mean !== null && item.mean !== undefined;
  if (!has || (correct && (rater === "people" || scorers.some(([name]) => name === rater)))) return told;
  return [...told, correct && item.n > 1 ? share(rater, Math.round(item.mean * item.n), item.n) : saying(rater, item.n > 1 ? `${format(item.mean)}, mean of ${item.n}` : format(item.mean))];
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

function crossed(unit, listing) {
  const b = listing.get("b");
  const counts = Object.entries(unit.b);
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  const binary = counts.every(([label]) => ["yes", "no"].includes(label));
  const theirs = all === 1 ? [saying(b, counts[0][0], counts[0][0])] : binary ? [share(b, unit.b.yes ?? 0, all)] : counts.map(([label, n]) => saying(b, `${label} ${n}/${all}`, label));
  const target = unit.target === null ? null : h("span", { class: "cc-cell-meta" }, unit.target);
  return h("span", { class: "cc-cell-said" }, target, saying(listing.get("a"), unit.a, unit.a), ...theirs);
}

/** How many lines of chips an image needs at this width (px), as a listing makes the same room for all. */
export function verdictLines(item, listing, width) {
  const rows = item.crossed?.length ? crossings(item.crossed, listing) : [said(item, listing)].filter(Boolean);
  return rows.reduce((lines, row) => lines + linesOf([...row.children].map(({ textContent }) => textContent.length * CHARACTER + CHIP), width), 0);
}

function linesOf(widths, width) {
  let [lines, left] = [widths.length ? 1 : 0, width];
  for (const one of widths) {
    if (one > left && left < width) [lines, left] = [lines + 1, width];
    left -= one;
  }
  return lines;
}

/** Chips as words. */
function words(element) {
  return element ? [...element.querySelectorAll(".cc-saying")].map(({ title }) => title).join(", ") : "";
}

export function format(number) {
  return Number.isInteger(number) ? String(number) : fixed(number, 2);
}
