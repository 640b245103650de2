// The grid: images of any number, by mouse and by keyboard. Choosing is by id, so that it lasts when the order changes.

import { h } from "../dom.js";
import { cell, shownBy, verdictLines, waiting } from "./image_cell.js";
import { PageCache } from "./page_cache.js";
import { VirtualList } from "./virtual_list.js";

const GAP = 12;
const NARROWEST = 168; // px of a cell
const BESIDE = 3; // columns beside an open drawer
const TOGETHER = 600; // so many are chosen by one movement at most
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: "-row", ArrowDown: "+row", PageUp: "-page", PageDown: "+page", Home: "first", End: "last" };

export class Grid {
  /** `page` has state, fetchPage(route, n), told(error), chose(), open(item, index), above (px that stand over the list). */
  constructor(page, signal) {
    this.page = page;
    this.current = 0;
    this.anchor = null;
    this.chosen = new Map();
    this.before = new Map();
    this.has = {};
    this.gap = GAP;
    this.pageCache = new PageCache((n) => page.fetchPage("items", n, "items"), (error) => this.came(error));
    this.element = h("div", { class: "cc-virtual", role: "listbox", "aria-multiselectable": "true", "aria-label": "Images", "aria-busy": "true" });
    this.virtualList = new VirtualList(this.element, this, signal);
    // pressing moves the focus: where it was before is where Shift and a click begin
    this.element.addEventListener("pointerdown", () => { this.begin = this.current; });
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("focusin", (event) => this.focused(event));
    this.element.addEventListener("pointerover", (event) => page.drawer.expect(event.target.closest("[data-item]")?.dataset.item));
  }

  // ---- what the virtual list asks ----

  get count() {
    return this.pageCache.total ?? 0;
  }

  get columns() {
    const width = this.element.clientWidth;
    if (this.page.drawer.isOpen) return Math.max(1, Math.min(BESIDE, Math.floor((width + GAP) / (110 + GAP))));
    return Math.max(1, Math.floor((width + GAP) / (Math.min(NARROWEST, width / 2 - GAP) + GAP)));
  }

  /** A square picture and room for text: all rows are alike, so that the scrollbar is of honest length. */
  get rowHeight() {
    const width = (this.element.clientWidth - (this.columns - 1) * GAP) / this.columns;
    return Math.round(width) + this.room + GAP;
  }

  get room() {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const lines = 1.4 * (this.has.said ?? 0) + (this.has.reason ? 2.2 : 0) + (this.has.tags ? 1.4 : 0);
    // two lines of the prompt, and where it comes from, which the drawer says while it is open
    return Math.round(((this.page.drawer.isOpen ? 2.7 : 4) + 1.1 * lines) * rem);
  }

  draw(index) {
    const item = this.pageCache.get(index);
    const current = index === this.current;
    if (!item) return this.virtualList.nodes.get(index)?.dataset.waiting === undefined ? waiting(index, current) : this.virtualList.nodes.get(index);
    this.page.seen.add(item.item_id, shownBy(item, this.page.state.params));
    return cell(item, { listing: this.page.state.params, index, total: this.count, chosen: this.chosen.has(item.item_id), current, open: item.item_id === this.page.drawer.id });
  }

  need(first, last) {
    return this.pageCache.need(first, last);
  }

  // ---- what is listed ----

  /** Another listing; `place` is where to stand in it. */
  load(place = 0) {
    this.pageCache.reset();
    this.virtualList.clear();
    this.current = place;
    this.anchor = null;
    this.has = {};
    this.element.setAttribute("aria-busy", "true");
    return this.pageCache.page(Math.floor(place / this.pageCache.size));
  }

  /** The same listing of a project that has moved. */
  refresh() {
    this.pageCache.age();
    if (this.count === 0) this.pageCache.page(0); // nothing is near the window that would be fetched anew
    else this.virtualList.soon();
  }

  came(error) {
    this.element.setAttribute("aria-busy", "false");
    if (!error) {
      this.current = Math.min(this.current, Math.max(0, this.count - 1));
      this.virtualList.steady(() => this.look());
      for (const [, item] of this.pageCache.known()) if (this.chosen.has(item.item_id)) this.chosen.set(item.item_id, item);
    }
    this.virtualList.render({ anew: true });
    this.page.told(error);
  }

  redraw() {
    this.virtualList.steady(() => this.look());
    this.virtualList.render({ anew: true });
  }

  /** Which lines there are at all: a listing makes room for them once one image has them. */
  look() {
    if (this.lookedBeside !== this.page.drawer.isOpen) this.has = {};
    this.lookedBeside = this.page.drawer.isOpen;
    const width = this.element.clientWidth / this.columns - GAP;
    for (const [, item] of this.pageCache.known()) {
      this.has.said = Math.max(this.has.said ?? 0, verdictLines(item, this.page.state.params, width));
      this.has.reason ||= Boolean(item.reason);
      this.has.tags ||= item.tags?.length > 0;
    }
  }

  // ---- where one stands, and what is chosen ----

  get item() {
    return this.pageCache.get(this.current);
  }

  /** What an action is about: the chosen, or the one with the focus. */
  get meant() {
    if (this.chosen.size) return [...this.chosen.values()];
    return this.item ? [this.item] : [];
  }

  focus() {
    this.virtualList.reveal(this.current, this.page.above, this.page.below);
    this.virtualList.nodes.get(this.current)?.focus({ preventScroll: true });
  }

  /** The image in the drawer, at `index` where that is known; "" for none. */
  mark(id, index = null) {
    for (const node of this.virtualList.nodes.values()) {
      if (node.dataset.item === id) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
    }
    if (index === null || index >= this.count) return;
    this.stand(index);
    this.virtualList.reveal(index, this.page.above, this.page.below);
  }

  focused(event) {
    const index = Number(event.target.closest("[data-index]")?.dataset.index);
    if (Number.isInteger(index) && index !== this.current) this.stand(index);
  }

  stand(index) {
    const old = this.virtualList.nodes.get(this.current);
    if (old) old.tabIndex = -1;
    this.current = index;
    const now = this.virtualList.nodes.get(index);
    if (now) now.tabIndex = 0;
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") {
      event.preventDefault();
      this.toggle(this.current);
    } else if (event.key === "Enter" && this.item) {
      event.preventDefault();
      this.page.open(this.item, this.current);
    } else if (event.key in STEPS) {
      event.preventDefault();
      this.move(STEPS[event.key], event.shiftKey);
    }
  }

  move(step, extend = false) {
    const row = this.columns;
    const screen = Math.max(1, Math.floor((window.innerHeight - this.page.above) / this.rowHeight)) * row;
    const jumps = { "-row": -row, "+row": row, "-page": -screen, "+page": screen };
    const last = this.count - 1;
    let to = step === "first" ? 0 : step === "last" ? last : this.current + (jumps[step] ?? step);
    if (to > last && step === "+row" && Math.floor(this.current / row) < Math.floor(last / row)) to = last;
    if (to < 0 || to > last) to = typeof step === "string" && step.endsWith("page") ? Math.min(Math.max(to, 0), last) : this.current;
    if (extend) this.extend(to);
    else this.anchor = null;
    this.stand(to);
    this.focus();
  }

  toggle(index) {
    const item = this.pageCache.get(index);
    if (!item) return;
    if (!this.chosen.delete(item.item_id)) this.chosen.set(item.item_id, item);
    this.anchor = null;
    this.choseChanged();
  }

  /** Everything between where the choosing began and `to`, on top of what was chosen before. */
  async extend(to, from = this.current) {
    if (this.anchor === null) {
      this.anchor = from;
      this.before = new Map(this.chosen);
    }
    const turn = (this.extending = (this.extending ?? 0) + 1);
    const [first, last] = [Math.min(this.anchor, to), Math.max(this.anchor, to)];
    const end = Math.min(last, first + TOGETHER - 1);
    const missing = Array.from({ length: end - first + 1 }, (_, k) => first + k).some((index) => !this.pageCache.get(index));
    if (missing) await this.need(first, end);
    if (turn !== this.extending || this.anchor === null) return;
    this.chosen = new Map(this.before);
    for (let index = first; index <= end; index += 1) {
      const item = this.pageCache.get(index);
      if (item) this.chosen.set(item.item_id, item);
    }
    this.choseChanged(end < last ? `You can select at most ${TOGETHER} images at once.` : "");
  }

  letGo() {
    this.chosen.clear();
    this.anchor = null;
    this.choseChanged();
  }

  choseChanged(note = "") {
    for (const [index, node] of this.virtualList.nodes) {
      const item = this.pageCache.get(index);
      if (item) node.setAttribute("aria-selected", String(this.chosen.has(item.item_id)));
    }
    this.page.chose(note);
  }

  clicked(event) {
    const node = event.target.closest("[data-index]");
    if (!node || event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const index = Number(node.dataset.index);
    if (event.shiftKey) {
      this.extend(index, this.begin);
      this.stand(index);
      node.focus({ preventScroll: true });
    } else if (event.target.closest("[data-tick]")) {
      this.stand(index);
      this.toggle(index);
      node.focus({ preventScroll: true });
    } else if (this.pageCache.get(index)) {
      this.stand(index);
      this.page.open(this.pageCache.get(index), index);
    }
  }
}
