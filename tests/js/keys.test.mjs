// What a key of the form does, without a form: an answer's own key comes first, and a key held down does nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, outsideFields } from "../../assets/js/form/keys.js";

/** A form on which `press` says what a key did; `answers` are the keys of the question's options. */
function form({ isOpen = true, answers = "yn12", failed = false, item = true, screen = "item" } = {}) {
  const done = [];
  const does = (name) => (argument) => done.push(argument === undefined ? name : `${name} ${argument}`);
  const key = (pressed) => {
    if (!answers.includes(pressed)) return false;
    done.push(`answer ${pressed}`);
    return true;
  };
  const made = {
    help: does("help"),
    undo: does("undo"),
    skip: does("skip"),
    zoom: () => done.push("zoom"),
    screen,
    actions: { skip: does("skip"), unskip: does("unskip"), mine: does("mine"), pause: does("pause"), report: does("report") },
    item: item ? { isOpen, key, confirm: () => done.push("confirm"), step: does("step"), pictures: { failed } } : null,
  };
  const press = (pressed, { repeat = false, on = null, ...event } = {}) => {
    done.length = 0;
    const target = { closest: () => on };
    const used = outsideFields(made, { key: pressed, repeat, target, shiftKey: false, ...event });
    return used ? done.join(", ") || "nothing" : null;
  };
  return press;
}

test("a key answers, goes on, goes back or opens what it is named for", () => {
  const press = form();
  const meanings = { y: "answer y", Enter: "confirm", Backspace: "step -1", s: "skip", z: "zoom", u: "undo", "?": "help", "!": "report" };
  for (const [key, meaning] of Object.entries(meanings)) assert.equal(press(key), meaning, key);
  assert.equal(press("Enter", { shiftKey: true }), "step -1");
  assert.equal(press("q"), null);
});

test("an answer's key is the answer's, also where the form has such a key", () => {
  const press = form({ answers: "sz" });
  assert.equal(press("s"), "answer s");
  assert.equal(press("z"), "answer z");
});

test("a key held down neither answers nor goes on", () => {
  const press = form();
  for (const key of ["y", "s", "Enter", "Backspace", "u", "!"]) assert.equal(press(key, { repeat: true }), "nothing", key);
});

test("Enter on a button presses the button", () => {
  const press = form();
  assert.equal(press("Enter", { on: {} }), null);
});

test("before the picture is there nothing can be answered; a picture that does not load can be skipped", () => {
  const waiting = form({ isOpen: false });
  for (const key of ["y", "Enter", "s"]) assert.equal(waiting(key), "nothing", key);
  assert.equal(form({ isOpen: false, failed: true })("s"), "skip");
});

test("after the last item only what is behind can be looked at", () => {
  const press = form({ item: false, screen: "done" });
  assert.equal(press("u"), "undo");
  assert.equal(press("h"), "mine");
  assert.equal(press("y"), null);
  assert.equal(press("s"), null);
});

test("digits are told by their place where a keyboard types them with Shift", () => {
  assert.equal(keyOf({ key: "1", code: "Digit1" }), "1");
  assert.equal(keyOf({ key: "&", code: "Digit1" }), "1");
  assert.equal(keyOf({ key: "!", code: "Digit1", shiftKey: true }), "!");
  assert.equal(keyOf({ key: "Y", code: "KeyY", shiftKey: true }), "y");
  assert.equal(keyOf({ key: "ArrowLeft" }), "ArrowLeft");
});
