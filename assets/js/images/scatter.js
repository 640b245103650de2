// Points on a square canvas: drawn, pointed at, clicked, circled by a line, and looked at closer.

import { h } from "../dom.js";
import { simplified } from "./lasso_line.js";

const NEAR = 9; // px within which a point is meant
const MOVED = 4; // px from which on pressing is a line and no click
const SIZES = [[1500, 4], [6000, 3], [Infinity, 2]]; // radius in px, by the number of points
const OUTSIDE = 0.14; // opacity of what a line leaves out
const PADDING = 10; // px

export class Scatter {
  /** `heard` has point(n or null, event), open(n) and circle(points), n being the place of a point among those shown. */
  constructor(heard, signal) {
    this.heard = heard;
    this.points = { x: [], y: [], marks: [] };
    this.line = [];
    this.drawn = [];
    this.canvas = h("canvas", { class: "cc-map__canvas", role: "img", "aria-label": "Map" });
    this.element = h("div", { class: "cc-map__square" }, this.canvas);
    this.paths = new Map();
    const listen = (name, act) => this.canvas.addEventListener(name, act);
    listen("pointerdown", (event) => this.pressed(event));
    listen("pointermove", (event) => this.moved(event));
    listen("pointerup", (event) => this.released(event));
    listen("pointercancel", () => this.cancel());
    listen("pointerleave", () => this.heard.point(null));
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
  }

  /** `marks` by point: {color, shape, hollow}; `extent`: both axes go from 0 to there. */
  show({ x, y, marks, extent, label }) {
    if (extent !== this.extent) this.window = null;
    Object.assign(this, { points: { x, y, marks }, extent });
    this.canvas.setAttribute("aria-label", label);
    this.draw();
  }

  /** The line whose inside is lit; [] for none. */
  circle(line) {
    this.line = line;
    this.draw();
  }

  get isCloser() {
    return this.window !== null && this.window !== undefined;
  }

  /** Look at what the line holds, or at all. */
  look(closer) {
    this.window = closer && this.line.length ? around(this.line) : null;
    this.draw();
  }

  get view() {
    return this.window ?? { x: 0, y: 0, side: this.extent };
  }

  /** Where a point of the map stands on the canvas, in px; y goes up. */
  place(x, y) {
    const { side, view } = this;
    const scale = (side - 2 * PADDING) / view.side;
    return [PADDING + (x - view.x) * scale, side - PADDING - (y - view.y) * scale];
  }

  /** And back. */
  position([left, top]) {
    const { side, view } = this;
    const scale = view.side / (side - 2 * PADDING);
    return [view.x + (left - PADDING) * scale, view.y + (side - PADDING - top) * scale];
  }

  get radius() {
    return SIZES.find(([most]) => this.points.x.length <= most)[1];
  }

  draw() {
    const side = this.element.clientWidth;
    if (!side || !this.extent) return;
    this.side = side;
    const sharp = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(side * sharp)) this.canvas.width = this.canvas.height = Math.round(side * sharp);
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas);
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, side, side);
    const { x, y, marks } = this.points;
    const { radius } = this;
    context.lineWidth = 1.2 / radius;
    for (let n = 0; n < x.length; n += 1) {
      const [left, top] = this.place(x[n], y[n]);
      if (left < 0 || top < 0 || left > side || top > side) continue;
      context.globalAlpha = this.line.length && !inside(this.line, x[n], y[n]) ? OUTSIDE : 0.82;
      context.setTransform(sharp * radius, 0, 0, sharp * radius, sharp * left, sharp * top);
      const path = this.path(marks[n].shape);
      if (marks[n].hollow) {
        context.strokeStyle = marks[n].color;
        context.stroke(path);
      } else {
        context.fillStyle = marks[n].color;
        context.fill(path);
      }
    }
    context.globalAlpha = 1;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    const line = this.drawn.length ? this.drawn : this.line.map(([px, py]) => this.place(px, py));
    if (line.length < 2) return;
    context.beginPath();
    for (const [left, top] of line) context.lineTo(left, top);
    if (!this.drawn.length) context.closePath();
    context.setLineDash([5, 4]);
    context.lineWidth = 1.5;
    context.strokeStyle = style.color;
    context.stroke();
    context.setLineDash([]);
  }

  path(shape) {
    if (!this.paths.has(shape)) this.paths.set(shape, new Path2D(shape));
    return this.paths.get(shape);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  nearest([left, top]) {
    const { x, y } = this.points;
    let [found, far] = [null, NEAR * NEAR];
    for (let n = 0; n < x.length; n += 1) {
      const [px, py] = this.place(x[n], y[n]);
      const away = (px - left) ** 2 + (py - top) ** 2;
      if (away <= far) [found, far] = [n, away];
    }
    return found;
  }

  pressed(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.start = this.at(event);
    this.drawn = [];
  }

  moved(event) {
    const here = this.at(event);
    if (!this.start) {
      this.heard.point(this.nearest(here), event);
      return;
    }
    if (!this.drawn.length && Math.hypot(here[0] - this.start[0], here[1] - this.start[1]) < MOVED) return;
    this.heard.point(null);
    if (!this.drawn.length) this.drawn.push(this.start);
    this.drawn.push(here);
    this.draw();
  }

  released(event) {
    const { drawn, start } = this;
    this.cancel();
    if (!start) return;
    if (drawn.length > 2) this.heard.circle(simplified(drawn.map((point) => this.position(point))));
    else {
      const n = this.nearest(this.at(event));
      if (n !== null) this.heard.open(n);
    }
  }

  cancel() {
    this.start = null;
    this.drawn = [];
    this.draw();
  }
}

/** Whether a place lies within a closed line, by the even-odd rule. */
function inside(line, x, y) {
  let within = false;
  for (let k = 0, last = line.length - 1; k < line.length; last = k, k += 1) {
    const [[x0, y0], [x1, y1]] = [line[last], line[k]];
    if (y0 > y !== y1 > y && x < ((x1 - x0) * (y - y0)) / (y1 - y0) + x0) within = !within;
  }
  return within;
}

/** The square that a line lies in, with some room. */
function around(line) {
  const [xs, ys] = [0, 1].map((axis) => line.map((point) => point[axis]));
  const [width, height] = [xs, ys].map((values) => Math.max(...values) - Math.min(...values));
  const side = 1.15 * Math.max(width, height, 0.5);
  return { x: (Math.max(...xs) + Math.min(...xs) - side) / 2, y: (Math.max(...ys) + Math.min(...ys) - side) / 2, side };
}
