// Small pictures of evidence: the crop that the colour classifier saw, its probabilities, a relation's offset, a number's place.

import { h, uniqueId } from "../dom.js";
import { isSmall } from "./stage.js";
import { maskImage, svg } from "./svg.js";
import { at } from "../base_path.js";
import { fixed } from "../numbers.js";

const ASKED = { "left of": [-1, 0], "right of": [1, 0], above: [0, -1], below: [0, 1] };

/** The object on grey, cut out by its box: what the classifier was given. */
export function crop(item, one) {
  const [x0, y0, x1, y1] = one.box.map(halfEven);
  const [w, t] = [Math.max(x1 - x0, 1), Math.max(y1 - y0, 1)];
  const id = uniqueId("cc-crop");
  const image = svg("image", {
    href: at(`/img/${item.sha256}`),
    width: item.width,
    height: item.height,
    preserveAspectRatio: "none",
    mask: one.mask ? `url(#${id})` : null,
    class: isSmall(item) ? "cc-pixelated" : null,
  });
  return svg(
    "svg",
    { class: "cc-crop", viewBox: `${x0} ${y0} ${w} ${t}`, role: "img", "aria-label": `The ${one.label} alone, on grey` },
    one.mask ? svg("mask", { id }, maskImage(one.mask, item)) : null,
    svg("rect", { x: x0, y: y0, width: w, height: t, fill: "#999" }),
    image,
  );
}

/** One bar for each colour, in that colour; `asked` are the colours that the prompt wants. */
export function colorBars(names, probabilities, asked) {
  const best = probabilities.indexOf(Math.max(...probabilities));
  const rows = names.map((name, n) => {
    const fill = h("span", { class: "cc-swatch cc-bars__fill", "data-color": name });
    fill.style.width = `${probabilities[n] * 100}%`;
    const label = asked.includes(name) ? h("span", { class: "cc-bars__name" }, name, h("span", { class: "cc-bars__asked" }, "asked")) : h("span", { class: "cc-bars__name" }, name);
    return h(
      "li",
      { class: n === best ? "is-best" : null },
      label,
      h("span", { class: "cc-bars__track" }, fill),
      h("span", { class: "cc-bars__value" }, probabilities[n].toFixed(2)),
    );
  });
  return h("ol", { class: "cc-bars", "aria-label": "How likely each colour is" }, ...rows);
}

/** Where one object lies from the other, in the rule's units; a relation needs more than `clear` on its axis (the dashed square). */
export function compass([dx, dy], relation, clear) {
  const [ax, ay] = ASKED[relation] ?? [0, 0];
  const wanted = ax || ay ? svg("rect", { class: "cc-compass__asked", ...half(ax, ay, clear) }) : null;
  const id = uniqueId("cc-arrow");
  const head = svg("marker", { id, viewBox: "0 0 6 6", refX: 4.5, refY: 3, markerWidth: 5, markerHeight: 5, orient: "auto" }, svg("path", { d: "M0 0 6 3 0 6z", class: "cc-compass__head" }));
  const still = Math.hypot(dx, dy) < 0.02;
  const arrow = still
    ? svg("circle", { class: "cc-compass__head", r: 0.07 })
    : svg("line", { class: "cc-compass__arrow", x1: 0, y1: 0, x2: dx, y2: dy, "marker-end": `url(#${id})` });
  return svg(
    "svg",
    { class: "cc-compass", viewBox: "-1.1 -1.1 2.2 2.2", role: "img", "aria-label": `Offset ${signed(dx)} to the right, ${signed(dy)} down` },
    head,
    svg("rect", { class: "cc-compass__ground", x: -1, y: -1, width: 2, height: 2, rx: 0.06 }),
    wanted,
    svg("path", { class: "cc-compass__axis", d: "M-1 0H1M0-1V1" }),
    svg("rect", { class: "cc-compass__dead", x: -clear, y: -clear, width: 2 * clear, height: 2 * clear }),
    arrow,
  );
}

/** The strip of the square where the asked relation holds. */
function half(ax, ay, clear) {
  const thick = 1 - clear;
  if (ax) return { x: ax < 0 ? -1 : clear, y: -1, width: thick, height: 2 };
  return { x: -1, y: ay < 0 ? -1 : clear, width: 2, height: thick };
}

export function signed(number) {
  const text = Math.abs(number).toFixed(2);
  return number < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Where a number lies between the lowest and the highest of its scorer. */
export function standing({ low, high, n, below }, value) {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  const dot = h("span", { class: "cc-range__dot" });
  dot.style.left = `${share * 100}%`;
  const words = n > 1 ? `higher than ${Math.round((100 * below) / (n - 1))} % of the other ${(n - 1).toLocaleString("en")} images` : "the only image with a number";
  return h(
    "div",
    { class: "cc-range" },
    h("span", { class: "cc-range__end" }, fixed(low, 3)),
    h("span", { class: "cc-range__line" }, dot),
    h("span", { class: "cc-range__end" }, fixed(high, 3)),
    h("span", { class: "cc-range__words" }, words),
  );
}

/** As Pillow rounds the edges of a crop. */
function halfEven(number) {
  const low = Math.floor(number);
  if (number - low !== 0.5) return Math.round(number);
  return low % 2 === 0 ? low : low + 1;
}
