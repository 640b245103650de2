// Answers on their way. An entry stays here, and in localStorage, until the server has acknowledged it; it is sent again
// under the same id, so it can neither be lost nor counted twice.

import { detail } from "./api.js";
import * as store from "./store.js";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;

export class Outbox {
  /** `listener` has changed(), saved(entry, data), refused(entry, data), signedOut(). */
  constructor(api, listener, signal) {
    this.api = api;
    this.listener = listener;
    this.signal = signal;
    this.name = null;
    this.entries = [];
    this.failures = 0;
    this.reason = "";
    this.sending = false;
    this.timer = null;
    window.addEventListener("online", () => this.retryNow(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** Only this person's entries are sent: what Ann left behind must not be saved as Ben's. */
  setName(name) {
    if (name === this.name) {
      if (this.failures > 0) this.retryNow();
      return;
    }
    this.name = name;
    const known = new Set(this.entries.map((entry) => entry.id));
    const left = store.keys("outbox.").map((key) => store.read(key));
    this.entries.push(...left.filter((entry) => entry && !known.has(entry.id)));
    this.entries.sort((a, b) => a.at - b.at);
    this.listener.changed();
    this.retryNow();
  }

  get waiting() {
    return this.entries.filter((entry) => entry.name === this.name);
  }

  has(ticket) {
    return this.waiting.some((entry) => entry.ticket === ticket);
  }

  /** "saved", "saving" or "retrying" */
  get state() {
    if (this.waiting.length === 0) return "saved";
    return this.failures > 0 ? "retrying" : "saving";
  }

  add(entry) {
    const full = { ...entry, name: this.name, at: Date.now() };
    this.entries.push(full);
    store.write(`outbox.${full.id}`, full);
    this.listener.changed();
    this.pump();
  }

  drop(entry) {
    this.entries = this.entries.filter((other) => other.id !== entry.id);
    store.remove(`outbox.${entry.id}`);
  }

  retryNow() {
    clearTimeout(this.timer);
    this.timer = null;
    this.pump();
  }

  /** One at a time and in order: a revision must not overtake what it revises. */
  async pump() {
    if (this.sending || this.timer !== null) return;
    this.sending = true;
    while (!this.signal.aborted && this.waiting.length > 0) {
      const entry = this.waiting[0];
      const { outcome, data, wait = 0 } = await this.api.post(entry.route, entry.body);
      if (outcome === "unreachable" || outcome === "signed-out") {
        this.failures += 1;
        // a server that is there may say why: its disk is full, say
        this.reason = detail(data, "");
        this.later(wait);
        if (outcome === "signed-out") this.listener.signedOut();
        break;
      }
      this.failures = 0;
      this.reason = "";
      this.drop(entry);
      if (outcome === "ok") this.listener.saved(entry, data);
      else this.listener.refused(entry, data);
      this.listener.changed();
    }
    this.sending = false;
    this.listener.changed();
  }

  /** `wait`: seconds that the server asks for. */
  later(wait = 0) {
    if (this.signal.aborted) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.failures - 1), LONGEST_DELAY_MS);
    this.timer = setTimeout(() => this.retryNow(), Math.max(wait * 1_000, delay * (0.8 + 0.4 * Math.random())));
  }
}

// randomUUID exists in secure contexts only, and a lab's server on plain http is none.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
