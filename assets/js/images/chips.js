// What is chosen, each with a button that takes it back.

import { button, h } from "../dom.js";
import { raterOf } from "../drawer/address.js";

const NAMES = { suite: "Suite", task: "Task", generator: "Generator", object: "Object", color: "Colour", count: "Count", relation: "Relation", says: "Verdict", people: "People", certainty: "People are", differs: "Differs", tag: "Tag", range: "Score", q: "Text", like: "Like" };

/** `onDrop(name, value)`, `onClear()`. */
export function chips(state, facets, onDrop, onClear) {
  const { choices } = state;
  const list = choices.map(([name, value]) => {
    const words = told(name, value, facets);
    const drop = h("button", { type: "button", class: "cc-chip__drop", "aria-label": `Take back ${words}`, title: "Take back", on: { click: () => onDrop(name, value) } }, "×");
    return h("li", { class: "cc-chip", "data-chip": name }, h("span", { class: "cc-chip__text" }, words), drop);
  });
  if (choices.length === 0) return [];
  const clear = button("Clear all", { kind: "quiet" }, onClear);
  return [h("ul", { class: "cc-chips", "aria-label": "Selected images" }, ...list), clear];
}

function told(name, value, facets) {
  const facet = facets.find((one) => one.name === name && one.values.some((other) => other.value === value));
  const known = facet?.values.find((other) => other.value === value);
  if (known && name === "differs") return known.title; // it tells by itself what it is
  if (known) return `${facet.title}: ${known.title ?? value}`;
  if (name === "range") {
    const [low, high = ""] = value.slice(raterOf(value).length + 1).split("..");
    const ends = low && high ? `${low} to ${high}` : low ? `from ${low}` : `up to ${high}`;
    return `${raterOf(value)} ${ends}`;
  }
  return `${NAMES[name] ?? name}: ${name === "q" ? `“${value}”` : value}`;
}
