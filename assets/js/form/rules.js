// The questionnaire's rules as the server has them (annotation/questionnaires/base.py): visible, blank, clean.

import { t } from "../texts.js";

export const CANNOT_TELL = "cannot_tell";

export function isBlank(value) {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && value.length === 0;
}

/** Kinds whose answer is a list of what is ticked. */
export const isTicked = (question) => ["colors", "multi"].includes(question.kind);

export const saysBlank = (answers, blank) => answers[blank.id] === "yes";

/** Of a blank image nothing is asked; what is asked of all images together is void when all of them are. */
function isVoid(questionnaire, question, answers) {
  const said = questionnaire.blanks.filter((blank) => saysBlank(answers, blank)).map((blank) => blank.member);
  if (said.length === 0) return false;
  return said.length === questionnaire.blanks.length || (question.member !== null && said.includes(question.member));
}

function holds(condition, ticked, answers) {
  const answer = answers[condition.question];
  if (condition.values === null) return !isBlank(answer);
  const given = ticked && Array.isArray(answer) ? answer : [answer];
  return given.some((one) => condition.values.includes(one));
}

/** Ids of the questions shown under these answers, in order: a condition on a hidden question does not hold. */
export function visible(questionnaire, answers) {
  const ticked = new Set(questionnaire.questions.filter(isTicked).map((question) => question.id));
  const shown = [];
  for (const question of questionnaire.questions) {
    const met = (c) => shown.includes(c.question) && holds(c, ticked.has(c.question), answers);
    if (!isVoid(questionnaire, question, answers) && question.shown_if.every(met)) shown.push(question.id);
  }
  return shown;
}

/** The answers to send: those of shown questions only, so that a changed mind leaves nothing behind. */
export function clean(questionnaire, answers) {
  const kept = {};
  for (const id of visible(questionnaire, answers)) {
    const value = answers[id];
    if (!isBlank(value)) kept[id] = typeof value === "string" ? value.trim() : value;
  }
  for (const blank of questionnaire.blanks) if (saysBlank(answers, blank)) kept[blank.id] = "yes";
  return kept;
}

/** Ids of the questions shown that must still be answered. */
export function unanswered(questionnaire, answers) {
  const optional = new Set(questionnaire.questions.filter((question) => question.optional).map((question) => question.id));
  return visible(questionnaire, answers).filter((id) => isBlank(answers[id]) && !optional.has(id));
}

/** Why a number typed into a field is no answer, in words; null if it is one, or nothing is typed. */
export function problem({ numbers }, answer) {
  if (!numbers || isBlank(answer) || answer === CANNOT_TELL) return null;
  const isOnScale = typeof answer === "number" && answer >= numbers.low && answer <= numbers.high && Number.isInteger((answer - numbers.low) / numbers.step);
  return isOnScale ? null : t("Please give a number from {low} to {high}, in steps of {step}.", numbers);
}

/** What counting suggests, by question: the score, or null where nothing has been counted (annotation/questionnaires/base.py). */
export function suggestions({ counter }, answers) {
  if (!counter) return new Map();
  const n = answers[counter.elements];
  const score = (k) => {
    const missed = answers[counter.missed[k]];
    return (typeof missed === "number" ? counter.table[n - 1]?.[2 * missed] : null) ?? null;
  };
  return new Map(counter.scores.map((id, k) => [id, score(k)]));
}

/** The list with one value more or less, in the order of the form; what goes with no other takes its place alone. */
export function toggled(question, ticked, value, isOn) {
  const alone = (one) => question.alone.includes(one);
  const others = ticked.filter((one) => one !== value && !(isOn && (alone(value) || alone(one))));
  return question.options.map((option) => option.value).filter((one) => (one === value ? isOn : others.includes(one)));
}
