// What a rater says, in short: a name that gives way, and a value that never does.

import { h } from "./dom.js";

/** `label` tells its colour: yes, no, or none of the two. */
export function saying(who, value, label = "") {
  const kind = { yes: "yes", no: "no" }[label] ?? "other";
  return h("span", { class: "cc-saying", "data-says": kind, title: `${who}: ${value}` }, h("span", { class: "cc-saying__who" }, who), h("strong", { class: "cc-saying__value" }, value));
}

/** How many of all say yes; its colour is what most say. */
export function share(who, yes, all) {
  return saying(who, `${yes}/${all}`, 2 * yes > all ? "yes" : 2 * yes < all ? "no" : "");
}
