// Browse: mount(root, {value, tell}). `value` is JSON of {query, version, choices}: what of the page's address can be followed, the
// project's version, and what the controls offer. From then on the address is the state, and `tell({query})` tells the page of it.

import { Api, detail } from "../api.js";
import { chips } from "./chips.js";
import { compare } from "./compare.js";
import { Grid } from "./grid.js";
import { help, listenToBrowseKeys } from "./keys.js";
import * as places from "./scroll_position.js";
import { PromptRows } from "./prompt_rows.js";
import { Facets } from "./facets.js";
import { State } from "./state.js";
import { ScoreHistogram } from "./score_histogram.js";
import { Tags } from "./tags.js";
import { Toolbar } from "./toolbar.js";
import { views } from "./views.js";
import { opens } from "./image_cell.js";
import { queue } from "../workbench/address.js";
import { Dialogs } from "../form/dialogs.js";
import { button, h } from "../dom.js";
import { at } from "../base_path.js";
import { Toast } from "../toast.js";

const DEFAULTS = { rater: "people", by: "correct", order: "prompt", show: "grid" };
const UNREACHABLE = "the app does not answer. Is it still running?";
const mounted = new WeakMap();

export function mount(root, { value, tell = () => {} }) {
  mounted.get(root)?.destroy();
  const browse = new Browse(root, tell);
  mounted.set(root, browse);
  browse.update(value);
  return browse;
}

class Browse {
  constructor(root, tell) {
    Object.assign(this, { root, tell, state: null, facetCounts: [], choices: {}, turn: 0 });
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.api = new Api(at("/api/"));
    this.dialogs = new Dialogs(root);
    this.tags = new Tags(this);
    this.facets = new Facets((name, value) => this.change((state) => state.toggle(name, value)));
    this.toolbar = new Toolbar(this);
    this.scoreHistogram = new ScoreHistogram(this);
    this.sentence = h("h2", { class: "cc-title cc-browse__sentence" }, "Browse");
    this.judge = h("a", { class: "cc-button cc-button--primary cc-browse__judge", hidden: true });
    this.chosen = h("div", { class: "cc-row cc-browse__chosen" });
    this.status = h("p", { class: "cc-note cc-browse__status", role: "status" });
    this.trouble = h("div", { class: "cc-browse__trouble", hidden: true });
    this.bar = h("div", { class: "cc-selection-bar", role: "group", "aria-label": "Selected images", hidden: true });
    this.message = new Toast();
    this.views = { grid: new Grid(this, signal), prompts: new PromptRows(this, signal) };
    this.place = h("div", { class: "cc-browse__list" }, this.views.grid.element);
    const main = h("div", { class: "cc-browse__main" }, this.toolbar.element, this.scoreHistogram.element, h("div", { class: "cc-row cc-browse__top" }, this.sentence, this.status, this.judge, this.chosen, this.toolbar.links), this.trouble, this.place);
    const skip = button("Skip to images", { kind: "skip" }, () => this.focusList());
    root.replaceChildren(h("div", { class: "cc-browse" }, skip, h("div", { class: "cc-browse__side" }, this.facets.element), main), this.bar, this.message.element);
    window.addEventListener("popstate", () => this.back(), { signal });
    listenToBrowseKeys(this, signal);
  }

  destroy() {
    this.controller.abort();
    this.root.replaceChildren();
  }

  // ---- the state ----

  update(value) {
    if (!value) return;
    const { query, version, choices } = JSON.parse(value);
    this.choices = choices;
    if (this.state === null) {
      this.version = version;
      this.state = new State(query);
      this.follow({ place: places.take(this.state.query) });
      return;
    }
    this.toolbar.show(this.allChoices);
    if (version === this.version) return;
    this.version = version;
    this.refresh();
  }

  /** Every change goes through here: the state, the address, then what is shown. While somebody types, one step back undoes it all. */
  change(how, { typing = false } = {}) {
    const before = this.state.query;
    how(this.state);
    if (this.state.query === before) return;
    const url = new URL(this.state.address, location.href);
    for (const [name, value] of new URLSearchParams(location.search)) if (name.startsWith("__")) url.searchParams.append(name, value);
    history[typing && this.isTyping ? "replaceState" : "pushState"](history.state, "", url);
    this.isTyping = typing;
    this.follow();
    this.tell({ query: this.state.query });
  }

  typed() {
    this.isTyping = false;
  }

  /** Back and forward. */
  back() {
    if (!this.root.isConnected) return this.destroy();
    if (this.state === null || location.pathname !== new URL(this.state.address, location.href).pathname) return undefined;
    const state = new State(location.search);
    if (state.query === this.state.query) return undefined;
    this.state = state;
    this.isTyping = false;
    this.toolbar.words.value = state.one("q"); // also where it has the focus
    this.follow();
    return this.tell({ query: this.state.query });
  }

  go(query) {
    this.change((state) => { state.params = new State(query).params; });
  }

  choose(name, value) {
    this.change((state) => {
      state.put(name, value === DEFAULTS[name] && !state.crossesOrMarks ? [] : [value]);
      if (name === "show" && value === "grid") for (const side of ["left", "right"]) state.put(side, []);
    });
  }

  type(text) {
    this.change((state) => state.put("q", [text]), { typing: true });
  }

  range(rater) {
    return this.state.range(rater);
  }

  setRange(rater, low, high, how) {
    this.change((state) => { state.setRange(rater, low, high); state.put("of", [rater]); }, how);
  }

  setOf(rater) {
    this.change((state) => state.put("of", [rater]));
  }

  /** The histogram of scores comes, or goes with its range. */
  showScores() {
    if (this.state.showsScores) return this.change((state) => { state.put("of", []); state.put("range", []); });
    return this.scored ? this.setOf(this.scored) : this.toast("No scorer has scored these images yet.");
  }

  /** What stands over the list while the page is scrolled. */
  get above() {
    return getComputedStyle(this.toolbar.element).position === "sticky" ? this.toolbar.element.offsetHeight + 8 : 8;
  }

  /** What the line of actions covers at the bottom of the window. */
  get below() {
    return this.bar.hidden ? 0 : this.bar.offsetHeight + 24;
  }

  get view() {
    return this.views[this.state?.one("show") === "prompts" ? "prompts" : "grid"];
  }

  get allChoices() {
    return { ...this.choices, generators: this.generators ?? this.choices.generators ?? [] };
  }

  // ---- what is shown ----

  /** Everything of another state. */
  follow({ place = null } = {}) {
    this.turn += 1;
    this.generators = null;
    this.toolbar.show(this.allChoices);
    if (this.scoreHistogram.of) this.scoreHistogram.place();
    this.trouble.hidden = true;
    if (this.place.firstChild !== this.view.element) this.place.replaceChildren(this.view.element);
    this.root.firstChild.classList.add("is-loading");
    this.sum();
    const loaded = this.view.load(place?.index ?? 0);
    if (place) loaded.then(() => this.restore(place));
  }

  /** The same state of a project that has moved. */
  refresh() {
    this.turn += 1;
    this.sum();
    this.view.refresh();
  }

  restore({ index, scroll, chosen = [] }) {
    if (this.view === this.views.grid) for (const item of chosen) this.views.grid.chosen.set(item.item_id, item);
    this.view.current = Math.min(index, Math.max(0, this.view.count - 1));
    this.view.redraw();
    window.scrollTo({ top: scroll, behavior: "instant" });
    this.view.focus();
    this.chose();
  }

  /** The facets' counts, the sentence, and the histogram of scores. */
  async sum() {
    const { turn } = this;
    this.facets.wait(true);
    const of = this.state.one("of") || this.state.all("range").map((value) => value.slice(0, value.lastIndexOf(":")))[0] || "";
    const [facets, strip] = await Promise.all([this.api.get(`studio/facets?${this.state.asking()}`), this.api.get(`studio/strip?${this.state.asking(of ? { of } : {})}`)]);
    if (turn !== this.turn || this.controller.signal.aborted) return;
    this.facets.wait(false);
    if (facets.outcome === "ok") {
      this.facetCounts = facets.data.facets;
      this.sentence.textContent = facets.data.sentence;
      this.total = facets.data.total;
      this.behind = facets.data.behind ?? 0;
      if (this.view.pageCache.total === 0) this.told(null);
      this.facets.show(this.facetCounts, this.state.choices.length);
    }
    this.scored = strip.outcome === "ok" ? strip.data.of : null;
    this.scoreHistogram.show(this.scored && this.state.showsScores ? strip.data : null);
    this.offerJudging();
    const list = chips(this.state, this.facetCounts, (name, value) => this.change((state) => state.put(name, state.all(name).filter((one) => one !== value))), () => this.change((state) => state.clear()));
    const focused = this.chosen.contains(document.activeElement);
    this.chosen.replaceChildren(...list);
    if (focused) (this.chosen.querySelector("button") ?? this.toolbar.words).focus();
  }

  /** A queue of what is listed, where that is a disagreement and has no verdict yet. */
  offerJudging() {
    const { state } = this;
    const decided = this.facetCounts.find(({ name }) => name === "verdict");
    const open = decided ? (decided.values.find(({ value }) => value === "none")?.n ?? 0) : this.total;
    const only = state.all("verdict");
    this.judge.hidden = !state.disagrees || !open || (only.length > 0 && !only.includes("none"));
    this.judge.href = queue(state.params);
    this.judge.textContent = open === 1 ? "Judge this one" : `Judge these ${open.toLocaleString("en")}`;
    this.judge.title = "One disagreement after the other on the Workbench: a key says who is wrong";
  }

  /** One page of a list; throws what is wrong in words. */
  async fetchPage(route, page, rows, more = {}) {
    const { outcome, status, data } = await this.api.get(`studio/${route}?${this.state.asking({ page, ...more })}`);
    if (outcome === "unreachable") throw new Error(UNREACHABLE);
    if (outcome !== "ok") throw Object.assign(new Error(detail(data, "the app refused.")), { status });
    this.alike = data.alike ?? this.alike;
    return { rows: data[rows], total: data.total, size: data.size, data };
  }

  knows(generators) {
    this.generators = generators.length ? generators : null;
    this.toolbar.show(this.allChoices);
  }

  /** A page of the list has come, or has not. */
  told(error) {
    this.root.firstChild.classList.remove("is-loading");
    const total = this.view.pageCache.total ?? 0;
    this.trouble.hidden = !error && total > 0;
    if (error) {
      this.status.textContent = "";
      // without embeddings nothing is like anything: trying again does not help before a scorer has looked
      const like = Boolean(this.state.one("like")) && error.status === 409;
      const again = like ? button("Show all images", { kind: "primary" }, () => this.change((state) => state.put("like", []))) : button("Try again", { kind: "primary" }, () => this.follow());
      this.trouble.replaceChildren(h("p", { class: like ? "cc-note" : "cc-note cc-bad" }, like ? error.message : `The images could not be listed: ${error.message}`), again);
      return;
    }
    this.count();
    if (total === 0) this.trouble.replaceChildren(...(this.state.restricts ? this.nothing() : this.teach()));
  }

  count(note = "") {
    const total = this.view.pageCache.total ?? 0;
    const what = this.view === this.views.grid ? "image" : "prompt";
    const told = total === 0 ? "" : `${total.toLocaleString("en")} ${what}${total === 1 ? "" : "s"}`;
    const chosen = this.views.grid.chosen.size;
    // the sentence counts images already: here it is for who listens
    this.status.classList.toggle("is-spoken", this.view === this.views.grid && !chosen && !note);
    this.status.textContent = [told, this.view === this.views.grid && chosen ? `${chosen.toLocaleString("en")} chosen` : "", note].filter(Boolean).join(" · ");
  }

  nothing() {
    if (this.state.choices.length === 0) return [h("p", { class: "cc-note" }, "No images.")];
    const clear = button("Clear all", { kind: "primary" }, () => this.change((state) => state.clear()));
    return [h("p", { class: "cc-note" }, "No image matches all these filters. Remove one with its ×, or remove all."), clear];
  }

  teach() {
    if (this.behind) return [h("p", { class: "cc-note" }, `Browse is counting ${this.behind.toLocaleString("en")} images. They appear in a moment.`)];
    return [h("p", { class: "cc-note" }, "There are no images in this project yet. ", h("a", { href: at("/studio/") }, "Overview explains how to import some"), ".")];
  }

  // ---- what the person does ----

  act(action) {
    if (!this.state) return false;
    const actions = {
      tag: () => this.tags.open(this.view.meant),
      undo: () => this.tags.undo(),
      like: () => this.like(),
      compare: () => this.compare(),
      search: () => { this.toolbar.words.focus(); this.toolbar.words.select(); },
      help: () => help(this),
      enter: () => this.focusList(),
      leave: () => this.views.grid.letGo(),
    };
    if (action === "leave" && this.views.grid.chosen.size === 0) return false;
    actions[action]();
    return true;
  }

  help() {
    help(this);
  }

  openViews() {
    views(this);
  }

  focusList() {
    this.view.focus();
  }

  open(item, index) {
    const chosen = [...this.views.grid.chosen.values()];
    places.keep({ query: this.state.query, index, scroll: window.scrollY, chosen });
    location.assign(opens(item, this.state.params));
  }

  async compare() {
    const chosen = this.view === this.views.grid ? [...this.views.grid.chosen.values()] : [];
    if (chosen.length >= 2) return compare(this, { title: chosen.length === 2 ? "Two images" : `${chosen.length} images`, items: chosen });
    const item = this.view.meant[0];
    if (!item) return this.toast("Choose an image first: arrows move, Space chooses.");
    const asked = new URLSearchParams({ q: item.text ?? item.item_id });
    for (const name of ["suite", "task"]) if (item[name]) asked.set(name, item[name]);
    for (const name of ["rater", "by"]) if (this.state.one(name)) asked.set(name, this.state.one(name));
    const { outcome, data } = await this.api.get(`studio/rows?${asked}`);
    if (outcome !== "ok") return this.toast(`The prompt's images could not be listed: ${outcome === "unreachable" ? UNREACHABLE : detail(data, "the app refused.")}`);
    const row = data.rows.find(({ cells }) => Object.values(cells).flat().some((one) => one.item_id === item.item_id));
    const items = row ? Object.values(row.cells).flat() : [];
    const left = items.findIndex((one) => one.item_id === item.item_id);
    if (items.length < 2) return this.toast("This prompt has one image only: there is nothing to compare it with. Choose two images with Space.");
    const same = items.findIndex((one, n) => n !== left && one.idx === item.idx);
    return compare(this, { title: row.text ?? row.prompt_id, items, left, right: same >= 0 ? same : Number(left === 0) });
  }

  /** Only images that a model sees like the one that is meant. */
  like() {
    const [item] = this.view.meant;
    if (!item) return this.toast("Choose an image first: arrows move, Space chooses.");
    if (this.alike === false) return this.toast("No image has an embedding yet: CLIPScore keeps one of each image that it looks at.");
    this.views.grid.letGo();
    return this.change((state) => { state.clear(); state.put("like", [item.item_id]); });
  }

  changedTags(ids, tag, on) {
    const changed = new Set(ids);
    const lists = [[...this.views.grid.pageCache.known()].map(([, item]) => item), [...this.views.prompts.pageCache.known()].flatMap(([, row]) => Object.values(row.cells).flat()), [...this.views.grid.chosen.values()]];
    for (const item of new Set(lists.flat())) {
      if (changed.has(item.item_id)) item.tags = on ? [...new Set([...(item.tags ?? []), tag])].sort() : (item.tags ?? []).filter((one) => one !== tag);
    }
    this.view.redraw();
    this.turn += 1;
    this.sum();
  }

  chose(note = "") {
    const { size } = this.views.grid.chosen;
    this.count(note);
    this.bar.hidden = size === 0;
    if (size === 0) return;
    const actions = [button("Tag", { key: "t", kind: "primary" }, () => this.act("tag")), button("Compare", { key: "x", disabled: size < 2 }, () => this.compare()), ...(this.alike === false ? [] : [button("More like this", { key: "l", disabled: size > 1 }, () => this.act("like"))]), button("Let go", { key: "Esc", kind: "quiet" }, () => this.act("leave"))];
    this.bar.replaceChildren(h("strong", {}, `${size.toLocaleString("en")} chosen`), ...actions);
  }

  toast(text, undo = null) {
    this.message.show(text, undo);
  }

  async copy(by) {
    const text = new URL(this.state.address, location.href).href;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // browsers keep the clipboard from pages without HTTPS
      const field = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
      field.select();
      document.execCommand("copy");
      field.remove();
      by.focus();
    }
    this.toast("Link copied: everybody with access to this project sees the same view.");
  }
}
