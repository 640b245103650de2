// By prompt: a line per prompt, its generators beside each other, the same image of each; with two chosen also one over the other.

import { h } from "../dom.js";
import { opens, picture, said, shownBy } from "./image_cell.js";
import { PageCache } from "./page_cache.js";
import { swipe } from "./swipe.js";
import { VirtualList } from "./virtual_list.js";
import { IN_GRIDS } from "../thumbnails.js";

const SIDE = 150; // px of a picture
const LARGE = 260; // of two

export class PromptRows {
  /** `page` as the grid's. */
  constructor(page, signal) {
    this.page = page;
    this.current = 0;
    this.column = 0;
    this.index = null; // which image of each prompt; null: the first that fits
    this.gap = 12;
    this.columns = 1;
    this.generators = [];
    this.pageCache = new PageCache(async (n) => {
      const answer = await page.fetchPage("rows", n, "rows", this.pair ? { left: this.pair[0], right: this.pair[1] } : {});
      this.generators = answer.data.generators ?? [];
      page.knows(this.generators);
      return answer;
    }, (error) => this.came(error));
    this.element = h("div", { class: "cc-rows cc-virtual", role: "list", "aria-label": "Prompts", "aria-busy": "true" });
    this.virtualList = new VirtualList(this.element, this, signal);
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("focusin", (event) => this.focused(event));
    this.element.addEventListener("click", (event) => this.clicked(event));
  }

  get count() {
    return this.pageCache.total ?? 0;
  }

  get side() {
    return this.pair ? Math.min(LARGE, Math.max(140, this.element.clientWidth - 24)) : SIDE;
  }

  get rowHeight() {
    return this.side + 134 + this.gap;
  }

  /** The two generators that are compared, if two are chosen. */
  get pair() {
    const [left, right] = ["left", "right"].map((side) => this.page.state?.one(side));
    return left && right ? [left, right] : null;
  }

  need(first, last) {
    return this.pageCache.need(first, last);
  }

  load(place = 0) {
    this.pageCache.reset();
    this.virtualList.clear();
    this.current = place;
    this.column = 0;
    this.element.setAttribute("aria-busy", "true");
    return this.pageCache.page(Math.floor(place / this.pageCache.size));
  }

  refresh() {
    this.pageCache.age();
    if (this.count === 0) this.pageCache.page(0); // nothing is near the window that would be fetched anew
    else this.virtualList.soon();
  }

  redraw() {
    this.virtualList.render({ anew: true });
  }

  came(error) {
    this.element.setAttribute("aria-busy", "false");
    this.current = Math.min(this.current, Math.max(0, this.count - 1));
    this.virtualList.render({ anew: true });
    this.page.told(error);
  }

  // ---- what is drawn ----

  draw(place) {
    const row = this.pageCache.get(place);
    if (!row) return this.virtualList.nodes.get(place) ?? h("div", { class: "cc-prompt cc-cell-waiting", role: "listitem", "data-index": place, "data-waiting": true });
    const shown = this.columnsOf(row);
    const { pair } = this;
    const over = pair ? h("div", { class: "cc-prompt__swipe" }, swipe(...shown.map(({ item, generator }) => (item ? { ...item, name: generator } : null)), IN_GRIDS)) : null;
    const cells = h("div", { class: "cc-prompt__cells", role: "group", "aria-label": `Images of ${row.text ?? row.prompt_id}` }, ...shown.map((one, n) => this.cell(one, place, n)), over);
    // where they do not all fit the row can be reached, and so scrolled, by keyboard
    new ResizeObserver(() => {
      if (cells.scrollWidth > cells.clientWidth) cells.tabIndex = 0;
      else cells.removeAttribute("tabindex");
    }).observe(cells);
    return h(
      "article",
      { class: "cc-prompt", role: "listitem", "data-index": place, style: `--side: ${this.side}px` },
      h("div", { class: "cc-prompt__head" }, h("div", {}, h("h3", { class: "cc-heading cc-prompt__text", title: row.text ?? row.prompt_id }, row.text ?? row.prompt_id), h("span", { class: "cc-cell-meta" }, [row.task, row.prompt_id].filter(Boolean).join(" · "))), this.indices(row)),
      cells,
    );
  }

  columnsOf(row) {
    const all = this.pair ?? Object.keys(row.cells).sort((a, b) => this.generators.indexOf(a) - this.generators.indexOf(b));
    const index = this.indexOf(row);
    return all.map((generator) => {
      const items = row.cells[generator] ?? [];
      return { generator, item: items.find((item) => item.idx === index) ?? (index === null ? items[0] : null), index };
    });
  }

  indicesOf(row) {
    return [...new Set(Object.values(row.cells).flat().map((item) => item.idx))].sort((a, b) => a - b);
  }

  /** The image that is looked at, where this prompt has it; otherwise the first that fits. */
  indexOf(row) {
    const all = this.indicesOf(row);
    if (all.includes(this.index)) return this.index;
    const items = Object.values(row.cells).flat();
    return all.find((index) => items.some((item) => item.idx === index && item.fits !== false)) ?? all[0] ?? null;
  }

  indices(row) {
    const all = this.indicesOf(row);
    if (all.length < 2) return null;
    const chosen = this.indexOf(row);
    return h("div", { class: "cc-prompt__indices", role: "group", "aria-label": "Which image" }, ...all.map((index) => h("button", { type: "button", class: "cc-prompt__index", tabindex: "-1", "aria-pressed": String(index === chosen), "aria-label": `Image ${index}`, "data-image": index }, String(index))));
  }

  cell({ generator, item, index }, place, n) {
    const caption = h("span", { class: "cc-prompt__generator", title: generator }, generator);
    if (!item) return h("div", { class: "cc-prompt__cell" }, h("span", { class: "cc-no-picture cc-cell-none" }, `no image ${index ?? ""}`), caption);
    const current = place === this.current && n === this.column;
    const { params } = this.page.state;
    this.page.seen.add(item.item_id, shownBy(item, params));
    const other = item.fits === false;
    return h("a", { class: other ? "cc-prompt__cell is-other" : "cc-prompt__cell", title: other ? "Not among what the filters list" : null, href: opens(item, params), "data-item": item.item_id, "aria-current": item.item_id === this.page.drawer.id ? "true" : null, draggable: "false", tabindex: current ? "0" : "-1", "data-column": n, "aria-label": [`${generator}, image ${item.idx}`, other ? "not among what the filters list" : ""].filter(Boolean).join(", ") }, picture(item), caption, said(item, params));
  }

  // ---- keys and clicks ----

  get row() {
    return this.pageCache.get(this.current);
  }

  get item() {
    return this.row ? (this.columnsOf(this.row)[this.column]?.item ?? null) : null;
  }

  get meant() {
    return this.item ? [this.item] : [];
  }

  focus() {
    this.virtualList.reveal(this.current, this.page.above, this.page.below);
    const links = [...(this.virtualList.nodes.get(this.current)?.querySelectorAll("a[data-column]") ?? [])];
    (links.find((link) => Number(link.dataset.column) === this.column) ?? links[0])?.focus({ preventScroll: true });
  }

  /** The image in the drawer; "" for none. */
  mark(id) {
    for (const link of this.element.querySelectorAll("a[data-item]")) {
      if (link.dataset.item === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  focused(event) {
    const link = event.target.closest("a[data-column]");
    if (!link) return;
    for (const old of this.element.querySelectorAll('a[tabindex="0"]')) old.tabIndex = -1;
    link.tabIndex = 0;
    this.column = Number(link.dataset.column);
    this.current = Number(link.closest("[data-index]").dataset.index);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
    const screen = Math.max(1, Math.floor((window.innerHeight - this.page.above) / this.rowHeight));
    const rows = { ArrowUp: -1, ArrowDown: 1, PageUp: -screen, PageDown: screen, Home: -Infinity, End: Infinity };
    const sides = { ArrowLeft: -1, ArrowRight: 1 };
    const turns = { "[": -1, "]": 1 };
    if (event.key in rows) {
      this.current = Math.min(this.count - 1, Math.max(0, this.current + rows[event.key]));
      this.focus();
    } else if (event.key in sides && this.row) {
      this.column = Math.min(this.columnsOf(this.row).length - 1, Math.max(0, this.column + sides[event.key]));
      this.focus();
    } else if (event.key in turns && this.row) {
      const all = this.indicesOf(this.row);
      this.turn(all[Math.min(all.length - 1, Math.max(0, all.indexOf(this.indexOf(this.row)) + turns[event.key]))]);
    } else if (event.key === "Enter" && event.target.closest("a[data-column]") && this.item) {
      this.page.open(this.item, this.current);
    } else return;
    event.preventDefault();
  }

  /** Another image of every prompt. */
  turn(index) {
    this.index = index;
    const focused = this.element.contains(document.activeElement);
    this.redraw();
    if (focused) this.focus();
  }

  clicked(event) {
    const index = event.target.closest("[data-image]");
    if (index) return this.turn(Number(index.dataset.image));
    const link = event.target.closest("a[data-column]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
    event.preventDefault();
    link.focus({ preventScroll: true });
    return this.item ? this.page.open(this.item, this.current) : undefined;
  }
}
