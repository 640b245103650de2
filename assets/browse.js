// The grid of images: mount(root, {value}) where value is the query string of the current filters. Pages come from
// /api/studio/items; pictures load as they scroll into view.

import { h } from "./js/dom.js";
import { judge, parse, tells, workbench } from "./js/workbench/address.js";
import { at } from "./js/root.js";

const UNITS = 4; // so many of an image are told

export function mount(root, { value }) {
  const grid = new Grid(root);
  grid.update(value);
  return grid;
}

class Grid {
  constructor(root) {
    this.root = root;
    this.summary = h("p", { class: "cc-note", role: "status" });
    this.cells = h("ul", { class: "cc-grid" });
    this.more = h("button", { class: "cc-button", type: "button" }, "Show more");
    this.more.addEventListener("click", () => this.load(this.page + 1));
    root.replaceChildren(this.summary, this.cells, this.more);
  }

  update(query) {
    if (query === this.query) return;
    const filters = new URLSearchParams(query);
    filters.delete("version");
    const moved = filters.toString() === this.filters;
    this.filters = filters.toString();
    this.rater = filters.get("rater") ?? "people";
    this.listing = parse(this.filters).listing;
    this.query = query;
    // the project moved under an open page: a reader who has gone on to later pages is not thrown back
    if (!moved || this.page === 0) this.load(0);
  }

  async load(page) {
    const query = this.query ?? "";
    const answer = await fetch(at(`/api/studio/items?${query}${query ? "&" : ""}page=${page}`)).catch(() => null);
    if (query !== (this.query ?? "")) return; // the filters moved on meanwhile
    if (!answer?.ok) {
      const why = answer ? ((await answer.json().catch(() => ({}))).detail ?? answer.statusText) : "the app does not answer";
      this.summary.textContent = `The images could not be listed: ${why}. Is the app still running? Reload to try again.`;
      return;
    }
    const { items, total, size } = await answer.json();
    this.page = page;
    if (page === 0) this.cells.replaceChildren();
    this.cells.append(...items.map((item) => cell(item, this.rater, this.listing)));
    const shown = Math.min((page + 1) * size, total);
    if (total === 0 && !["suite", "task", "generator", "about", "picture"].some((name) => new URLSearchParams(query).has(name))) {
      const how = h("a", { href: at("/studio/") }, "Overview says how to bring some");
      this.summary.replaceChildren("There are no images in this project yet. ", how, ".");
      this.more.hidden = true;
      return;
    }
    this.summary.textContent = total ? `${shown.toLocaleString("en")} of ${total.toLocaleString("en")} images` : nothing(this.listing);
    this.more.hidden = shown >= total;
  }
}

function cell(item, rater, listing) {
  const picture = item.sha256
    ? h("img", { src: at(`/img/${item.sha256}?w=320`), loading: "lazy", decoding: "async", alt: item.text ?? item.item_id })
    : h("span", { class: "cc-no-picture" }, "no picture, answers only");
  const place = [item.generator, item.task, item.idx === null ? null : `image ${item.idx}`, item.blanked];
  return h(
    "li",
    {},
    h(
      "a",
      // the Workbench learns what has been seen here: an answer given there is then not blind
      { class: "cc-cell", href: workbench(item.item_id, listing, item.mean === null && !tells(listing) ? "" : judge(listing)) },
      picture,
      h("span", { class: "cc-cell-text" }, item.text ?? item.item_id),
      h("span", { class: "cc-cell-meta" }, place.filter(Boolean).join(" · ")),
      ...crossings(item.crossed ?? [], listing),
      said(item, rater),
      item.reason ? h("span", { class: "cc-cell-reason" }, item.reason.replaceAll("\n", " · ")) : null,
    ),
  );
}

function nothing(listing) {
  // the page has said what there is none of
  if (tells(listing)) return "No images.";
  return "No image fits these filters. Set one of them back to “all”.";
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

function said(item, rater) {
  if (item.mean === null) return null;
  if (item.verdict) {
    const kind = item.verdict === "yes" ? "ok" : "bad";
    return h("span", { class: "cc-cell-said" }, h("span", { class: `cc-badge cc-badge--${kind}` }, item.verdict), h("span", { class: "cc-cell-meta" }, rater));
  }
  return h("span", { class: "cc-cell-meta" }, `${rater} ${format(item.mean)}${item.n > 1 ? ` (${item.n} answers)` : ""}`);
}

export function format(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(2);
}
