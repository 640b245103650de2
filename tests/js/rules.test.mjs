// The form's rules by hand; tests/e2e/test_questionnaires.py compares them with the server's on thousands of drawn answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, suggestions, toggled, unanswered, visible } from "../../assets/js/form/rules.js";

const question = (id, more = {}) => ({ id, kind: "choice", options: [], shown_if: [], member: null, optional: false, alone: [], ...more });
const when = (id, values = null) => ({ question: id, values });

const FORM = {
  blanks: [{ id: "blank_image", member: null }],
  questions: [
    question("there"),
    question("count", { kind: "count", shown_if: [when("there", ["yes"])] }),
    question("why", { kind: "text", optional: true, shown_if: [when("count")] }),
  ],
};

test("a question shows once what it rests on is answered so, and goes with it", () => {
  assert.deepEqual(visible(FORM, {}), ["there"]);
  assert.deepEqual(visible(FORM, { there: "yes", count: 2 }), ["there", "count", "why"]);
  // a changed mind: the count is still there, and holds nothing open any more
  assert.deepEqual(visible(FORM, { there: "no", count: 2 }), ["there"]);
});

test("only answers to shown questions are sent, without blanks", () => {
  assert.deepEqual(clean(FORM, { there: "no", count: 2, why: "x" }), { there: "no" });
  assert.deepEqual(clean(FORM, { there: "yes", count: 0, why: "  it floats " }), { there: "yes", count: 0, why: "it floats" });
  assert.deepEqual(clean(FORM, { there: "yes", blank_image: "yes" }), { blank_image: "yes" });
});

test("what must still be answered leaves out what may stay open", () => {
  assert.deepEqual(unanswered(FORM, { there: "yes", count: 0 }), []);
  assert.deepEqual(unanswered(FORM, { there: "yes", count: "" }), ["count"]);
});

test("of several images the questions about a blank one are void, those about all once all are", () => {
  const pair = {
    blanks: [0, 1].map((member) => ({ id: `blank_${member}`, member })),
    questions: [question("left", { member: 0 }), question("right", { member: 1 }), question("better")],
  };
  assert.deepEqual(visible(pair, { blank_0: "yes" }), ["right", "better"]);
  assert.deepEqual(visible(pair, { blank_0: "yes", blank_1: "yes" }), []);
});

test("ticks stand in the form's order, and 'none of these' stands alone", () => {
  const options = ["left of", "above", "none"].map((value) => ({ value }));
  const relation = question("relation", { kind: "multi", options, alone: ["none"] });
  assert.deepEqual(toggled(relation, ["above"], "left of", true), ["left of", "above"]);
  assert.deepEqual(toggled(relation, ["left of", "above"], "none", true), ["none"]);
  assert.deepEqual(toggled(relation, ["none"], "above", true), ["above"]);
  assert.deepEqual(toggled(relation, ["left of", "above"], "above", false), ["left of"]);
});

test("counting suggests a score from the table, and none beyond it", () => {
  const counter = { elements: "n", missed: ["m"], scores: ["score"], table: [[5, 3, 1]] };
  assert.deepEqual([...suggestions({ counter }, { n: 1, m: 0.5 })], [["score", 3]]);
  assert.deepEqual([...suggestions({ counter }, { n: 2, m: 0 })], [["score", null]]);
  assert.deepEqual([...suggestions({ counter }, {})], [["score", null]]);
});
