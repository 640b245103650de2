// The picture with what a scorer saw drawn over it: boxes, masks, labels. All drawing is in the picture's own pixels.

import { h, uniqueId } from "../dom.js";
import { maskImage, svg } from "./svg.js";
import { at } from "../base_path.js";

const SMALL = 400; // pictures below this many pixels show their pixels rather than a blur
const MARKS = 6;
const CHIP = 18;
const CENTRE = 5;

/** What is drawn. Shared by the page's stage and the enlarged one, so that both show the same. */
export const LAYERS = { boxes: true, masks: true, centres: true, labels: true, weak: false };

/** Each label has its own mark, by the order in which labels turn up. */
export function marks(detections) {
  const labels = [...new Set(detections.map((one) => one.label))];
  return new Map(labels.map((label, n) => [label, n % MARKS]));
}

/** The detections that the rules looked at; the others were too weak, or of no kind that was asked for. */
export function used(sight) {
  return new Set(sight.checks.flatMap((check) => check.boxes));
}

export function isSmall({ width, height }) {
  return Math.max(width, height) < SMALL;
}

export class Stage {
  /** `onPoint(rank or null)` is told what is pointed at, `onChoose(rank)` what is clicked, `onZoom()` of a click beside, `onPainted()` when the picture is there. */
  constructor(item, { onPoint = () => {}, onChoose = () => {}, onZoom = () => {}, onPainted = () => {} } = {}) {
    const { width, height } = item;
    this.item = item;
    this.listeners = { onPoint, onChoose };
    this.groups = new Map();
    this.failure = h("p", { class: "cc-no-picture cc-stage__failure", role: "alert", hidden: true }, "The picture could not be loaded. Reload the page to try again.");
    this.image = h("img", { class: isSmall(item) ? "cc-stage__image cc-pixelated" : "cc-stage__image", width, height, alt: item.text ?? item.item_id, draggable: "false" });
    this.image.addEventListener("load", onPainted);
    this.image.addEventListener("error", () => {
      this.failure.hidden = false;
    });
    this.image.src = at(`/img/${item.sha256}`);
    this.overlay = svg("svg", { class: "cc-stage__overlay", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "The scorer's evidence" });
    this.stripes = svg("pattern", { id: uniqueId("cc-stripes"), width: 8, height: 8, patternUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0V8", stroke: "#fff", "stroke-width": 2.4 }));
    this.element = h("div", { class: "cc-stage" }, this.image, this.overlay, this.failure);
    this.element.style.setProperty("--cc-ratio", String(width / height));
    this.element.addEventListener("click", (event) => {
      if (!event.target.closest(".cc-mark")) onZoom();
    });
    this.watcher = new ResizeObserver(() => this.arrange());
    this.watcher.observe(this.element);
  }

  destroy() {
    this.watcher.disconnect();
  }

  /** Draw what one scorer saw, or nothing. */
  draw(sight) {
    this.groups.clear();
    this.overlay.replaceChildren(this.stripes);
    if (!sight) return;
    const colors = marks(sight.detections);
    const looked = used(sight);
    // small objects last, so that they can be pointed at where they lie on large ones
    const order = sight.detections.map((one, rank) => [one, rank]).sort(([a], [b]) => area(b.box) - area(a.box));
    for (const [one, rank] of order) {
      const group = this.mark(one, rank, colors.get(one.label), looked.has(rank));
      this.groups.set(rank, group);
      this.overlay.append(group);
    }
    this.show();
    this.arrange();
  }

  mark(one, rank, color, looked) {
    const [x0, y0, x1, y1] = one.box;
    const frame = { x: x0, y: y0, width: Math.max(x1 - x0, 0), height: Math.max(y1 - y0, 0) };
    const group = svg("g", {
      class: looked ? "cc-mark" : "cc-mark cc-mark--weak",
      "data-rank": rank,
      "data-mark": color,
      tabindex: 0,
      role: "button",
      "aria-label": `${one.label}, confidence ${one.score.toFixed(2)}`,
    });
    if (one.mask) {
      const id = uniqueId("cc-mask");
      const mask = svg("mask", { id }, maskImage(one.mask, this.item));
      const whole = { width: this.item.width, height: this.item.height, mask: `url(#${id})` };
      group.append(mask, svg("rect", { class: "cc-mark__mask", ...whole }), svg("rect", { class: "cc-mark__stripes", fill: `url(#${this.stripes.id})`, ...whole }));
    }
    const text = svg("text", { class: "cc-mark__text", y: 13, x: 5 }, `${one.label} ${one.score.toFixed(2)}`);
    const chip = svg("g", { class: "cc-mark__label" }, svg("rect", { class: "cc-mark__chip", height: CHIP, rx: 3 }), text);
    group.append(svg("rect", { class: "cc-mark__halo", ...frame }), svg("rect", { class: "cc-mark__box", ...frame }), svg("circle", { class: "cc-mark__centre", cx: (x0 + x1) / 2, cy: (y0 + y1) / 2 }), chip);
    for (const event of ["pointerenter", "focus"]) group.addEventListener(event, () => this.listeners.onPoint(rank));
    for (const event of ["pointerleave", "blur"]) group.addEventListener(event, () => this.listeners.onPoint(null));
    group.addEventListener("click", () => this.listeners.onChoose(rank));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.listeners.onChoose(rank);
    });
    return group;
  }

  /** Follow the toggles. */
  show() {
    for (const [layer, on] of Object.entries(LAYERS)) this.overlay.classList.toggle(`has-${layer}`, on);
    this.arrange();
  }

  /** Labels keep their size whatever the picture's, stay inside it, and make room for one another. */
  arrange() {
    const shown = this.overlay.getBoundingClientRect().width;
    if (!shown) return;
    const { width, height } = this.item;
    const unit = width / shown;
    this.stripes.setAttribute("patternTransform", `rotate(45) scale(${unit})`);
    const taken = [];
    for (const [, group] of [...this.groups].sort(([a], [b]) => a - b)) {
      group.querySelector(".cc-mark__centre").setAttribute("r", String(CENTRE * unit));
      const label = group.querySelector(".cc-mark__label");
      const words = group.querySelector("text").getComputedTextLength() + 10;
      if (words === 10) continue; // not on the screen
      label.querySelector("rect").setAttribute("width", words);
      const frame = group.querySelector(".cc-mark__box");
      const box = { x: Number(frame.getAttribute("x")), y: Number(frame.getAttribute("y")) };
      const place = { w: words * unit, h: CHIP * unit, x: Math.max(0, Math.min(box.x, width - words * unit)), y: box.y - CHIP * unit };
      if (place.y < 0) place.y = Math.max(0, box.y);
      while (taken.some((other) => meet(place, other)) && place.y + 2 * place.h <= height) place.y += place.h;
      taken.push(place);
      label.setAttribute("transform", `translate(${place.x} ${place.y}) scale(${unit})`);
    }
  }

  /** Bring some marks forward; null: all alike again. */
  highlight(ranks) {
    this.overlay.classList.toggle("is-pointing", ranks !== null && ranks.length > 0);
    for (const [rank, group] of this.groups) group.classList.toggle("is-pointed", ranks?.includes(rank) ?? false);
  }
}

function area([x0, y0, x1, y1]) {
  return (x1 - x0) * (y1 - y0);
}

function meet(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h - 1e-6 && b.y < a.y + a.h - 1e-6;
}
