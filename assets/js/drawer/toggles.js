/** The buttons that show and hide layers over the picture. */

import { h, kbd } from "../dom.js";
import { LAYERS, used } from "./stage.js";

/** A button for each layer that this sight has; none without detections. */
export function toggles(sight, onSwitch) {
  const { detections } = sight;
  if (!detections.length) return [];
  const looked = used(sight);
  const weak = detections.filter((_, rank) => !looked.has(rank)).length;
  const hasMasks = detections.some((one) => one.mask);
  return [
    toggle(onSwitch, "boxes", "Boxes"),
    hasMasks ? toggle(onSwitch, "masks", "Masks", "m") : null,
    toggle(onSwitch, "centres", "Centres"),
    toggle(onSwitch, "labels", "Labels"),
    weak ? toggle(onSwitch, "weak", `Ignored (${weak})`) : null,
  ].filter(Boolean);
}

function toggle(onSwitch, layer, label, key = null) {
  const caps = key ? h("span", { class: "cc-caps" }, h("span", { class: "cc-caps__alt" }, kbd("Alt")), kbd(key)) : null;
  return h("button", { type: "button", class: "cc-toggle", "data-layer": layer, "aria-pressed": String(LAYERS[layer]), on: { click: () => onSwitch(layer) } }, label, caps);
}
