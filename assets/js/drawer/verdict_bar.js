// Adjudication in the drawer: who disagrees about an image, and by one key who was wrong. The verdict is saved and the next image comes.

import { button, h, kbd, uniqueId } from "../dom.js";
import { saying, share } from "../saying.js";

const LETTERS = "abcdefghij";
const OPEN = [["prompt", "Prompt unclear"], ["guideline", "Rules leave it open"]];

export class VerdictBar {
  /** `drawer` has raters (scorers by how much they matter here), aspect (of the listing), rule(body), takeBack(unit), makeGold() and save(body) -> null, or why not. */
  constructor(drawer) {
    this.drawer = drawer;
    this.data = null;
    this.unit = null; // which disagreement is chosen, where there are several
    this.asks = false; // which of several scorers is wrong, by a letter
    this.element = h("section", { class: "cc-ruling", "aria-label": "Verdict", hidden: true });
  }

  /** `data`: the cases and verdicts of one image. */
  draw(data) {
    this.data = data;
    const { cases } = data;
    const disputed = cases.filter(({ sides }) => sides.length > 0);
    this.element.hidden = cases.length === 0;
    if (!cases.length) return;
    // what the listing is about comes first, then the verdict on the whole image
    const rank = ({ aspect }) => (aspect === this.drawer.aspect ? 0 : aspect === "correct" ? 1 : 2);
    disputed.sort((a, b) => rank(a) - rank(b));
    this.current = disputed.find((one) => named(one) === this.unit) ?? disputed[0] ?? null;
    this.choices = this.current ? choices(this.current, this.drawer.raters) : [];
    this.asks = false;
    const other = h("details", { class: "cc-ruling__other" }, h("summary", {}, "Another verdict"), form(this.current ? [this.current, ...cases.filter((one) => one !== this.current)] : cases, (body) => this.drawer.save(body)));
    this.element.replaceChildren(...(this.current ? this.question(disputed) : this.agreed()), ...this.given(), other);
  }

  question(disputed) {
    const { current } = this;
    const title = h("h3", { class: "cc-drawer__heading" }, "Who is wrong?", named(current) === "correct" ? null : h("span", { class: "cc-muted" }, ` ${named(current)}`));
    const units = disputed.length > 1
      ? h("div", { class: "cc-row cc-ruling__units", role: "group", "aria-label": "What they differ on" }, ...disputed.map((one) => h("button", { type: "button", class: "cc-toggle", "aria-pressed": String(one === current), on: { click: () => this.choose(one) } }, named(one))))
      : null;
    const verdict = this.verdictOf(current);
    const choice = ({ text, right, body, scorers }, key, act) => {
      const pressed = verdict !== undefined && [body, ...(scorers ?? []).map((one) => one.body)].some(({ wrong, verdict: what, rater }) => verdict.wrong === wrong && verdict.verdict === what && verdict.rater_id === rater);
      return h("button", { type: "button", class: "cc-ruling__choice", "aria-pressed": String(pressed), "aria-expanded": scorers ? "false" : null, on: { click: act } }, kbd(key), h("span", { class: "cc-ruling__text" }, text), right ? h("span", { class: "cc-muted" }, right) : null);
    };
    const buttons = this.choices.flatMap((one, n) => {
      const button = choice(one, String(n + 1), () => this.press(n + 1));
      if (!one.scorers) return [button];
      this.opener = button;
      this.which = h("div", { class: "cc-ruling__which", role: "group", "aria-label": "Which scorer?", hidden: true }, ...one.scorers.map((scorer, k) => choice(scorer, LETTERS[k], () => this.drawer.rule(scorer.body, scorer.text))));
      return [button, this.which];
    });
    // what they say of the whole image stands among the verdicts above
    const says = current.target || current.aspect !== this.drawer.aspect ? h("div", { class: "cc-row cc-ruling__says" }, ...sayings(current)) : null;
    return [title, says, units, h("div", { class: "cc-ruling__choices" }, ...buttons)].filter(Boolean);
  }

  agreed() {
    return [h("p", { class: "cc-muted" }, "There is no yes or no on which people and scorers differ.")];
  }

  /** The verdicts so far, each with a way to take it back. */
  given() {
    if (!this.data.verdicts.length) return [];
    const lines = this.data.verdicts.map((one) => {
      const words = h("p", {}, `${named(one)}: `, h("strong", {}, one.verdict), `, wrong: ${one.rater_id ?? { person: "whoever says otherwise" }[one.wrong] ?? `the ${one.wrong}`}`);
      const back = button("Take back", { kind: "quiet", "aria-label": `Take the verdict on ${named(one)} back` }, () => this.drawer.takeBack(one));
      return h("li", {}, h("div", { class: "cc-row cc-ruling__given" }, words, back), one.note ? h("p", { class: "cc-pre" }, one.note) : null, h("small", { class: "cc-detail" }, `${one.made_by} · ${moment(one.moment)}`));
    });
    const gold = button("Make gold", { key: "g" }, () => this.drawer.makeGold());
    return [h("ul", { class: "cc-remarks__list cc-ruling__list", "aria-label": "Verdicts so far" }, ...lines), h("div", { class: "cc-row" }, gold)];
  }

  verdictOf(unit) {
    return this.data.verdicts.find((one) => named(one) === named(unit));
  }

  choose(unit) {
    this.unit = named(unit);
    this.draw(this.data);
    this.element.querySelector("[aria-pressed=true]")?.focus();
  }

  /** The key 1 to 4 was pressed; false if it means nothing here. */
  press(n) {
    const choice = this.element.isConnected && !this.element.hidden ? this.choices?.[n - 1] : null;
    if (choice?.scorers) this.ask(!this.asks);
    else if (choice) this.drawer.rule(choice.body, choice.text);
    return Boolean(choice);
  }

  /** Ask which scorer is wrong, or no more; false if it was so already. */
  ask(on) {
    if (this.asks === on) return false;
    this.asks = on;
    this.which.hidden = !on;
    this.opener.setAttribute("aria-expanded", String(on));
    if (on) this.which.firstChild.focus();
    return true;
  }

  /** The scorer of a letter, while it is asked which one is wrong; undefined otherwise. */
  scorerOf(letter) {
    return this.asks && !this.element.hidden ? this.choices.find(({ scorers }) => scorers).scorers[LETTERS.indexOf(letter)] : undefined;
  }
}

/**
 * What one key each says: either side was wrong, then what the other says is right; or nobody was. Where several scorers say the
 * same, and the listing is about none of them, the first key asks which of them is wrong.
 */
function choices({ aspect, target, sides }, raters) {
  const preferred = raters.map((name) => sides.find(([side]) => side.rater === name)).find(Boolean);
  const [one, other] = preferred ?? sides[0];
  const alike = preferred ? [] : sides.filter(([side, against]) => side.rater && side.wrong === "scorer" && side.label === one.label && against.wrong === "person");
  const among = one.wrong === "person" && other.wrong === "person";
  const wrong = (side, right) => ({ text: `${who(side, among)} wrong`, right: `right: ${right.label}`, body: { aspect, target, verdict: right.label, wrong: side.wrong, rater: side.rater } });
  const first = alike.length > 1 ? { ...wrong(one, other), text: "A scorer is wrong", scorers: alike.slice(0, LETTERS.length).map(([side]) => wrong(side, other)) } : wrong(one, other);
  return [first, wrong(other, one), ...OPEN.map(([kind, text]) => ({ text, right: null, body: { aspect, target, verdict: other.label, wrong: kind, rater: null } }))];
}

function who(side, among) {
  if (side.rater) return `${side.rater} is`;
  return among ? `Those who say ${side.label} are` : "People are";
}

/** Everybody's answer in short: each scorer's, then people's, the most frequent first. */
function sayings({ said }) {
  const people = said.filter(({ kind }) => kind === "human");
  const counts = new Map();
  for (const { label } of people) counts.set(label, (counts.get(label) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const alone = people.length === 1;
  const scorers = said.filter(({ kind }) => kind === "scorer").map(({ rater, label }) => saying(rater, label, label));
  if (people.length > 1 && sorted.every(([label]) => ["yes", "no"].includes(label))) return [...scorers, share("people", counts.get("yes") ?? 0, people.length)];
  return [
    ...scorers,
    ...sorted.map(([label, n]) => saying(alone ? people[0].rater : "people", alone ? label : `${label} ${n}/${people.length}`, label, { kind: people[0].rater.startsWith("simulated") ? "simulated" : "people" })),
  ];
}

/** A moment for people, to the minute. */
export function moment(text) {
  return text ? `${text.slice(0, 16).replace("T", " ")} UTC` : "";
}

function named({ aspect, target }) {
  return target ? `${aspect}: ${target}` : aspect;
}

/** Any verdict: what is right fills who was wrong, as those are whoever says something else. */
function form(cases, send) {
  const what = choice("About", cases.map((one, n) => [String(n), named(one)]));
  const right = choice("What is right", []);
  const wrong = choice("Who was wrong", []);
  const note = h("input", { class: "cc-input", type: "text", maxlength: "4000", "aria-label": "Why (may stay empty)", placeholder: "why (may stay empty)" });
  const trouble = h("p", { class: "cc-bad", role: "alert" });
  const current = () => cases[Number(what.select.value)];
  let blamed = [];
  const blame = () => {
    const against = current().said.filter(({ kind, label }) => ["scorer", "human"].includes(kind) && label !== right.select.value);
    const people = against.filter(({ kind }) => kind === "human");
    blamed = [
      ...against.filter(({ kind }) => kind === "scorer").map(({ rater, label }) => ({ wrong: "scorer", rater, text: `${rater}, who says ${label}` })),
      ...(people.length > 1 ? [{ wrong: "person", rater: null, text: `all ${people.length} people who say otherwise` }] : []),
      ...people.map(({ rater, label }) => ({ wrong: "person", rater, text: `${rater}, who says ${label}` })),
      { wrong: "prompt", rater: null, text: "the prompt, which is ambiguous" },
      { wrong: "guideline", rater: null, text: "the guideline, which leaves it open" },
    ];
    fill(wrong.select, blamed.map(({ text }, n) => [String(n), text]));
  };
  const ask = () => {
    fill(right.select, current().labels.map((label) => [label, label]));
    blame();
  };
  what.select.addEventListener("change", ask);
  right.select.addEventListener("change", blame);
  ask();
  const save = button("Save verdict", { "data-part": "rule" }, async () => {
    const { aspect, target } = current();
    const { wrong: kind, rater } = blamed[Number(wrong.select.value)];
    trouble.textContent = (await send({ aspect, target, verdict: right.select.value, wrong: kind, rater, note: note.value })) ?? "";
  });
  return h("div", { class: "cc-remarks__form" }, what.element, right.element, wrong.element, note, h("div", { class: "cc-row" }, save), trouble);
}

function choice(label, options) {
  const id = uniqueId("cc-choice");
  const select = h("select", { class: "cc-input", id });
  fill(select, options);
  return { select, element: h("div", { class: "cc-remarks__choice" }, h("label", { for: id }, label), select) };
}

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
}
