// Images as a map: alike ones lie near each other. A line around some lists them, here and in the other views: it is part of the address.

import { h, button } from "../dom.js";
import { at } from "../base_path.js";
import { fixed } from "../numbers.js";
import { imageAddress, TELLING } from "../drawer/address.js";
import { svg } from "../drawer/svg.js";
import { IN_GRIDS, IN_STRIPS, thumbnail } from "../thumbnails.js";
import { written } from "./lasso_line.js";
import { markOf, markOfScore, SCALE_IMAGE } from "./map_marks.js";
import { Scatter } from "./scatter.js";

const AGAIN_MS = 700; // while a map is being made
const WAIT_MS = 60; // nobody wants what the pointer only crosses
const CARD = { width: 236, height: 300, apart: 14 }; // px
const SIDES = [["x from", "x to"], ["y from", "y to"]];

export class MapView {
  /** `page` as the grid's. */
  constructor(page, signal) {
    this.page = page;
    this.signal = signal;
    this.turn = 0;
    this.known = new Map();
    this.data = null;
    this.scatter = new Scatter({ point: (n, event) => this.point(n, event), open: (n) => this.open(n), circle: (line) => this.circle(line) }, signal);
    this.method = this.select("Map by", (value) => this.on(value, this.data.model));
    this.model = this.select("Embeddings by", (value) => this.on(this.data.method, value));
    this.paint = this.select("Colour by", (value) => page.choose("paint", value));
    this.paints = labelled("Colour by", this.paint);
    this.models = labelled("Embeddings by", this.model);
    this.models.hidden = true; // of one model nobody is asked
    this.about = h("p", { class: "cc-note cc-map__about", role: "status" });
    this.groups = h("ul", { class: "cc-map__groups" });
    this.pictures = h("ul", { class: "cc-map__pictures" });
    this.inside = h("p", { class: "cc-map__inside", role: "status" });
    this.closer = button("Look closer", { kind: "quiet" }, () => this.look(!this.scatter.isCloser));
    this.clear = button("Remove the line", { kind: "quiet" }, () => this.circle([]));
    this.grid = button("Show as a grid", { kind: "quiet" }, () => page.choose("show", "grid"));
    this.lineTools = h("div", { class: "cc-map__tools", hidden: true }, this.grid, this.closer, this.clear);
    this.card = h("div", { class: "cc-map__card", hidden: true, "aria-hidden": "true" });
    const side = h("div", { class: "cc-map__side" }, h("div", { class: "cc-map__head" }, this.inside, this.lineTools), this.groups, this.numbers(), this.pictures);
    this.field = h("div", { class: "cc-map__field", hidden: true }, this.scatter.element, side);
    const controls = h("div", { class: "cc-map__controls" }, labelled("Map by", this.method), this.models, this.paints);
    this.element = h("div", { class: "cc-map" }, controls, this.field, this.about, this.card);
  }

  select(label, act) {
    return h("select", { class: "cc-select", "aria-label": label, on: { change: (event) => act(event.target.value) } });
  }

  // ---- what Images asks of a view ----

  get count() {
    return this.data?.listed ?? 0;
  }

  get meant() {
    return [];
  }

  load() {
    this.scatter.circle(this.line);
    return this.draw();
  }

  refresh() {
    return this.draw();
  }

  redraw() {
    this.scatter.draw();
  }

  focus() {
    this.method.focus();
  }

  mark() {
    /* the drawer covers the map beside it */
  }

  // ---- the map ----

  /** The corners of the line in the address; [] without one. */
  get line() {
    const text = this.page.state?.one("lasso") ?? "";
    return text ? text.split(";").map((point) => point.split(",").map(Number)) : [];
  }

  async draw() {
    const turn = ++this.turn;
    clearTimeout(this.timer);
    const { outcome, data } = await this.page.api.get(`studio/map?${this.page.state.asking({ paint: this.page.state.one("paint"), ...(this.asked ? {} : { again: true }) })}`);
    if (turn !== this.turn || this.signal.aborted) return;
    this.asked = true;
    if (outcome !== "ok") {
      this.page.told(this.page.failure(outcome, data));
      return;
    }
    const before = this.data?.map;
    this.controls(data);
    if (data.map) {
      if (data.map !== before) this.known.clear();
      this.data = data;
      this.points();
    } else {
      this.data = { ...this.data, method: data.method, model: data.model };
      if (data.busy) this.timer = setTimeout(() => this.element.isConnected && this.draw(), AGAIN_MS);
    }
    this.field.hidden = !this.data.map;
    this.about.textContent = data.map ? data.about : [data.message, before ? "You still see the map before." : ""].filter(Boolean).join(" ");
    this.page.told(null);
    await this.circled();
  }

  controls({ methods, method, models, model, paints, paint }) {
    for (const [select, options, value] of [[this.method, methods, method], [this.model, models, model], [this.paint, paints, paint]]) {
      select.replaceChildren(...options.map((one) => h("option", { value: one.value }, one.words)));
      select.value = value;
    }
    this.models.hidden = models.length < 2;
  }

  points() {
    const { x, y, values, groups, continuous, extent, about, rater, axes } = this.data;
    const scores = values.filter((value) => value !== null);
    const [low, high] = continuous ? [Math.min(...scores), Math.max(...scores)] : [];
    const marks = groups.map((group, k) => markOf(group, k, Boolean(rater)));
    this.marks = marks;
    this.scatter.show({ x, y, extent, label: about, marks: values.map((value) => (continuous ? markOfScore(value, low, high) : marks[value])) });
    this.scale = continuous && scores.length ? h("li", { class: "cc-map__scale" }, h("span", {}, fixed(low, 2)), h("i", { style: `background: ${SCALE_IMAGE}`, "aria-hidden": "true" }), h("span", {}, fixed(high, 2))) : null;
    this.axes.textContent = axes.length ? `${axes.join("; ")}. Both go from 0 to ${extent}.` : `Both axes go from 0 to ${extent}.`;
    this.legend();
  }

  /** The classes with their numbers: of a line's images, where they are told, beside those of all that is listed. */
  legend(within = null) {
    const all = Object.values(within ?? {}).reduce((sum, n) => sum + n, 0);
    const named = this.data.groups.reduce((sum, { title }) => sum + (within?.[title] ?? 0), 0);
    const rows = this.data.groups.map((group, k) => {
      const { color, shape, hollow } = this.marks[k];
      const mark = drawing(shape, color, hollow);
      // what has no name of its own is all the rest
      const n = within ? (group.rest ? all - named : (within[group.title] ?? 0)) : group.n;
      const count = h("span", { class: "cc-map__n" }, within ? `${n.toLocaleString("en")} of ${group.n.toLocaleString("en")}` : n.toLocaleString("en"));
      const filters = Object.entries(group.filter).filter(([name, value]) => !this.page.state.has(name, value));
      const name = filters.length ? h("button", { type: "button", class: "cc-map__name", title: "Only these", on: { click: () => this.page.change((state) => { for (const [filter, value] of filters) state.put(filter, [value]); }) } }, group.title) : h("span", { class: "cc-map__name" }, group.title);
      return h("li", { class: within && !n ? "cc-muted" : null }, mark, name, count);
    });
    this.groups.replaceChildren(...rows, ...(this.scale ? [this.scale] : []));
  }

  on(method, model) {
    this.known.clear();
    this.page.change((state) => {
      state.put("map", [`${method}:${model}`]);
      state.put("lasso", []);
    });
  }

  // ---- a line ----

  circle(line) {
    if (!line.length) this.scatter.look(false);
    this.page.change((state) => {
      state.put("map", [line.length ? this.data.map : `${this.data.method}:${this.data.model}`]);
      state.put("lasso", [written(line)]);
    });
  }

  look(closer) {
    this.scatter.look(closer);
    this.closer.firstChild.textContent = this.scatter.isCloser ? "Whole map" : "Look closer";
  }

  /** The images inside the line: how many, the first of them, and of which classes they are. */
  async circled() {
    const { line, turn, page } = this;
    this.scatter.circle(line);
    this.lineTools.hidden = !line.length;
    if (!line.length) {
      this.look(false);
      this.inside.textContent = "Draw a line around some points to list their images.";
      this.pictures.replaceChildren();
      return;
    }
    const { outcome, data } = await page.api.get(`studio/map/inside?${page.state.asking({ paint: this.data.paint })}`);
    if (turn !== this.turn) return;
    if (outcome !== "ok") {
      this.inside.textContent = page.failure(outcome, data).message;
      this.pictures.replaceChildren();
      return;
    }
    const { total, items, classes } = data;
    this.inside.textContent = total ? `${total.toLocaleString("en")} ${total === 1 ? "image" : "images"} inside` : "No image of this selection is inside.";
    this.grid.hidden = !total;
    this.pictures.replaceChildren(...items.map((item) => h("li", {}, this.picture(item))));
    if (Object.keys(classes).length) this.legend(classes);
  }

  picture(item) {
    const text = item.text ?? item.item_id;
    const image = item.sha256 ? h("img", { src: thumbnail(at(`/img/${item.sha256}`), IN_STRIPS), alt: text, loading: "lazy" }) : text;
    const opens = (event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.see(item);
    };
    return h("a", { href: imageAddress(item.item_id, this.page.state.params), title: text, on: { click: opens } }, image);
  }

  /** By numbers, for those who draw no line. */
  numbers() {
    this.message = h("p", { class: "cc-note cc-bad", role: "alert" });
    this.axes = h("p", { class: "cc-note" });
    const field = (name) => h("label", {}, h("span", {}, name), h("input", { class: "cc-input", type: "number", step: "any", name }));
    const form = h("form", { class: "cc-map__numbers" }, ...SIDES.flat().map(field), h("button", { type: "submit", class: "cc-button" }, "Select this rectangle"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.rectangle(SIDES.map((sides) => sides.map((name) => Number.parseFloat(form.elements[name].value))));
    });
    return h("details", { class: "cc-map__all" }, h("summary", {}, "All numbers"), this.axes, form, this.message);
  }

  rectangle([xs, ys]) {
    const empty = xs[0] === xs[1] || ys[0] === ys[1];
    this.message.textContent = [...xs, ...ys].some((value) => !Number.isFinite(value)) ? "A rectangle needs four numbers." : empty ? "Empty selection: “from” and “to” are the same." : "";
    if (this.message.textContent) return;
    const [[x0, x1], [y0, y1]] = [xs, ys].map((sides) => sides.map((value) => Math.max(-1000, Math.min(1000, value))));
    this.circle([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]);
  }

  // ---- a point ----

  async item(n) {
    const number = this.data.images[n];
    if (!this.known.has(number)) {
      const { outcome, data } = await this.page.api.get(`studio/map/image?${new URLSearchParams({ map: this.data.map, n: number })}`);
      this.known.set(number, outcome === "ok" ? data : { why: this.page.failure(outcome, data).message });
    }
    return this.known.get(number);
  }

  async point(n, event) {
    if (n === this.pointed) return;
    this.pointed = n;
    this.scatter.canvas.style.cursor = n === null ? "crosshair" : "pointer";
    if (n === null) {
      this.card.hidden = true;
      return;
    }
    const { clientX, clientY } = event;
    await new Promise((done) => { setTimeout(done, WAIT_MS); });
    if (this.pointed !== n) return;
    const item = await this.item(n);
    if (this.pointed !== n) return;
    const place = [item.generator, item.task].filter(Boolean).join(" · ");
    const image = item.sha256 ? h("img", { src: thumbnail(at(`/img/${item.sha256}`), IN_GRIDS), alt: "" }) : null;
    const left = clientX + CARD.apart + CARD.width > window.innerWidth ? clientX - CARD.apart - CARD.width : clientX + CARD.apart;
    this.card.style.left = `${Math.max(0, left)}px`;
    this.card.style.top = `${Math.max(0, Math.min(clientY + CARD.apart, window.innerHeight - CARD.height))}px`;
    this.card.replaceChildren(...[image, h("p", {}, item.why ?? item.text ?? item.item_id), h("p", { class: "cc-detail" }, place)].filter(Boolean));
    this.card.hidden = false;
    this.saw(item);
  }

  async open(n) {
    const item = await this.item(n);
    if (item.why) this.page.toast(item.why);
    else this.see(item);
  }

  see(item) {
    this.pointed = null;
    this.card.hidden = true;
    this.saw(item);
    this.page.open(item);
  }

  /** Colours tell what somebody says of the image that one points at. */
  saw(item) {
    const { rater } = this.data;
    const tells = TELLING.some((name) => this.page.state.params.has(name));
    if (item.item_id && (rater || tells)) this.page.seen.add(item.item_id, rater || this.page.state.one("rater", "people"));
  }
}

function labelled(words, control) {
  return h("div", { class: "cc-tools__choice" }, h("span", { class: "cc-label cc-tools__label", "aria-hidden": "true" }, words), control);
}

function drawing(shape, color, hollow) {
  const look = hollow ? { fill: "none", stroke: color, "stroke-width": ".35" } : { fill: color };
  return svg("svg", { viewBox: "-1.5 -1.5 3 3", class: "cc-map__mark", "aria-hidden": "true" }, svg("path", { d: shape, ...look }));
}
