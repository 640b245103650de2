// Images: mount(root, {poll}) where poll is what live_updates.js is to ask for. The address is the state: what is listed, how it is
// shown, whether answers are hidden (`blind`), and the image in the drawer (`image`). A route says what of it the project follows.

import { Api, detail } from "../api.js";
import { chips } from "./chips.js";
import { compare } from "./compare.js";
import { Grid } from "./grid.js";
import { help, listenToImagesKeys } from "./keys.js";
import { Lead } from "./lead.js";
import { MapView } from "./map_view.js";
import { PromptRows } from "./prompt_rows.js";
import { Facets } from "./facets.js";
import { State } from "./state.js";
import { SeenImages } from "./seen_images.js";
import { ScoreHistogram } from "./score_histogram.js";
import { Tags } from "./tags.js";
import { Toolbar } from "./toolbar.js";
import { views } from "./views.js";
import { LISTING, parse } from "../drawer/address.js";
import { Drawer } from "../drawer/drawer.js";
import { Dialogs } from "../form/dialogs.js";
import { follow } from "../live_updates.js";
import { listenToScopeBar } from "../place/scope_bar.js";
import { button, h } from "../dom.js";
import { at } from "../base_path.js";
import { copyText } from "../clipboard.js";
import { Toast } from "../toast.js";

const MOST_IN_A_CAMPAIGN = 400; // an address says so many
const DEFAULTS = { rater: "people", by: "correct", order: "prompt", show: "grid" };
const UNREACHABLE = "the app does not answer. Is it still running?";
const mounted = new WeakMap();

export function mount(root, { poll }) {
  mounted.get(root)?.destroy();
  const images = new Images(root, poll);
  mounted.set(root, images);
  images.begin();
  return images;
}

class Images {
  constructor(root, poll) {
    Object.assign(this, { root, state: null, facetCounts: [], choices: {}, turn: 0, version: "", inScope: 0, openedHere: false, isLoading: true, early: [] });
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.api = new Api(at("/api/"));
    this.dialogs = new Dialogs(root);
    this.tags = new Tags(this);
    this.scoreHistogram = new ScoreHistogram(this);
    this.facets = new Facets(this.scoreHistogram.element, (name, value) => this.change((state) => state.toggle(name, value)));
    this.toolbar = new Toolbar(this);
    this.lead = new Lead(this);
    this.scope = h("div", { class: "cc-scope-place" });
    this.lost = h("div", { id: "ignored" });
    this.restriction = h("div", { id: "crossing" });
    this.chosen = h("div", { class: "cc-row cc-images__chosen" });
    this.status = h("p", { class: "cc-note cc-images__status", role: "status" });
    this.trouble = h("div", { class: "cc-images__trouble", hidden: true });
    this.bar = h("div", { class: "cc-selection-bar", role: "group", "aria-label": "Selected images", hidden: true });
    this.message = new Toast();
    this.views = { grid: new Grid(this, signal), prompts: new PromptRows(this, signal), map: new MapView(this, signal) };
    this.place = h("div", { class: "cc-images__list" }, this.views.grid.element);
    this.missing = h("footer", {});
    this.seen = new SeenImages(signal);
    this.drawer = new Drawer(this, signal);
    const main = h("div", { class: "cc-images__main" }, this.lost, this.restriction, this.lead.element, this.toolbar.element, this.chosen, this.status, this.trouble, this.place, this.missing);
    const skip = button("Skip to images", { kind: "skip" }, () => this.focusList());
    this.frame = h("div", { class: "cc-images is-loading" }, h("div", { class: "cc-images__side" }, this.facets.element), main);
    root.replaceChildren(skip, this.scope, this.frame, this.drawer.element, this.bar, this.message.element);
    window.addEventListener("popstate", () => this.back(), { signal });
    for (const links of [this.scope, this.restriction]) listenToScopeBar(links, at("/studio/images"), (url) => this.go(url.search, links.dataset.query));
    listenToImagesKeys(this, signal);
    follow(root, { ...poll, signal, shown: () => this.version, moved: () => this.moved(), gone: () => this.destroy() });
  }

  destroy() {
    this.drawer.destroy();
    this.controller.abort();
    this.root.replaceChildren();
  }

  // ---- the state ----

  /** What the address asks for, as far as the project follows it. */
  async begin() {
    const { id, listing } = parse(location.search);
    this.toolbar.layOut(listing);
    if (id) this.drawer.open(id, new State(location.search).params);
    this.frame.classList.toggle("has-drawer", Boolean(id));
    const answer = await this.ask(location.search);
    if (this.controller.signal.aborted) return undefined;
    if (answer.outcome !== "ok") {
      // without the route the address is followed as it is
      this.state = new State(location.search);
      this.told(this.failure(answer.outcome, answer.data));
      return undefined;
    }
    this.state = new State(answer.data.query);
    this.show(answer.data);
    if (id) this.drawer.relist(this.state.params);
    for (const change of this.early.splice(0)) change();
    await this.follow();
    const place = this.drawer.neighbours?.place;
    if (this.drawer.isOpen && place) this.view.mark(this.drawer.id, place - 1);
    return undefined;
  }

  ask(query) {
    return this.api.get(`studio/images?${new URLSearchParams(query)}`);
  }

  show({ scope, lost, restriction, choices, missing, version, all }) {
    this.version = version;
    this.choices = choices;
    this.inScope = all;
    // made and escaped by the server; a menu that somebody has open stays
    if (!this.scope.querySelector(":popover-open")) this.link(this.scope, scope);
    this.lost.innerHTML = lost;
    this.link(this.restriction, restriction);
    if (this.missing.innerHTML !== missing) this.missing.innerHTML = missing;
    this.toolbar.show(this.allChoices);
    this.lead.draw();
    this.keepOrder();
  }

  /** An order that would sort nothing, as its scorer is not chosen any more, gives way to the usual one, and says so. */
  keepOrder() {
    const [, words, missing] = this.choices.order?.find(([one]) => one === this.state?.one("order")) ?? [];
    if (!missing) return;
    this.state.put("order", []);
    history.replaceState(history.state, "", this.address);
    this.follow();
    this.drawer.relist(this.state.params);
    this.toast(`Sorted by prompt: “${words}” would sort nothing here (${missing}).`);
  }

  /** Show links that the server drew for the state as it is now. */
  link(element, html) {
    element.innerHTML = html;
    element.dataset.query = this.state?.query ?? location.search;
  }

  /** Scope, sentence and choices of the state as it is now; what of the address was lost when it was opened stays said. */
  async rescope() {
    const { turn } = this;
    const { outcome, data } = await this.ask(this.state.query);
    if (turn === this.turn && outcome === "ok") this.show({ ...data, lost: this.lost.innerHTML });
  }

  async moved() {
    if (!this.state) return;
    const { turn } = this;
    const { outcome, data } = await this.ask(this.state.query);
    if (turn !== this.turn || outcome !== "ok") return;
    this.show({ ...data, lost: this.lost.innerHTML });
    this.refresh();
    this.drawer.lookAgain();
  }

  /** The address of this state, with the image in the drawer. */
  get address() {
    const url = new URL(this.state.address, location.href);
    if (this.drawer.id) url.searchParams.set("image", this.drawer.id);
    for (const [name, value] of new URLSearchParams(location.search)) if (name.startsWith("__")) url.searchParams.append(name, value);
    return url;
  }

  /** Every change goes through here: the state, the address, then what is shown. While somebody types, one step back undoes it all. */
  change(how, { typing = false } = {}) {
    // the toolbar is there before the server has said what of the address it follows
    if (!this.state) return this.early.push(() => this.change(how, { typing }));
    const before = this.state.query;
    how(this.state);
    if (this.state.query === before) return undefined;
    history[typing && this.isTyping ? "replaceState" : "pushState"](history.state, "", this.address);
    this.isTyping = typing;
    this.openedHere = false;
    this.lost.replaceChildren();
    this.follow();
    this.rescope();
    this.drawer.relist(this.state.params);
  }

  typed() {
    this.isTyping = false;
  }

  /** Back and forward. */
  back() {
    if (!this.root.isConnected) return this.destroy();
    if (this.state === null || location.pathname !== at("/studio/images")) return undefined;
    const { id } = parse(location.search);
    const state = new State(location.search);
    if (state.query !== this.state.query) {
      this.state = state;
      this.isTyping = false;
      this.toolbar.words.value = state.one("q"); // also where it has the focus
      this.follow();
      this.rescope();
    }
    if (id === this.drawer.id) return undefined;
    this.openedHere = false;
    return id ? this.showImage(id) : this.closed();
  }

  /** Change what a link changes of the state `drawn` that it was drawn for: what was chosen since stays. */
  go(query, drawn) {
    const [to, from] = [new State(query), new State(drawn)];
    const changed = LISTING.filter((name) => to.all(name).join("\n") !== from.all(name).join("\n"));
    this.change((state) => { for (const name of changed) state.put(name, to.all(name)); });
  }

  choose(name, value) {
    this.change((state) => {
      state.put(name, value === DEFAULTS[name] && !state.crossesOrMarks ? [] : [value]);
      if (name === "show" && value !== "prompts") for (const side of ["left", "right"]) state.put(side, []);
    });
  }

  /** Blind mode: nothing of what people and scorers say is shown until one has answered. */
  setBlind(on) {
    this.change((state) => state.setBlind(on));
    this.toast(on ? "Blind mode: answers, scores and verdicts are hidden until you have answered." : "Blind mode is off.");
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

  /** What stands over the list while the page is scrolled. */
  get above() {
    return this.scope.getBoundingClientRect().bottom + 8;
  }

  /** What the line of actions covers at the bottom of the window. */
  get below() {
    return this.bar.hidden ? 8 : this.bar.offsetHeight + 24;
  }

  get view() {
    return this.views[this.state?.one("show")] ?? this.views.grid;
  }

  get allChoices() {
    return { ...this.choices, generators: this.generators ?? this.choices.generators ?? [] };
  }

  // ---- what is shown ----

  /** Everything of another state. */
  follow() {
    this.turn += 1;
    this.generators = null;
    this.toolbar.show(this.allChoices);
    if (this.scoreHistogram.of) this.scoreHistogram.place();
    this.trouble.hidden = true;
    if (this.place.firstChild !== this.view.element) this.place.replaceChildren(this.view.element);
    this.isLoading = true;
    this.frame.classList.add("is-loading");
    this.sum();
    return this.view.load(0);
  }

  /** The same state of a project that has moved. */
  refresh() {
    this.turn += 1;
    this.sum();
    this.view.refresh();
  }

  /** The facets' counts, the sentence, and the histogram of scores. */
  async sum() {
    const { turn } = this;
    this.facets.wait(true);
    const of = this.state.one("of") || this.state.all("range").map((value) => value.slice(0, value.lastIndexOf(":")))[0] || "";
    const asked = [this.api.get(`studio/facets?${this.state.asking()}`)];
    if (!this.state.isBlind) asked.push(this.api.get(`studio/strip?${this.state.asking(of ? { of } : {})}`));
    const [facets, strip] = await Promise.all(asked);
    if (turn !== this.turn || this.controller.signal.aborted) return;
    this.facets.wait(false);
    if (facets.outcome === "ok") {
      this.facetCounts = facets.data.facets;
      this.total = facets.data.total;
      this.behind = facets.data.behind ?? 0;
      // an empty list says why, by the newest counts; one that has not come yet says nothing
      if (this.view.count === 0 && !this.isLoading) this.told(null);
      this.facets.show(this.facetCounts, this.state.choices.length);
      this.lead.draw(facets.data.sentence);
    }
    this.scoreHistogram.show(strip?.outcome === "ok" ? strip.data : null);
    const list = chips(this.state, this.facetCounts, (name, value) => this.change((state) => state.put(name, state.all(name).filter((one) => one !== value))), () => this.change((state) => state.clear()));
    const focused = this.chosen.contains(document.activeElement);
    this.chosen.replaceChildren(...list);
    if (focused) (this.chosen.querySelector("button") ?? this.toolbar.words).focus();
    this.drawer.count();
  }

  /** How many of what is listed have no verdict of who is wrong yet. */
  get unjudged() {
    const decided = this.facetCounts.find(({ name }) => name === "verdict");
    return decided ? (decided.values.find(({ value }) => value === "none")?.n ?? 0) : (this.total ?? 0);
  }

  /** Open the first of what is listed that has no verdict yet. */
  async judgeAll() {
    const asked = new State(this.state.query);
    asked.put("verdict", ["none"]);
    const { outcome, data } = await this.api.get(`studio/items?${asked.asking()}`);
    const first = outcome === "ok" ? data.items[0] : null;
    if (!first) return this.toast("Every image of this selection has been judged.");
    return this.open(first);
  }

  /** Why a route did not answer, as an Error. */
  failure(outcome, data) {
    return new Error(outcome === "unreachable" ? UNREACHABLE : detail(data, "the app refused."));
  }

  /** One page of a list; throws what is wrong in words. */
  async fetchPage(route, page, rows, more = {}) {
    const { outcome, status, data } = await this.api.get(`studio/${route}?${this.state.asking({ page, ...more })}`);
    if (outcome !== "ok") throw Object.assign(this.failure(outcome, data), { status });
    this.alike = data.alike ?? this.alike;
    return { rows: data[rows], total: data.total, size: data.size, data };
  }

  knows(generators) {
    this.generators = generators.length ? generators : null;
    this.toolbar.show(this.allChoices);
  }

  /** A page of the list has come, or has not. */
  told(error) {
    this.isLoading = false;
    this.frame.classList.remove("is-loading");
    const total = this.view.count;
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
    const total = this.view.count;
    const what = this.view === this.views.prompts ? "prompt" : "image";
    const told = total === 0 ? "" : `${total.toLocaleString("en")} ${what}${total === 1 ? "" : "s"}`;
    const chosen = this.views.grid.chosen.size;
    // the sentence counts images already: here it is for who listens
    this.status.classList.toggle("is-spoken", what === "image" && !chosen && !note);
    this.status.textContent = [told, this.view === this.views.grid && chosen ? `${chosen.toLocaleString("en")} chosen` : "", note].filter(Boolean).join(" · ");
  }

  nothing() {
    if (this.state.choices.length === 0) return [h("p", { class: "cc-note" }, "No images.")];
    const clear = button("Clear all", { kind: "primary" }, () => this.change((state) => state.clear()));
    return [h("p", { class: "cc-note" }, "No image matches all these filters. Remove one with its ×, or remove all."), clear];
  }

  teach() {
    if (this.behind) return [h("p", { class: "cc-note" }, `Concord is counting ${this.behind.toLocaleString("en")} images. They appear in a moment.`)];
    return [h("p", { class: "cc-note" }, "There are no images in this project yet. ", h("a", { href: at("/studio/add") }, "Add some"), ".")];
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
      judge: () => this.judgeAll(),
      enter: () => this.focusList(),
      leave: () => this.views.grid.letGo(),
    };
    if (action === "leave" && this.views.grid.chosen.size === 0) return false;
    if (action === "judge" && this.lead.judge.hidden) return false;
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

  // ---- the drawer ----

  /** An image in the drawer, and its place in the address. */
  open(item) {
    const closed = !this.drawer.id;
    if (item.item_id === this.drawer.id) return this.drawer.focus();
    this.showImage(item.item_id, { focus: true });
    history[closed ? "pushState" : "replaceState"](history.state, "", this.address);
    if (closed) this.openedHere = true;
    return undefined;
  }

  /** A verdict was given or taken back: the counts follow, and the images where the listing is of verdicts. */
  judged() {
    this.turn += 1;
    this.sum();
    if (this.state.params.has("verdict")) this.view.refresh();
  }

  showImage(id, { focus = false } = {}) {
    const opening = !this.drawer.isOpen;
    this.frame.classList.add("has-drawer");
    this.drawer.open(id, this.state.params, { focus });
    if (opening) this.view.redraw();
    this.view.mark(id);
  }

  /** The drawer goes on to another image of the listing, the one at `place` (from 1; null: of none). */
  walked(id, place) {
    if (!this.state) return; // the address of the beginning is followed still
    history.replaceState(history.state, "", this.address);
    this.view.mark(id, place === null ? null : place - 1);
  }

  close() {
    // back to the address from before it was opened, so that Back does not open it again
    if (this.openedHere) return history.back();
    this.closed();
    history.replaceState(history.state, "", this.address);
    return undefined;
  }

  closed() {
    const { id } = this.drawer;
    this.openedHere = false;
    this.drawer.close();
    this.frame.classList.remove("has-drawer");
    this.view.redraw();
    this.view.mark("");
    requestAnimationFrame(() => this.view.focus(id));
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
    const actions = [button("Tag", { key: "t", kind: "primary" }, () => this.act("tag")), button("Compare", { key: "x", disabled: size < 2 }, () => this.compare()), ...(this.alike === false ? [] : [button("More like this", { key: "l", disabled: size > 1 }, () => this.act("like"))]), button("In a campaign", { disabled: size > MOST_IN_A_CAMPAIGN }, () => this.inCampaign()), button("Let go", { key: "Esc", kind: "quiet" }, () => this.act("leave"))];
    this.bar.replaceChildren(h("strong", {}, `${size.toLocaleString("en")} chosen`), ...actions);
  }

  /** A new campaign of the chosen images, which its address lists. */
  inCampaign() {
    const query = new URLSearchParams([...this.views.grid.chosen.values()].map((item) => ["item", item.item_id]));
    location.href = at(`/studio/people/new?${query}`);
  }

  toast(text, undo = null) {
    this.message.show(text, undo);
  }

  async copy(by) {
    await copyText(this.address.href, by);
    this.toast("Link copied: everybody with access to this project sees the same view.");
  }
}
