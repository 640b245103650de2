// How a scorer's score is spread over what is listed; dragging over it, its two handles or its two fields restrict to a range.

import { button, h } from "../dom.js";

const SETTLED_MS = 350;

export class ScoreHistogram {
  /** `page` has range(rater), setRange(rater, low, high, {typing}) and setOf(rater). */
  constructor(page) {
    this.page = page;
    this.choice = h("select", { class: "cc-select", "aria-label": "Scorer", on: { change: () => page.setOf(this.choice.value) } });
    this.low = this.field("from");
    this.high = this.field("to");
    this.clear = button("Any", { kind: "quiet", "aria-label": "Any score" }, () => page.setRange(this.of, "", ""));
    this.undefined = h("span", { class: "cc-muted cc-strip-bar__none" });
    this.bars = h("div", { class: "cc-hist__bars", "aria-hidden": "true" });
    this.brush = h("div", { class: "cc-hist__brush", "aria-hidden": "true" });
    this.handles = ["lowest", "highest"].map((end, n) => this.handle(end, n));
    this.plot = h("div", { class: "cc-hist", title: "Drag to choose a range" }, this.bars, this.brush, ...this.handles);
    this.plot.addEventListener("pointerdown", (event) => this.pressed(event));
    this.ends = [h("span", {}), h("span", {})];
    const head = h("div", { class: "cc-row cc-hist__head" }, h("label", { class: "cc-row" }, h("span", { class: "cc-muted" }, "Scores of"), this.choice), this.low, this.high, this.clear);
    this.element = h("section", { class: "cc-strip-bar", "aria-label": "Scores", hidden: true }, head, this.plot, h("div", { class: "cc-hist__ends cc-muted" }, this.ends[0], this.undefined, this.ends[1]));
  }

  field(label) {
    const input = h("input", { class: "cc-input cc-hist__field", type: "number", step: "any", on: { change: () => this.typed() } });
    return h("label", { class: "cc-row" }, h("span", { class: "cc-muted" }, label), input);
  }

  handle(end, n) {
    return h("div", { class: "cc-hist__handle", role: "slider", tabindex: "0", "aria-label": `The ${end} score`, "data-handle": end, on: { keydown: (event) => this.stepped(event, n) } });
  }

  /** `told` as the server tells it. */
  show(told) {
    const of = told?.of;
    this.element.hidden = !of || !told.bins?.length;
    if (this.element.hidden) return;
    Object.assign(this, { of, bins: told.bins, from: told.low, to: told.high });
    if ([...this.choice.options].map((option) => option.value).join("\n") !== told.choices.join("\n")) this.choice.replaceChildren(...told.choices.map((rater) => h("option", { value: rater }, rater)));
    this.choice.value = of;
    const most = Math.max(1, ...told.bins.map((bin) => bin.of_all));
    const tall = (n) => (n === 0 ? 0 : Math.max(4, Math.sqrt(n / most) * 100));
    this.bars.replaceChildren(
      ...told.bins.map((bin) =>
        h("span", { class: "cc-hist__bin", title: `${number(bin.low)} to ${number(bin.high)}: ${bin.n.toLocaleString("en")} of ${bin.of_all.toLocaleString("en")}`, style: `--all: ${tall(bin.of_all)}%; --n: ${tall(bin.n)}%` }),
      ),
    );
    this.undefined.textContent = told.undefined ? `${told.undefined.toLocaleString("en")} without a score` : "";
    this.ends[0].textContent = number(this.from);
    this.ends[1].textContent = number(this.to);
    this.place();
  }

  /** Where the brush stands, from the address. */
  place() {
    const range = this.page.range(this.of);
    const low = range?.low ? Number(range.low) : this.from;
    const high = range?.high ? Number(range.high) : this.to;
    this.put(low, high, Boolean(range));
    for (const [label, value] of [[this.low, range?.low ?? ""], [this.high, range?.high ?? ""]]) {
      const input = label.querySelector("input");
      if (input !== document.activeElement) input.value = value;
    }
    this.clear.hidden = !range;
  }

  put(low, high, active) {
    this.span = [low, high];
    const [left, right] = [this.part(low), this.part(high)];
    this.plot.style.setProperty("--low", `${100 * left}%`);
    this.plot.style.setProperty("--high", `${100 * right}%`);
    this.plot.classList.toggle("is-brushed", active);
    this.handles.forEach((handle, n) => {
      const value = [low, high][n];
      handle.setAttribute("aria-valuemin", String(this.from));
      handle.setAttribute("aria-valuemax", String(this.to));
      handle.setAttribute("aria-valuenow", String(value));
      handle.setAttribute("aria-valuetext", `${number(value)} by ${this.of}`);
    });
    [...this.bars.children].forEach((bar, n) => bar.classList.toggle("is-out", active && (this.bins[n].high <= low || this.bins[n].low >= high) && this.bins.length > 1));
  }

  part(value) {
    return this.to > this.from ? Math.min(1, Math.max(0, (value - this.from) / (this.to - this.from))) : 0;
  }

  // ---- by mouse and touch ----

  pressed(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const box = this.plot.getBoundingClientRect();
    const at = (moved) => Math.min(1, Math.max(0, (moved.clientX - box.left) / box.width));
    const start = at(event);
    const seized = event.target.closest("[data-handle]");
    const fixed = seized ? this.part(this.span[seized === this.handles[0] ? 1 : 0]) : start;
    let end = start;
    this.plot.setPointerCapture(event.pointerId);
    const move = (moved) => {
      end = at(moved);
      this.put(...this.values(fixed, end), true);
    };
    const done = () => {
      this.plot.removeEventListener("pointermove", move);
      // a click without a movement is for the bar beneath it
      const [low, high] = !seized && Math.abs(end - start) * box.width < 4 ? this.bar(start) : this.values(fixed, end);
      this.choose(low, high);
    };
    this.plot.addEventListener("pointermove", move);
    this.plot.addEventListener("pointerup", done, { once: true });
    this.plot.addEventListener("pointercancel", () => { this.plot.removeEventListener("pointermove", move); this.place(); }, { once: true });
  }

  /** The two ends of what was dragged, low first. */
  values(one, other) {
    return [Math.min(one, other), Math.max(one, other)].map((part) => this.from + part * (this.to - this.from));
  }

  bar(part) {
    const value = this.from + part * (this.to - this.from);
    const bin = this.bins.find(({ high }) => value <= high) ?? this.bins.at(-1);
    return [bin.low, bin.high];
  }

  // ---- by keyboard ----

  stepped(event, n) {
    const step = (this.to - this.from) / Math.max(1, this.bins.length);
    const moves = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step, PageDown: -5 * step, PageUp: 5 * step, Home: -Infinity, End: Infinity };
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const span = [...this.span];
    const [least, most] = n === 0 ? [this.from, span[1]] : [span[0], this.to];
    span[n] = Math.min(most, Math.max(least, span[n] + moves[event.key]));
    this.put(...span, true);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.choose(...this.span, { typing: true }), SETTLED_MS);
  }

  typed() {
    const [low, high] = [this.low, this.high].map((label) => label.querySelector("input").value);
    this.page.setRange(this.of, low, high);
  }

  /** An end that restricts nothing stays open. */
  choose(low, high, how = {}) {
    const near = (this.to - this.from) / 1e6;
    this.page.setRange(this.of, low <= this.from + near ? "" : short(low), high >= this.to - near ? "" : short(high), how);
    this.place();
  }
}

function short(value) {
  return String(Number(value.toPrecision(6)));
}

function number(value) {
  return value === null || value === undefined ? "" : String(Number(Number(value).toPrecision(4)));
}
