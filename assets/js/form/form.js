// The annotation form: mount(root, {api}) builds everything inside root and talks to the JSON routes below `api`.
// The page moves on at once when something is submitted; the outbox sees to it that it is saved.

import { Api, detail } from "../api.js";
import { ActivityTimer } from "./activity_timer.js";
import { Dialogs } from "./dialogs.js";
import { button } from "../dom.js";
import { Bars } from "./bars.js";
import { HeldKeys } from "./held_keys.js";
import { Item } from "./item.js";
import { listenToKeys } from "./keys.js";
import { Preview } from "./preview.js";
import { newId, Outbox } from "../outbox.js";
import { Queue } from "./queue.js";
import { feedback, whichBlank } from "./side_dialogs.js";
import { chooseScreen, closedScreen, consentScreen, declinedScreen, doneScreen, emptyScreen, nameScreen, troubleScreen, waitingScreen } from "./screens.js";
import { advance, isQuick, setQuick } from "./settings.js";
import * as store from "../store.js";
import { BesidesAnswering } from "./besides_answering.js";
import { at } from "../base_path.js";
import { later, loadTexts, t } from "../texts.js";

const DRAFT_MS = 2_500;
const LOOK_AGAIN_MS = 5_000; // where there is nothing to answer now
const NOTHING_CAME_MS = 2_000;
const LONGEST_RETRY_MS = 15_000;
const PACED = 20;
const PACED_FROM = 3;
const BREAK_SECONDS = 20 * 60;
const NOT_LOADED = later("The picture did not load, so it cannot be judged. Load it again, report it or skip it.");

const mounted = new WeakMap();

/** Build the form in `root`, in the reader's language. Resolves to {destroy}; a second mount on the same root replaces the first. */
export async function mount(root, options = {}) {
  await loadTexts(root, options.languages);
  mounted.get(root)?.destroy();
  const form = new Form(root, options);
  mounted.set(root, form);
  form.begin();
  return form;
}

class Form {
  constructor(root, { api = at("/api/"), languages = {} } = {}) {
    this.root = root;
    this.languages = languages;
    this.controller = new AbortController();
    const { signal } = this.controller;
    const previewed = new URLSearchParams(location.search).get("preview");
    this.api = previewed === null ? new Api(api) : new Preview(previewed);
    this.quick = !this.api.isPreview && isQuick();
    this.activityTimer = new ActivityTimer(signal);
    this.heldKeys = new HeldKeys(signal);
    this.queue = new Queue();
    this.outbox = new Outbox(this.api, this, signal);
    this.item = null;
    this.screen = null;
    this.name = null;
    this.questionnaire = null;
    this.campaign = null;
    this.results = null;
    this.answered = 0;
    this.told = null;
    this.refreshing = false;
    this.failures = 0;
    this.paces = [];
    this.breakAt = BREAK_SECONDS;
    this.actions = new BesidesAnswering(this);
    this.bars = new Bars({
      help: () => this.help(),
      leave: () => this.leave(),
      undo: () => this.undo(),
      skip: () => this.actions.skip(),
      exit: () => this.actions.exit(),
      back: () => this.item?.step(-1),
      submit: () => this.submitOrComplain(),
    });
    if (previewed !== null) this.bars.markPreview();
    this.dialogs = new Dialogs(root);
    root.replaceChildren(...this.bars.elements);
    listenToKeys(this, signal);
    document.addEventListener("visibilitychange", () => document.hidden && this.sendDraft(), { signal });
    window.addEventListener("beforeunload", (event) => this.beforeUnload(event), { signal });
    store.forgetOldDrafts();
    this.showScreen("waiting", waitingScreen(t("Loading …")));
  }

  destroy() {
    this.keepDraft();
    this.controller.abort();
    clearTimeout(this.refreshTimer);
    clearTimeout(this.draftTimer);
    this.root.replaceChildren();
  }

  /** An address may name a campaign: /annotate/?campaign=ID; or one to be looked at: ?preview=ID. */
  async begin() {
    const wanted = new URLSearchParams(location.search).get("campaign");
    if (wanted === null) return this.refresh();
    const { outcome, data } = await this.api.post("campaign", { campaign: wanted });
    if (outcome === "ok" || outcome === "unreachable") return this.refresh();
    return this.turnedAway(outcome, data);
  }

  /** Ask anew what is next, whatever was here. */
  startOver() {
    this.item = null;
    this.screen = null;
    this.queue = new Queue();
    return this.refresh();
  }

  // ---- what comes from the server ----

  /** Ask for the current and the next item; called at the start, after every save, and again while it fails. */
  async refresh() {
    if (this.refreshing) {
      this.refreshAgain = true;
      return;
    }
    clearTimeout(this.refreshTimer);
    this.refreshing = true;
    this.queue.startFetch((ticket) => this.outbox.has(ticket));
    const { queue } = this;
    const { outcome, data } = await this.next();
    this.refreshing = false;
    if (this.controller.signal.aborted) return;
    if (!this.root.isConnected) {
      this.destroy();
      return;
    }
    // asked before everything started over: what it says is of before, too
    if (queue !== this.queue) this.refreshAgain = true;
    else if (outcome === "ok") this.arrived(data);
    else if (outcome === "unreachable") this.unreachable();
    else this.turnedAway(outcome, data);
    if (this.refreshAgain) {
      this.refreshAgain = false;
      this.refresh();
    }
  }

  /** What is next; the page has asked for it before this script was there (first_request.js), once. */
  async next() {
    const route = this.quick ? "next?quick=true" : "next";
    const early = window.concordFirst;
    delete window.concordFirst;
    const first = early?.route === route ? await early.answer : null;
    return first?.ok ? { outcome: "ok", data: first.data } : this.api.get(route);
  }

  arrived(data) {
    this.failures = 0;
    if (data.name) this.setName(data.name);
    if (data.campaign) this.campaign = data.campaign;
    this.results = data.results ?? null;
    this.bars.setResults(this.results);
    if (data.progress) this.answered = data.progress.done;
    if (data.progress) this.bars.setProgress(data.progress, data.campaign?.title, data.training);
    if (this.screen === "paused") return undefined;
    if (data.state === "label") return this.gotTasks((data.tasks ?? []).map((task) => ({ ...task, quick: this.quick })));
    if (data.state === "name") return this.askName();
    if (data.why === "paused") this.putDown();
    if (this.item) return undefined; // what is on the screen can still be finished
    if (data.state === "choose") return this.showScreen("choose", chooseScreen(data.campaigns, (id) => this.choose(id)));
    if (data.state === "consent") return this.showScreen("consent", consentScreen(data, () => this.agree(data.text), () => this.decline(data.declined)));
    // others may bring images, or leave some, at any time
    this.refreshTimer = setTimeout(() => this.refresh(), LOOK_AGAIN_MS);
    if (data.state === "done") {
      const actions = { onUndo: () => this.undo(), onAgain: () => this.refresh() };
      return this.showScreen("done", doneScreen(data, actions));
    }
    if (data.state === "closed") return this.showScreen("closed", closedScreen(data, () => this.refresh()));
    return this.showScreen("empty", emptyScreen(data.message, data.commands, () => this.refresh()));
  }

  /** Nothing of what is here would count any more: nobody is to go on with it. */
  putDown() {
    this.keepDraft();
    this.item = null;
    this.queue = new Queue();
  }

  gotTasks(tasks) {
    this.queue.fill(tasks, this.item?.task ?? null);
    if (this.item?.isOpen) this.queue.preload();
    if (this.item) return;
    if (!this.queue.isEmpty) this.showNext();
    // All that came is on its way to being saved; should the server have sent nothing at all, ask calmly.
    else if (this.outbox.waiting.length === 0) this.refreshTimer = setTimeout(() => this.refresh(), NOTHING_CAME_MS);
  }

  unreachable() {
    this.failures += 1;
    if (!this.item) this.showScreen("waiting", waitingScreen(t("Cannot reach the server. Trying again …")));
    this.refreshTimer = setTimeout(() => this.refresh(), Math.min(1_000 * 2 ** this.failures, LONGEST_RETRY_MS));
  }

  turnedAway(outcome, data) {
    this.keepDraft();
    this.item = null;
    const otherwise = outcome === "signed-out" ? later("Please sign in or open your link again; your answers are stored in this browser.") : later("The server refused.");
    const screen = troubleScreen(t("This page cannot continue"), t(detail(data, otherwise)), t("Reload"), () => location.reload());
    this.showScreen("trouble", screen);
  }

  setName(name) {
    this.name = name;
    this.bars.setName(name);
    this.outbox.setName(name);
    for (const { ticket } of this.outbox.waiting) this.queue.handled(ticket);
  }

  async choose(id) {
    const { outcome, data } = await this.api.post("campaign", { campaign: id });
    if (outcome === "refused") return this.turnedAway(outcome, data);
    this.showScreen("waiting", waitingScreen(t("Loading …")));
    return this.refresh();
  }

  decline(left) {
    this.queue = new Queue();
    this.showScreen("declined", declinedScreen(left, () => this.startOver()));
  }

  async agree(text) {
    const { outcome } = await this.api.post("consent", { text });
    if (outcome !== "unreachable") this.showScreen("waiting", waitingScreen(t("Loading …")));
    return this.refresh();
  }

  // ---- what is on the screen ----

  showNext() {
    this.say(this.told);
    const task = this.queue.take();
    if (task) {
      this.told = null;
      return this.open(task);
    }
    const unsaved = this.outbox.state === "retrying";
    const message = unsaved ? t("The next picture comes as soon as your answers are saved.") : t("Loading the next picture …");
    this.item = null;
    this.showScreen("waiting", waitingScreen(message), { keepNotice: true });
    if (this.outbox.waiting.length === 0) this.refresh();
    return undefined;
  }

  open(task, errors = null, notice = null) {
    this.screen = null;
    this.item = new Item(task, this);
    this.questionnaire = this.item.questionnaire;
    this.bars.show(this.item.element, { working: true, revising: Boolean(task.revises) });
    if (notice !== null) this.bars.setNotice(notice, this.wayBack(task));
    window.scrollTo({ top: 0 });
    this.item.refused = errors !== null;
    this.progressed(this.item);
    if (errors) this.item.complain(errors);
    this.greet();
  }

  /** The item's picture is on the screen: now it can be answered. */
  opened(item) {
    if (item !== this.item) return;
    this.dialogs.afterClosing(() => item === this.item && item.show());
    this.queue.preload();
  }

  whichBlank(item, blanks) {
    whichBlank(this.dialogs, blanks, (blank) => item === this.item && item.toggleBlank(blank));
  }

  wayBack(task) {
    return task.revises ? button(t("Keep it unchanged"), { key: "u" }, () => this.undo()) : null;
  }

  /** A notice {text, action}, or none. */
  say(notice) {
    this.bars.setNotice(notice?.text ?? "", notice?.action ?? null);
  }

  showScreen(kind, screen, { keepNotice = false } = {}) {
    if (this.screen === kind && this.bars.says(screen)) return;
    this.screen = kind;
    this.item = null;
    if (!keepNotice) {
      this.say(this.told);
      this.told = null;
    }
    this.bars.show(screen, { working: false, revising: false });
    screen.querySelector("[data-focus]")?.focus();
  }

  askName() {
    if (this.screen === "name") return;
    this.keepDraft();
    this.name = null;
    this.paces = [];
    this.bars.setPace(null);
    this.bars.setName(null);
    this.queue = new Queue(); // what was fetched was another person's
    const { element, focus } = nameScreen((name) => this.giveName(name));
    this.showScreen("name", element);
    focus();
  }

  async giveName(name) {
    const { outcome, data } = await this.api.post("name", { name });
    if (outcome === "unreachable") return t("The server cannot be reached. Please try again in a moment.");
    if (outcome !== "ok") return t(detail(data, later("This name was not accepted.")));
    this.showScreen("waiting", waitingScreen(t("Loading …")));
    this.refresh();
    return null;
  }

  /** The instructions once, at a person's first visit with this questionnaire. */
  greet() {
    const { name, version } = this.questionnaire;
    const key = `seen.${this.name ?? ""}.${this.campaign?.id ?? ""}.${name}.${version}`;
    if (store.read(key)) return;
    store.write(key, true);
    this.help({ first: true });
  }

  help({ first = false } = {}) {
    this.dialogs.help(this.questionnaire, { first, campaign: this.campaign, form: this });
  }

  /** Whether whoever answers may choose between one question and all: where no campaign has chosen the questions. */
  get mayChoose() {
    return this.campaign?.id === "default" && (this.quick || this.questionnaire?.name !== "yes_no");
  }

  /** From now on one question about each image, or all of them. */
  chooseQuestions(quick) {
    this.dialogs.close();
    if (this.outbox.waiting.length > 0) return this.bars.setNotice(t("Your last answers are still being saved. Please choose again when they are."));
    this.keepDraft();
    setQuick(quick);
    this.quick = quick;
    this.showScreen("waiting", waitingScreen(t("Loading …")));
    return this.startOver();
  }

  zoom(item, place = 0) {
    this.dialogs.zoom(item.task, place);
  }

  /** Nothing is left to answer; by an answer just given, it goes to the server unless the person wants to press Enter. */
  ready(item, { byAnswer = false } = {}) {
    if (item !== this.item) return;
    if (byAnswer && advance() === "submit" && !item.task.revises && !item.refused) this.submit(item);
    else this.bars.focusSubmit();
  }

  rest(screen) {
    this.item = null;
    this.queue = new Queue();
    clearTimeout(this.refreshTimer);
    this.showScreen("paused", screen);
  }

  progressed(item) {
    const { shown, missing, task } = item;
    const goesOn = item.isSingle && advance() === "submit" && !task.revises && !item.refused && item.isUntouched;
    this.bars.setStep({ at: shown.indexOf(item.active) + 1, of: shown.length, missing: missing.length, goesOn, revising: Boolean(task.revises) });
  }

  // ---- what the person does ----

  submitOrComplain() {
    if (!this.item) return;
    if (!this.item.isOpen) this.bars.setNotice(this.item.pictures.failed ? t(NOT_LOADED) : "");
    else this.item.confirm();
  }

  submit(item) {
    const { task } = item;
    const id = newId();
    const revises = task.revises ?? null;
    const seconds = Math.round(item.seconds * 10) / 10;
    const { ticket, campaign, asked } = task;
    const { offer } = item;
    // an answer that was refused is given again in its own form; what comes next is then asked for apart
    const quick = task.quick ?? this.quick;
    const about = { id, ticket, campaign, asked, offer, revises, quick, following: quick === this.quick };
    const body = { ...about, answers: item.result, started: item.started, active_seconds: seconds };
    item.dropDraft();
    if (!this.api.isPreview) item.rememberWords();
    clearTimeout(this.draftTimer);
    this.item = null;
    if (!revises) this.worked(seconds);
    if (!revises) this.queue.handled(task.ticket);
    this.outbox.add({ id, route: "submit", ticket: revises ? null : task.ticket, body, task });
    this.showNext();
  }

  /** The pace is the median of the latest answers; after a long stretch of work a break is offered, once. */
  worked(seconds) {
    this.paces = [...this.paces, seconds].slice(-PACED);
    const sorted = [...this.paces].sort((a, b) => a - b);
    this.bars.setPace(sorted.length < PACED_FROM ? null : sorted[Math.floor(sorted.length / 2)]);
    if (this.activityTimer.seconds < this.breakAt) return;
    this.breakAt = this.activityTimer.seconds + BREAK_SECONDS;
    const text = t("You have worked for a while. A short break keeps your answers good; nothing is lost.");
    this.told ??= { text, action: button(t("Pause"), { key: "." }, () => this.actions.pause()) };
  }

  /** Revise the last answer; while revising, go back without changing it. */
  async undo() {
    if (this.item?.task.revises) {
      this.item.dropDraft();
      this.showNext();
      return;
    }
    if (this.name !== null) await this.actions.revise("last");
  }

  async leave() {
    if (this.outbox.waiting.length > 0) {
      this.bars.setNotice(t("Your last answers are still being saved. Please change the name when they are."));
      return;
    }
    const { outcome } = await this.api.post("leave", {});
    if (outcome === "ok") this.startOver();
    else this.bars.setNotice(t("The server cannot be reached just now."));
  }

  keepDraft() {
    if (this.item && Object.keys(this.item.answers).length > 0) this.item.saveDraft();
  }

  /** The server keeps a copy, for whoever goes on at another computer. */
  drafted(item) {
    if (item.task.revises) return;
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.sendDraft(), DRAFT_MS);
  }

  sendDraft() {
    clearTimeout(this.draftTimer);
    if (!this.item || this.item.task.revises || Object.keys(this.item.answers).length === 0) return;
    const { ticket, campaign } = this.item.task;
    this.api.post("draft", { ticket, campaign, answers: this.item.answers });
  }

  beforeUnload(event) {
    this.keepDraft();
    this.sendDraft();
    if (this.outbox.waiting.length > 0) event.preventDefault();
  }

  // ---- what the outbox reports ----

  changed() {
    const { state, waiting, reason } = this.outbox;
    this.bars.setStatus(state === "saved" && this.item?.refused ? "refused" : state, waiting.length, reason);
  }

  saved(entry, data) {
    if (data.feedback) feedback(this.dialogs, entry.task, data.feedback);
    if (data.earlier) this.answeredBefore(data.earlier);
    if (this.outbox.waiting.length > 0) return;
    if (!data.next || this.refreshing || this.screen === "paused") {
      this.refresh();
      return;
    }
    clearTimeout(this.refreshTimer);
    this.queue.startFetch((ticket) => this.outbox.has(ticket));
    this.arrived(data.next);
  }

  /** Answered before, in another tab, say: what was given there stands. */
  answeredBefore(earlier) {
    const change = button(t("Change it"), {}, () => this.actions.revise(`mine/${earlier}`));
    const text = t("You had already answered the last picture, perhaps in another tab. Your first answer stays.");
    if (this.item) this.bars.setNotice(text, change);
    else this.told = { text, action: change };
  }

  /** The server said no: bring the item back with its answers and the reason, and keep the present one for later. */
  refused(entry, data) {
    if (this.outbox.waiting.length === 0) this.refresh();
    if (entry.route !== "submit") return;
    this.keepDraft();
    if (this.item) this.queue.putBack(this.item.task);
    const why = t(detail(data, later("The server did not accept this answer.")));
    this.open({ ...entry.task, answers: entry.body.answers }, data.errors ?? {}, t("Not saved: {why}", { why }));
    this.item.saveDraft();
  }

  signedOut() {
    this.refresh();
  }
}
