// The facets: each value a button with how many images would be left; its own choice does not count against it.

import { button, h, uniqueId } from "../dom.js";

const FIRST = 8; // so many values stand there at once
const LONG = 12; // with more there is a box to find one
const SAID = ["differs", "people", "verdict", "says"]; // what raters say, which comes first
const IN_SCOPE = ["suite", "task", "generator"]; // the scope bar has these

export class Facets {
  /** `scores`: the histogram of scores, which stands below what raters say; `onToggle(name, value)`. */
  constructor(scores, onToggle) {
    this.scores = scores;
    this.onToggle = onToggle;
    this.sections = new Map();
    this.body = h("div", { class: "cc-rail__body" }, scores);
    this.count = h("span", { class: "cc-badge cc-badge--accent", hidden: true });
    this.switch = h("button", { type: "button", class: "cc-button cc-rail__switch", "aria-expanded": "false", on: { click: () => this.fold() } }, "Filters", this.count);
    this.element = h("aside", { class: "cc-rail", "aria-label": "Filters" }, this.switch, this.body);
  }

  /** On a phone, and beside the drawer, the filters stand behind a button. */
  fold() {
    const open = this.element.classList.toggle("is-open");
    this.switch.setAttribute("aria-expanded", String(open));
  }

  /** `facets` as the server tells them. What is open and what is written in a box stay. */
  show(facets, chosen) {
    this.count.textContent = String(chosen);
    this.count.hidden = chosen === 0;
    const keep = document.activeElement?.closest(".cc-rail") ? document.activeElement.dataset.key : null;
    const shown = facets.filter(({ name }) => !IN_SCOPE.includes(name)).map((facet) => {
      const key = `${facet.name} ${facet.title}`;
      if (!this.sections.has(key)) this.sections.set(key, new FacetSection(this.onToggle));
      const section = this.sections.get(key);
      section.show(facet);
      return section.element;
    });
    const said = facets.filter(({ name }) => SAID.includes(name)).length;
    const sections = [...shown.slice(0, said), this.scores, ...shown.slice(said)];
    const same = sections.length === this.body.children.length && sections.every((element, n) => this.body.children[n] === element);
    if (!same) this.body.replaceChildren(...sections);
    if (keep && document.activeElement?.dataset.key !== keep) this.body.querySelector(`[data-key="${CSS.escape(keep)}"]`)?.focus({ preventScroll: true });
  }

  wait(waiting) {
    this.body.classList.toggle("is-waiting", waiting);
    this.body.setAttribute("aria-busy", String(waiting));
  }
}

class FacetSection {
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.all = false;
    const id = uniqueId("cc-facet");
    this.title = h("span", {});
    this.list = h("div", { class: "cc-facet__values", role: "group", "aria-labelledby": id });
    this.box = h("input", { class: "cc-input cc-facet__box", type: "search", hidden: true, on: { input: () => this.draw() } });
    this.more = button("", { kind: "quiet", class: "cc-button cc-button--quiet cc-facet__more", hidden: true }, () => this.unfold());
    this.rest = h("p", { class: "cc-muted cc-facet__rest", hidden: true });
    this.element = h("details", { class: "cc-facet", open: true }, h("summary", { id }, this.title), this.box, this.list, this.more, this.rest);
  }

  show(facet) {
    this.facet = facet;
    this.title.textContent = facet.title;
    this.list.parentElement.dataset.facet = facet.name;
    this.draw();
  }

  unfold() {
    this.all = !this.all;
    this.draw();
    if (this.all) this.list.children[FIRST]?.focus();
  }

  draw() {
    const { values, more = 0 } = this.facet;
    this.box.hidden = values.length <= LONG;
    this.box.setAttribute("aria-label", `Find in ${this.facet.title}`);
    this.box.placeholder = "find";
    const words = this.box.hidden ? "" : this.box.value.trim().toLowerCase();
    const found = words ? values.filter((one) => title(one).toLowerCase().includes(words)) : values;
    const seen = this.all || words ? found : found.filter((one, n) => n < FIRST || one.on);
    this.most = Math.max(1, ...values.map((one) => one.n));
    this.list.replaceChildren(...seen.map((one) => this.value(one)), ...(words && !found.length ? [h("p", { class: "cc-muted" }, "none")] : []));
    const left = found.length - seen.length;
    this.more.hidden = Boolean(words) || values.length <= FIRST || (!this.all && left === 0);
    this.more.textContent = this.all ? "fewer" : `${left} more`;
    this.more.setAttribute("aria-label", `${this.more.textContent} of ${this.facet.title}`);
    this.more.setAttribute("aria-expanded", String(this.all));
    this.more.dataset.key = `${this.facet.name} ${this.facet.title} more`;
    this.rest.hidden = more === 0 || !(this.all || words);
    this.rest.textContent = `${more.toLocaleString("en")} rarer ones are not listed; the search above finds words of prompts.`;
  }

  value(one) {
    const { name } = this.facet;
    const words = title(one);
    return h(
      "button",
      { type: "button", class: "cc-facet__value", "aria-pressed": String(Boolean(one.on)), "data-key": `${name} ${one.value}`, "data-value": one.value, on: { click: () => this.onToggle(name, one.value) } },
      h("span", { class: "cc-facet__name", title: words }, words),
      h("span", { class: "cc-facet__n" }, one.n.toLocaleString("en")),
      bar(one.n / this.most),
    );
  }
}

function bar(share) {
  const element = h("span", { class: "cc-facet__bar", "aria-hidden": "true" });
  element.style.width = `${100 * share}%`;
  return element;
}

export const title = (one) => one.title ?? one.value;
