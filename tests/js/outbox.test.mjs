// Answers on their way: none is lost, none counts twice, whatever becomes of the network, the page and the person.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { emptyStorage, settled } from "./browser.mjs";
import { Outbox } from "../../assets/js/outbox.js";

/** A server that stores an answer once under its id; each reply in turn is what `replies` says, then "ok".
 *  "lost": stored, and the reply does not arrive. */
class FakeServer {
  constructor(replies = []) {
    this.replies = replies;
    this.stored = [];
    this.requests = [];
  }

  async post(_route, body) {
    this.requests.push(body.id);
    const reply = this.replies.shift() ?? "ok";
    if (["ok", "lost"].includes(reply) && !this.stored.includes(body.id)) this.stored.push(body.id);
    return { outcome: reply === "lost" ? "unreachable" : reply, data: { detail: `says ${reply}` }, wait: this.wait };
  }
}

let pages;
let timers;
const { setTimeout: realTimeout } = globalThis;

beforeEach(() => {
  emptyStorage();
  pages = [];
  timers = [];
  globalThis.setTimeout = (action, ms) => timers.push({ action, ms });
});

afterEach(() => {
  for (const page of pages) page.abort();
  globalThis.setTimeout = realTimeout;
});

function open(server, name = "Ann") {
  const page = new AbortController();
  pages.push(page);
  const told = [];
  const listener = {
    changed: () => {},
    saved: (entry) => told.push(`saved ${entry.id}`),
    refused: (entry) => told.push(`refused ${entry.id}`),
    signedOut: () => told.push("signed out"),
  };
  const outbox = new Outbox(server, listener, page.signal);
  outbox.setName(name);
  return { outbox, told, close: () => page.abort() };
}

const answer = (id) => ({ id, ticket: `t-${id}`, route: "submit", body: { id } });

/** The next retry, as its timer would start it. */
async function retry() {
  timers.pop().action();
  await settled();
}

test("an answer whose reply is lost is sent again under its id, and counts once", async () => {
  const server = new FakeServer(["lost", "unreachable"]);
  const { outbox, told } = open(server);
  outbox.add(answer("a"));
  await settled();
  assert.equal(outbox.state, "retrying");
  await retry();
  await retry();
  assert.deepEqual(server.requests, ["a", "a", "a"]);
  assert.deepEqual(server.stored, ["a"]);
  assert.deepEqual(told, ["saved a"]);
  assert.equal(outbox.state, "saved");
});

test("answers that were not acknowledged are sent by the next page, in their order", async () => {
  const offline = new FakeServer(["unreachable", "unreachable", "unreachable"]);
  const first = open(offline);
  for (const id of ["a", "b", "c"]) first.outbox.add(answer(id));
  await settled();
  first.close();
  const server = new FakeServer();
  const { outbox } = open(server);
  await settled();
  assert.deepEqual(server.stored, ["a", "b", "c"]);
  assert.equal(outbox.waiting.length, 0);
  open(server);
  await settled();
  assert.deepEqual(server.requests, ["a", "b", "c"]);
});

test("a revision does not overtake what it revises", async () => {
  const server = new FakeServer(["unreachable"]);
  const { outbox } = open(server);
  outbox.add(answer("first"));
  outbox.add(answer("revision"));
  await settled();
  assert.deepEqual(server.requests, ["first"]);
  await retry();
  assert.deepEqual(server.stored, ["first", "revision"]);
});

test("what one person left behind is not saved as another's", async () => {
  const left = open(new FakeServer(["unreachable"]));
  left.outbox.add(answer("of Ann"));
  await settled();
  left.close();
  const server = new FakeServer();
  const ben = open(server, "Ben");
  ben.outbox.add(answer("of Ben"));
  await settled();
  assert.deepEqual(server.stored, ["of Ben"]);
  ben.outbox.setName("Ann");
  await settled();
  assert.deepEqual(server.stored, ["of Ben", "of Ann"]);
});

test("a refused answer is told and not sent again; what waits behind it is", async () => {
  const server = new FakeServer(["refused"]);
  const { outbox, told } = open(server);
  outbox.add(answer("late"));
  outbox.add(answer("next"));
  await settled();
  assert.deepEqual(told, ["refused late", "saved next"]);
  assert.deepEqual(server.requests, ["late", "next"]);
});

test("somebody signed out keeps the answer until they are back", async () => {
  const server = new FakeServer(["signed-out"]);
  const { outbox, told } = open(server);
  outbox.add(answer("a"));
  await settled();
  assert.deepEqual(told, ["signed out"]);
  assert.equal(outbox.has("t-a"), true);
  outbox.setName("Ann");
  await settled();
  assert.deepEqual(server.stored, ["a"]);
});

test("without room in the browser's storage answers wait in the page", async () => {
  globalThis.localStorage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  const server = new FakeServer(["unreachable"]);
  const { outbox } = open(server);
  outbox.add(answer("a"));
  await settled();
  await retry();
  assert.deepEqual(server.stored, ["a"]);
});

test("a server that asks for time gets it, and no pause is longer than a quarter of a minute", async () => {
  const server = new FakeServer(Array(12).fill("unreachable"));
  const { outbox } = open(server);
  outbox.add(answer("a"));
  await settled();
  assert.ok(timers.at(-1).ms <= 1_200);
  server.wait = 60;
  await retry();
  assert.ok(timers.at(-1).ms >= 60_000);
  server.wait = 0;
  for (let n = 0; n < 8; n += 1) await retry();
  assert.ok(timers.at(-1).ms > 5_000 && timers.at(-1).ms <= 18_000);
});
