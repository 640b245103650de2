// The questionnaire's rules as the server has them (annotation/questionnaires/base.py): visible, blank, clean.

export const CANNOT_TELL = "cannot_tell";

export function isBlank(value) {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && value.length === 0;
}

function holds(condition, answers) {
  const answer = answers[condition.question];
  return condition.values === null ? !isBlank(answer) : condition.values.includes(answer);
}

/** Ids of the questions shown under these answers, in order: a condition on a hidden question does not hold. */
export function visible(questionnaire, answers) {
  const shown = [];
  for (const question of questionnaire.questions) {
    if (question.shown_if.every((c) => shown.includes(c.question) && holds(c, answers))) shown.push(question.id);
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
  return kept;
}

export function unanswered(questionnaire, answers) {
  return visible(questionnaire, answers).filter((id) => isBlank(answers[id]));
}
