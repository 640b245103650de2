// What people answered to one image, a line each: who, what, how long they looked.

import { h } from "../dom.js";
import { fixed } from "../numbers.js";

const MOST = 6; // lines at once

/** Null where no person has answered; `me` is marked as "you". */
export function peopleList({ annotations, judgements }, aspect, me) {
  const said = judgements.filter((one) => one.kind === "human" && one.aspect === aspect && one.target === null);
  if (!said.length) return null;
  const given = new Map(annotations.filter(({ superseded }) => !superseded).map((one) => [one.rater_id, one]));
  const rows = said.map((one) => line(one, given.get(one.rater_id), me));
  const more = rows.length - MOST;
  const rest = more > 0 ? h("details", { class: "cc-answered__more" }, h("summary", {}, `${more} more`), ...rows.splice(MOST)) : null;
  return h("section", { "aria-label": "What people answered" }, h("h3", { class: "cc-drawer__heading" }, "What people answered"), h("div", { class: "cc-answered" }, ...rows), rest);
}

function line({ rater_id: name, label, value, simulated }, answer, me) {
  const seconds = answer?.active_seconds ? `${fixed(answer.active_seconds, 0)} s` : "";
  const notes = [seconds, answer?.saw_evidence ? "saw the evidence" : "", name === me ? "you" : "", remark(answer)].filter(Boolean).join(" · ");
  return h("div", { class: "cc-answered__line" }, h("span", { class: `cc-drawer__dot cc-point cc-point--${simulated ? "simulated" : "people"}`, "aria-hidden": "true" }), h("span", { class: "cc-verdicts__who", title: name }, name), h("strong", {}, label ?? (value === null ? "–" : fixed(value, 1))), h("span", { class: "cc-verdicts__why" }, notes));
}

/** What they wrote beside it. */
function remark(answer) {
  const text = answer?.answers?.comment ?? answer?.answers?.remark;
  return typeof text === "string" && text ? `“${text}”` : "";
}
