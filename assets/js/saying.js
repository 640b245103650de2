// What a rater says, in short: a dot for who, a name that gives way, and a value that never does.

import { h } from "./dom.js";

/** `label` is what is said where it is yes or no; `kind` colours the dot: people, simulated or scorer. */
export function saying(who, value, label = "", { kind = kindOf(who), differs = false } = {}) {
  const says = { yes: "yes", no: "no" }[label] ?? "other";
  const title = differs ? `${who}: ${value}, people say otherwise` : `${who}: ${value}`;
  return h("span", { class: differs ? "cc-saying is-other" : "cc-saying", "data-says": says, title }, h("i", { class: `cc-saying__dot cc-point cc-point--${kind}`, "aria-hidden": "true" }), h("span", { class: "cc-saying__who" }, who), h("strong", { class: "cc-saying__value" }, differs ? `${value} ≠` : value));
}

/** How many of all say yes. */
export function share(who, yes, all, more = {}) {
  return saying(who, `${yes}/${all}`, majority(yes, all - yes) ?? "", more);
}

/** What most say; null where nobody says anything, or as many say yes as no. */
export function majority(yes, no) {
  return yes > no ? "yes" : no > yes ? "no" : null;
}

function kindOf(who) {
  if (who === "people") return "people";
  return who.startsWith("simulated") ? "simulated" : "scorer";
}
