// The line of controls above the images: words, as a grid, by prompt or on a map, whose values, in which order, Blind mode.

import { button, h } from "../dom.js";

const TYPED_MS = 250;
const SHOWS = [["grid", "Grid"], ["prompts", "By prompt"], ["map", "Map"]];

export class Toolbar {
  /** `page` has state, choose(name, value), type(text), setBlind(on), copy(link button), openViews(). */
  constructor(page) {
    this.page = page;
    this.words = h("input", { class: "cc-input cc-tools__words", type: "search", placeholder: "Words of the prompt, or an id", "aria-label": "Words of the prompt, or an id", "aria-keyshortcuts": "/", on: { input: () => this.typing() } });
    this.words.addEventListener("keydown", (event) => this.pressed(event));
    this.words.addEventListener("blur", () => page.typed());
    this.rater = this.select("rater", "Judged by");
    this.order = this.select("order", "Order");
    this.left = this.select("left", "Left");
    this.right = this.select("right", "Right");
    this.shows = SHOWS.map(([value, words]) => button(words, { class: "cc-tools__show", "data-show": value, "aria-pressed": "false" }, () => page.choose("show", value)));
    const copy = button("Copy link", { kind: "quiet" }, () => page.copy(copy));
    const views = button("Views", { kind: "quiet", "aria-haspopup": "dialog" }, () => page.openViews());
    this.blind = blindSwitch((on) => page.setBlind(on));
    this.pair = h("div", { class: "cc-tools__pair", hidden: true }, labelled("Left", this.left), labelled("Right", this.right));
    this.links = h("div", { class: "cc-row cc-tools__end" }, this.blind, views, copy);
    const shows = h("div", { class: "cc-tools__shows", role: "group", "aria-label": "Show as" }, ...this.shows);
    this.raters = labelled("Judged by", this.rater);
    this.orders = labelled("Sort", this.order);
    this.element = h("div", { class: "cc-tools" }, this.words, shows, this.orders, this.raters, this.pair, this.links);
  }

  select(name, label) {
    return h("select", { class: "cc-select", "aria-label": label, "data-name": name, on: { change: (event) => this.page.choose(name, event.target.value) } });
  }

  typing() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.page.type(this.words.value.trim()), TYPED_MS);
  }

  pressed(event) {
    if (event.key === "Escape" && this.words.value === "") this.page.focusList();
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(this.timer);
    this.page.type(this.words.value.trim());
    this.page.focusList();
  }

  /** Which controls there are, by what of the address is known: before the project has said what it has, too. */
  layOut(params) {
    const show = params.get("show") ?? "grid";
    for (const one of this.shows) one.setAttribute("aria-pressed", String(one.dataset.show === show));
    // a map has no order, and colours of its own
    for (const hides of [this.raters, this.orders]) hides.hidden = params.has("blind") || show === "map";
    this.pair.hidden = show !== "prompts";
  }

  /** `choices`: of each of these controls, [value, words], and of what cannot be chosen now what is missing for it. */
  show(choices) {
    const { state } = this.page;
    if (this.words !== document.activeElement) this.words.value = state.one("q");
    for (const name of ["rater", "order"]) fill(this[name], choices[name] ?? [], state.one(name));
    this.blind.setAttribute("aria-checked", String(state.isBlind));
    for (const one of this.shows) one.hidden = !(choices.show ?? ["grid", "prompts"]).includes(one.dataset.show);
    this.layOut(state.params);
    const generators = [["", "all generators"], ...(choices.generators ?? []).map((name) => [name, name])];
    fill(this.left, generators, state.one("left"));
    fill(this.right, generators, state.one("right"));
  }
}

/** A switch of Blind mode; `onSwitch(on)`. */
export function blindSwitch(onSwitch) {
  const element = h("button", { type: "button", class: "cc-switch", role: "switch", "aria-checked": "false", title: "Hide answers, scores and verdicts until you have answered" }, h("span", { class: "cc-switch__track", "aria-hidden": "true" }), "Blind mode");
  element.addEventListener("click", () => onSwitch(element.getAttribute("aria-checked") !== "true"));
  return element;
}

function labelled(words, ...controls) {
  return h("div", { class: "cc-tools__choice" }, h("span", { class: "cc-label cc-tools__label", "aria-hidden": "true" }, words), ...controls);
}

function fill(select, options, value) {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.replaceChildren(...options.map(([one, words, missing]) => h("option", { value: one, disabled: Boolean(missing) }, missing ? `${words} (${missing})` : words)));
    select.dataset.options = key;
  }
  select.value = value || (options[0]?.[0] ?? "");
}
