// Two pictures laid on each other: a slider says how much of the left one is seen, by mouse, touch and arrow keys.

import { h } from "../dom.js";
import { at } from "../base_path.js";
import { IN_PAIRS, thumbnail } from "../thumbnails.js";

/** `left` and `right` are images with `sha256` and a `name`; without both pictures there is nothing to swipe. */
export function swipe(left, right, width = IN_PAIRS) {
  if (!left?.sha256 || !right?.sha256) return h("p", { class: "cc-no-picture" }, "There is nothing to swipe: one of the two has no picture.");
  const image = (one, side) => h("img", { class: `cc-swipe__${side}`, src: thumbnail(at(`/img/${one.sha256}`), width), alt: `${one.name}, ${side}`, draggable: "false", decoding: "async" });
  const slider = h("input", { class: "cc-swipe__slider", type: "range", min: 0, max: 100, step: 2, value: "50", "aria-label": `Swipe between ${left.name} and ${right.name}` });
  const box = h("div", { class: "cc-swipe" }, image(right, "right"), image(left, "left"), h("span", { class: "cc-swipe__line", "aria-hidden": "true" }), slider);
  const show = () => {
    box.style.setProperty("--at", `${slider.value}%`);
    slider.setAttribute("aria-valuetext", `${slider.value} % of ${left.name}`);
  };
  slider.addEventListener("input", show);
  show();
  return box;
}
