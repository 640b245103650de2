// The form of one given image, in the drawer: the questions, keys and outbox of /annotate, without its queue.

import { detail } from "../api.js";
import { ActivityTimer } from "../form/activity_timer.js";
import { button, h } from "../dom.js";
import { Item } from "../form/item.js";
import { listenToKeys } from "../form/keys.js";
import { newId, Outbox } from "../outbox.js";
import { nameScreen } from "../form/screens.js";
import * as store from "../store.js";

const STATUS = { saved: "Saved", saving: "Saving …", retrying: "Not saved yet: will be saved", refused: "Not saved" };
const MOST_SCORERS = 3;
const WHY_A_NAME = "Your answers, and what you uncover, are stored under this name. You enter it once.";

export class AnswerPanel {
  /** `drawer` has api, dialogs, help(), zoom(), next(), renamed() and answered(ticket). */
  constructor(drawer, signal) {
    this.drawer = drawer;
    this.dialogs = drawer.dialogs;
    this.activityTimer = new ActivityTimer(signal);
    this.outbox = new Outbox(drawer.api, this, signal);
    this.item = null;
    this.screen = null;
    this.task = null;
    this.name = null;
    this.notice = h("div", { class: "cc-notice cc-desk__notice", role: "status", hidden: true });
    this.body = h("div", { class: "cc-desk__body" });
    this.status = h("p", { class: "cc-form__status", role: "status", "aria-live": "polite" });
    this.submitButton = button("Submit", { key: "Enter", kind: "primary" }, () => this.submitOrComplain());
    this.back = button("Keep it unchanged", { key: "u" }, () => this.undo());
    this.foot = h("footer", { class: "cc-desk__foot", hidden: true }, this.status, this.back, this.submitButton);
    this.who = h("div", { class: "cc-desk__who" });
    this.root = h("section", { class: "cc-desk", "aria-label": "Your answer", tabindex: "-1" }, this.who, this.notice, this.body, this.foot);
    listenToKeys(this, signal, { everywhere: false });
    window.addEventListener("beforeunload", (event) => this.beforeUnload(event), { signal });
    store.forgetOldDrafts();
  }

  destroy() {
    this.keepDraft();
  }

  // ---- what is shown ----

  /** `task` as /api/studio/task tells it; `seen` says in words why an answer will not be blind, if it will not. */
  open(task, { focus = false, seen = "" } = {}) {
    this.keepDraft();
    this.item = null;
    this.task = task;
    this.seen = seen;
    this.rename(task.name ?? this.drawer.item.name ?? null);
    this.tell("");
    if (task.state === "none") return this.place("none", null);
    if (task.state === "name") return this.askName();
    if (this.outbox.has(task.ticket)) return this.showAnswered("Your answer is being saved");
    if (task.answers) return this.showAnswered("You have answered this image");
    return this.showForm(task, { focus });
  }

  showForm(task, { focus = true, errors = null } = {}) {
    this.item = new Item(task, this, { showsPictures: false });
    this.place("form", this.item.list);
    if (errors) this.item.complain(errors);
    else if (this.seen) this.tell(this.seen);
    if (focus) this.focus();
  }

  showAnswered(title, focusNext = false) {
    this.item = null;
    const { task } = this;
    const surplus = task.status === "surplus" ? h("p", { class: "cc-muted" }, "This item already had enough blind answers: yours is stored, but not counted in agreement.") : null;
    const next = button("Next image", { key: "n", kind: "primary" }, () => this.drawer.next(true));
    const revise = task.revises ? button("Revise", { key: "u" }, () => this.undo()) : null;
    const state = task.blind === false ? h("span", { class: "cc-badge cc-badge--warn" }, "not blind") : task.blind ? h("span", { class: "cc-badge cc-badge--ok" }, "blind") : null;
    const heading = h("h3", { class: "cc-heading" }, title, " ", state);
    const given = task.answers ? answers(task) : null;
    this.place("done", h("div", { class: "cc-card cc-stack cc-desk__answered" }, heading, surplus, matching(task.matches ?? []), h("div", { class: "cc-row" }, next, revise), given));
    if (focusNext) next.focus({ preventScroll: true });
  }

  askName(why = WHY_A_NAME, focus = false) {
    const title = h("h3", { class: "cc-title" }, "Who is judging?");
    const screen = nameScreen((name) => this.giveName(name), { title, why });
    this.place("name", screen.element);
    if (focus) screen.focus();
  }

  place(screen, element) {
    this.screen = screen;
    this.root.dataset.screen = screen;
    this.root.hidden = element === null;
    this.body.replaceChildren(...(element ? [element] : []));
    this.body.scrollTop = 0;
    this.changed();
  }

  tell(text) {
    this.notice.hidden = !text;
    this.notice.textContent = text;
  }

  rename(name) {
    this.name = name;
    const change = name === null ? null : button("not you?", { kind: "quiet", "aria-label": `Not ${name}? Change the name` }, () => this.leave());
    this.who.replaceChildren(...(name === null ? [] : [h("span", { class: "cc-desk__name" }, "You answer as ", h("strong", {}, name)), change]));
    if (name !== null) this.outbox.setName(name);
  }

  async giveName(name) {
    const { outcome, data } = await this.drawer.api.post("name", { name });
    if (outcome === "unreachable") return "The server cannot be reached. Please try again in a moment.";
    if (outcome !== "ok") return detail(data, "This name was not accepted.");
    this.drawer.renamed();
    return null;
  }

  async leave() {
    if (this.outbox.waiting.length > 0) return this.tell("Your last answers are still being saved. Please change the name when they are.");
    this.keepDraft();
    const { outcome } = await this.drawer.api.post("leave", {});
    return outcome === "ok" ? this.drawer.renamed() : this.tell("The server cannot be reached just now.");
  }

  // ---- what the person does ----

  /** Whether an answer for the image that is open is still on its way. */
  get isUnsaved() {
    return Boolean(this.task?.ticket) && this.outbox.waiting.some((entry) => entry.body.ticket === this.task.ticket);
  }

  /** Go to where the person answers; false if there is nothing to go to. */
  focus() {
    if (this.item) this.item.show();
    else if (this.root.hidden) return false;
    else this.root.querySelector("input, .cc-button--primary")?.focus();
    return true;
  }

  submitOrComplain() {
    this.item?.confirm();
  }

  submit(item) {
    const { task } = item;
    const revises = task.revises ?? null;
    const seconds = Math.round(item.seconds * 10) / 10;
    const id = newId();
    const quick = task.questionnaire.name === "yes_no";
    const about = { id, ticket: task.ticket, offer: item.offer, revises, quick };
    const body = { ...about, answers: item.result, started: item.started, active_seconds: seconds };
    item.dropDraft();
    this.item = null;
    this.tell("");
    this.outbox.add({ id, route: "submit", ticket: revises ? null : task.ticket, body, task });
    this.task = { ...task, answers: body.answers, status: null, blind: null, matches: [] };
    this.showAnswered("Your answer is being saved", true);
  }

  /** U: revise the answer that is given; while revising, leave it as it is. */
  undo() {
    if (this.item?.task.revises) {
      this.item.dropDraft();
      this.showAnswered("You have answered this image", true);
    } else if (this.screen === "done" && this.task.revises && !this.isUnsaved) {
      this.showForm(this.task);
    }
  }

  skip() {
    this.drawer.next(true);
  }

  help() {
    this.drawer.help();
  }

  zoom() {
    this.drawer.zoom();
  }

  get questionnaire() {
    return this.task?.questionnaire ?? null;
  }

  keepDraft() {
    if (this.item && Object.keys(this.item.answers).length > 0) this.item.saveDraft();
  }

  beforeUnload(event) {
    this.keepDraft();
    if (this.outbox.waiting.length > 0) event.preventDefault();
  }

  // ---- what the item and the outbox report ----

  /** The questions scroll in their own frame, so that the picture stays where it is. */
  reveal(element) {
    const { body } = this;
    if (body.scrollHeight > body.clientHeight) body.scrollTop += element.getBoundingClientRect().top - body.getBoundingClientRect().top - (body.clientHeight - element.offsetHeight) / 2;
    else element.scrollIntoView({ block: "nearest" });
  }

  ready(item) {
    if (item === this.item) this.submitButton.focus({ preventScroll: true });
  }

  progressed({ missing, task }) {
    this.submitButton.firstChild.textContent = missing.length > 0 ? "Next" : task.revises ? "Save change" : "Submit";
  }

  changed() {
    const { state, waiting } = this.outbox;
    const busy = state !== "saved";
    this.status.textContent = busy ? STATUS[state] + (waiting.length > 1 ? ` (${waiting.length} answers)` : "") : "";
    this.status.dataset.status = state;
    const asking = this.screen === "form";
    this.submitButton.hidden = !asking;
    this.back.hidden = !asking || !this.item?.task.revises;
    this.foot.hidden = !asking && !busy; // what is not saved yet must be seen
    this.drawer.outboxChanged(this.outbox);
  }

  saved(entry, data) {
    if (entry.route === "studio/verdict") this.drawer.verdictSaved(entry, data);
    if (entry.route === "submit" && entry.body.ticket === this.task?.ticket) this.drawer.answered();
  }

  /** The server said no: the answer is kept as a draft of its image, and comes back with the reason if that is open. */
  refused(entry, data) {
    if (entry.route === "studio/verdict") this.drawer.verdictRefused(entry, detail(data, "the app refused."));
    if (entry.route !== "submit") return;
    const why = detail(data, "The server did not accept this answer.");
    const task = { ...entry.task, answers: entry.body.answers };
    if (entry.body.ticket === this.task?.ticket) {
      this.showForm(task, { errors: data.errors ?? {} });
      this.item.saveDraft();
      this.tell(`Not saved: ${why}`);
    } else {
      new Item(task, this, { showsPictures: false }).saveDraft();
      this.tell(`An earlier answer was not saved (${why}). It is saved as a draft of its image.`);
    }
  }

  signedOut() {
    this.drawer.renamed();
  }
}

/** How often each scorer says what the person says: what an answer has changed. */
function matching(matches) {
  const parts = matches.slice(0, MOST_SCORERS).map(({ scorer, same, n }) => [h("strong", {}, `${same} of ${n} ${n === 1 ? "image" : "images"}`), ` with ${scorer}`]);
  return parts.length ? h("p", {}, "You agree on ", ...parts.flatMap((part, k) => (k ? [", ", ...part] : part)), ".") : null;
}

/** What was answered, question by question. */
function answers({ questionnaire, answers: given }) {
  const rows = questionnaire.questions
    .filter((question) => given[question.id] !== undefined)
    .map((question) => h("div", {}, h("dt", {}, question.text), h("dd", {}, words(question, given[question.id]))));
  return h("dl", { class: "cc-desk__given" }, ...rows);
}

function words(question, answer) {
  const label = (value) => (value === "cannot_tell" ? "Cannot tell" : (question.options.find((option) => option.value === value)?.label ?? String(value)));
  return Array.isArray(answer) ? answer.map(label).join(", ") : label(answer);
}
