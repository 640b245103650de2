// The drawer of Images: one image beside the grid. What every rater says and why, who is wrong by one key, what people answered,
// and the form beside the evidence. In Blind mode, what may spoil a blind answer is not in the page before the person has
// answered or uncovered it; outside of it the server records that it was seen before it tells anything.

import { detail } from "../api.js";
import { Dialogs } from "../form/dialogs.js";
import { isQuick } from "../form/settings.js";
import { blindSwitch } from "../images/toolbar.js";
import { button, h, kbd } from "../dom.js";
import { newId } from "../outbox.js";
import { at } from "../base_path.js";
import { imageAddress, imagesAddress, scorers, shownOf } from "./address.js";
import { AnswerPanel } from "./answer_panel.js";
import { Evidence } from "./evidence.js";
import { goldChoice } from "./gold.js";
import { facts, head } from "./header.js";
import { DRAWER_KEYS, listenToDrawerKeys } from "./keys.js";
import { NameField } from "./name_field.js";
import { peopleList } from "./people_list.js";
import { Remarks } from "./remarks.js";
import { said } from "./judgements.js";
import { LAYERS, Stage } from "./stage.js";
import { toggles } from "./toggles.js";
import { VerdictBar } from "./verdict_bar.js";
import { verdictList } from "./verdict_list.js";

const LOOKED_MS = 250; // a picture that nobody can have seen yet gets no verdict
const POINTED_MS = 60; // who only crosses an image does not mean it
const AHEAD = 12; // so many images are kept that were asked for before they were opened
// with the questions that this browser's annotator has chosen
const taskRoute = (id) => `task?id=${id}${isQuick() ? "&quick=true" : ""}`;

export class Drawer {
  /** `page` has api, state, toast(text, undo), walked(id, place), close(), setBlind(on), sum(), unjudged and total. */
  constructor(page, signal) {
    this.page = page;
    this.signal = signal;
    this.api = page.api;
    this.id = "";
    this.listing = new URLSearchParams();
    this.chosen = null; // the scorer whose evidence is drawn, kept from image to image
    this.details = false; // whether its evidence stands below the picture, kept likewise
    this.answering = false; // whether the form stands beside the evidence
    this.ahead = new Map();
    this.ruled = null; // the last verdict by a key, which U takes back
    this.turn = 0;
    this.opening = null;
    this.root = h("div", { class: "cc-drawer__content" });
    this.blind = blindSwitch((on) => page.setBlind(on));
    this.progress = h("span", { class: "cc-drawer__count", role: "status" });
    this.unsaved = h("span", { class: "cc-drawer__unsaved", role: "status" });
    this.foot = h("footer", { class: "cc-drawer__foot" }, keyLine(), this.unsaved, h("span", { class: "cc-drawer__blind" }, this.blind));
    this.element = h("aside", { class: "cc-drawer", "aria-label": "Image", tabindex: "-1", hidden: true }, this.root, this.foot);
    this.dialogs = new Dialogs(this.element);
    this.answerPanel = new AnswerPanel(this, signal);
    this.form = this.answerPanel.root;
    this.verdictBar = new VerdictBar(this);
    this.nameField = new NameField(this);
    listenToDrawerKeys(this, signal);
  }

  get isOpen() {
    return this.id !== "";
  }

  get isBlind() {
    return this.listing.has("blind");
  }

  destroy() {
    this.answerPanel.destroy();
    this.stage?.destroy();
  }

  close() {
    this.turn += 1;
    this.id = "";
    this.answerPanel.keepDraft();
    this.answerPanel.item = null;
    this.element.hidden = true;
    this.stage?.destroy();
    this.stage = null;
    this.item = null;
    this.evidence = null;
    this.answering = false;
    this.root.replaceChildren();
  }

  focus() {
    this.element.focus({ preventScroll: true });
  }

  /** The listing has changed around the image: its neighbours are others. Blind mode changes what may be seen. */
  relist(listing) {
    const wasBlind = this.isBlind;
    const moved = listing.toString() !== this.listing.toString();
    this.listing = new URLSearchParams(listing);
    this.ahead.clear();
    if (this.isOpen && moved) this.open(this.id, listing, { again: wasBlind === this.isBlind });
  }

  // ---- what comes from the server ----

  /** What is asked of an image before it is opened, too: nothing of it tells what anybody says. */
  around(id) {
    if (!this.ahead.has(id)) {
      const encoded = encodeURIComponent(id);
      const around = new URLSearchParams(this.listing);
      around.set("id", id);
      const asked = Promise.all([`item?id=${encoded}`, taskRoute(encoded), `neighbours?${around}`].map((route) => this.api.get(`studio/${route}`)));
      this.ahead.set(id, asked);
      for (const old of [...this.ahead.keys()].slice(0, Math.max(0, this.ahead.size - AHEAD))) this.ahead.delete(old);
    }
    const asked = this.ahead.get(id);
    return asked;
  }

  /** `again`: the same image anew, whatever is open in it stays. */
  async open(id, listing = this.listing, { answering = false, focus = false, again = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    const before = this.id;
    this.id = id;
    this.listing = new URLSearchParams(listing);
    this.element.hidden = false;
    this.blind.setAttribute("aria-checked", String(this.isBlind));
    if (focus || (before && this.element.contains(document.activeElement) && !answering)) this.focus();
    const shown = this.shownHere(id);
    // outside of Blind mode all is seen at once, and recorded
    const opened = this.isBlind ? null : this.api.post("studio/open", { id, shown });
    const answers = await this.around(id);
    this.ahead.delete(id); // it may be another the next time
    if (turn !== this.turn || this.signal.aborted) return undefined;
    const failed = answers.find(({ outcome }) => outcome !== "ok");
    if (failed) return this.trouble(failed);
    const [item, task, neighbours] = answers.map(({ data }) => data);
    if (!again) this.verdictBar.unit = null;
    Object.assign(this, { item, task, neighbours, evidence: null });
    this.nameField.cancel();
    this.draw({ answering });
    this.page.walked(id, neighbours.place);
    if (!opened) return this.openBlind(shown, turn, { answering });
    const { outcome, data, status } = await opened;
    if (turn !== this.turn) return undefined;
    if (outcome !== "ok") return this.trouble({ outcome, data, status });
    this.evidence = data.evidence;
    this.show({ answering });
    this.remarks.draw(data.remarks);
    this.preload();
    return undefined;
  }

  /** In Blind mode: what a grid has shown of this image has been seen, and is recorded before anything can be answered. */
  async openBlind(shown, turn, { answering }) {
    const { item } = this;
    const seen = Boolean(shown) && shown !== item.name;
    if (item.covered && seen && item.name) {
      this.evidence = await this.ask(() => this.api.post("studio/uncover", { id: item.item_id, shown }));
    } else if (!item.covered) {
      this.evidence = await this.ask(() => this.api.get(`studio/evidence?id=${encodeURIComponent(item.item_id)}`));
    }
    if (turn !== this.turn || this.evidence === false) return;
    this.show({ answering, owed: item.covered && seen && !item.name ? shown : "" });
    if (this.evidence) this.remarks.load();
    this.preload();
  }

  /** Whose values of this image the grid shows, or has shown; "" for nobody's. */
  shownHere(id) {
    return shownOf(this.listing, false) || this.page.seen.get(id) || "";
  }

  /** Evidence, or false after saying why there is none. */
  async ask(request) {
    const { turn } = this;
    const answer = await request();
    if (turn !== this.turn) return false;
    if (answer.outcome === "ok") return answer.data.covered ? null : answer.data;
    this.trouble(answer);
    return false;
  }

  /** The next image is here before it is wanted, picture and all, and the one before it. */
  async preload() {
    for (const side of ["next", "previous"]) {
      const id = this.neighbours[side]?.id;
      if (!id) continue;
      const [{ outcome, data }] = await this.around(id);
      if (outcome === "ok" && data.sha256) new Image().src = at(`/img/${data.sha256}`);
    }
  }

  /** Somebody points at an image: it is likely to be opened, so what does not tell of it is fetched already. */
  expect(id) {
    clearTimeout(this.expecting);
    if (!id || id === this.id || this.ahead.has(id)) return;
    this.expecting = setTimeout(() => this.around(id), POINTED_MS);
  }

  /** Scorers may come in, and others answer, while the image is open. */
  async lookAgain() {
    this.ahead.clear();
    if (!this.evidence || this.dialogs.isOpen) return;
    await this.refresh();
    this.preload();
  }

  async refresh() {
    const evidence = await this.ask(() => this.api.get(`studio/evidence?id=${encodeURIComponent(this.item.item_id)}`));
    if (evidence === false || !evidence) return;
    const same = JSON.stringify(evidence) === JSON.stringify(this.evidence);
    this.evidence = evidence;
    if (!same) this.showEvidence();
    this.remarks?.load();
  }

  // ---- what is on the screen ----

  /** The image, before anything is known of what was said. */
  draw({ answering }) {
    const { item } = this;
    this.stage?.destroy();
    this.stage = null;
    this.verdictBar.element.hidden = true;
    this.verdictBar.data = null;
    this.looked = item.sha256 ? Infinity : 0;
    if (item.sha256) {
      this.stage = new Stage(item, { onPainted: () => { this.looked = performance.now() + LOOKED_MS; }, onPoint: (rank) => this.pointed(rank), onChoose: (rank) => this.words?.choose(rank), onZoom: () => this.zoom() });
    }
    this.answering = this.isBlind || answering || (this.answering && Boolean(this.own?.open));
    this.verdicts = h("section", { class: "cc-drawer__verdicts", "aria-label": "Verdicts of all raters", hidden: true });
    this.panel = h("div", { class: "cc-drawer__panel" });
    this.people = h("div", { class: "cc-drawer__people" });
    this.tools = h("div", { class: "cc-row cc-drawer__tools", role: "toolbar", "aria-label": "What is drawn over the picture" });
    this.below = h("section", { class: "cc-drawer__said", "aria-label": "Others' answers" });
    this.remarks = new Remarks(this.api, item, this);
    this.own = h("details", { class: "cc-drawer__own", open: this.answering || null, on: { toggle: () => this.toggled() } }, h("summary", {}, "Answer the form yourself"), this.form);
    const picture = this.stage?.element ?? h("p", { class: "cc-no-picture cc-drawer__none" }, item.text ?? "", h("small", {}, "This item has answers but no picture: the study did not publish it."));
    const left = h("div", { class: "cc-drawer__left" }, h("section", { class: "cc-drawer__seen", "aria-label": "Scorers' evidence" }, picture, this.tools, this.panel), this.people);
    const right = h("div", { class: "cc-drawer__right" }, this.verdicts, this.verdictBar.element, this.nameField.element, this.own);
    const more = h("div", { class: "cc-drawer__more" }, this.remarks.element, this.below, ...facts(item));
    // what stands below the verdicts is seen once they are there: it would move
    this.body = h("div", { class: this.isBlind ? "cc-drawer__body" : "cc-drawer__body is-waiting" }, left, right, more);
    this.root.replaceChildren(head(this), this.body);
    this.root.scrollTop = 0;
    this.frame();
    this.tools.replaceChildren(...this.pictureTools());
    this.count();
  }

  /** Where it stands in its listing, and how many have been judged. */
  count() {
    if (!this.item) return;
    const { place, total } = this.neighbours;
    const listed = place ? `${place.toLocaleString("en")} of ${total.toLocaleString("en")}` : total ? "not in this selection" : "";
    const { page } = this;
    const judged = page.state?.disagrees && page.total ? `${(page.total - page.unjudged).toLocaleString("en")} judged` : "";
    this.progress.textContent = [listed, judged].filter(Boolean).join(" · ");
  }

  show({ answering, owed = "" }) {
    this.answerPanel.open(this.task, { focus: answering, seen: this.notBlind() });
    if (owed) this.answerPanel.askName(`The grid has shown you what ${owed} says of this image. Enter your name, as this is recorded.`);
    // who has answered, or has seen the others' answers, is here to judge these
    this.own.hidden = this.task.state === "none";
    this.showEvidence();
    this.body.classList.remove("is-waiting");
  }

  toggled() {
    this.answering = this.own.open;
    this.frame();
    if (this.evidence) this.showEvidence();
  }

  /** With the form open, its questions stand beside the scorer's evidence. */
  frame() {
    this.body.classList.toggle("is-answering", this.own.open);
  }

  /** Everything that depends on the evidence, or what stands in its place. */
  showEvidence() {
    const { evidence } = this;
    this.words = null;
    this.stage?.draw(null);
    this.tools.replaceChildren(...this.pictureTools());
    this.verdicts.hidden = !evidence;
    if (!evidence) {
      this.below.replaceChildren();
      this.people.replaceChildren();
      return this.panel.replaceChildren(this.cover());
    }
    const focused = this.verdicts.contains(document.activeElement) ? document.activeElement.dataset.rater : null;
    const sight = this.sight;
    const shows = this.details || this.own.open;
    const list = verdictList(evidence, this.aspect, shows ? sight?.rater : null, (rater) => this.choose(rater));
    this.verdicts.replaceChildren(h("h3", { class: "cc-drawer__heading" }, "Verdicts"), list);
    if (focused) this.verdicts.querySelector(`[data-rater="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    const people = peopleList(evidence, this.aspect, this.item.name);
    this.people.replaceChildren(...(people ? [people] : []));
    const every = evidence.judgements.length || evidence.annotations.length ? [h("details", { class: "cc-drawer__all" }, h("summary", {}, "All answers and scores"), said(evidence, this.item.name))] : [];
    this.below.replaceChildren(...every);
    if (!sight) {
      const none = this.stage ? "No scorer has scored this image yet. What comes is shown at once." : "Not scored: there is no picture.";
      return this.panel.replaceChildren(...[this.seenHow(), h("p", { class: "cc-muted" }, none)].filter(Boolean));
    }
    return this.showSight(sight, shows);
  }

  /** The scorer whose detections are drawn: the one that was chosen, the one that the listing is about, or one that saw something. */
  get sight() {
    const sights = this.evidence?.scorers ?? [];
    const named = [this.chosen, ...scorers(this.listing)].map((name) => sights.find(({ rater }) => rater === name)).find(Boolean);
    return named ?? sights.find(({ detections }) => detections.length) ?? sights[0];
  }

  choose(rater) {
    const same = this.details && this.sight?.rater === rater;
    this.chosen = rater;
    this.details = !same;
    this.showEvidence();
    if (this.verdictBar.data) this.verdictBar.draw(this.verdictBar.data);
  }

  showSight(sight, shows) {
    this.words = new Evidence(this.item, sight, this.evidence.colors, (ranks) => this.stage?.highlight(ranks));
    const parts = shows ? [h("h3", { class: "cc-drawer__heading" }, sight.rater), this.words.element] : [];
    this.panel.replaceChildren(...[this.seenHow(), ...parts].filter(Boolean));
    this.stage?.draw(sight);
    if (this.stage) this.tools.replaceChildren(...toggles(sight, (layer) => this.switch(layer)), ...this.pictureTools());
  }

  cover() {
    const name = this.item.name;
    const text = name
      ? "Verdicts, evidence and others' answers are hidden. Answer first, or uncover them now: this is recorded under your name, and your later answers do not count as blind."
      : "Verdicts, evidence and others' answers are hidden. Enter your name first, as uncovering them is recorded.";
    const alt = h("span", { class: "cc-caps" }, h("span", { class: "cc-caps__alt" }, kbd("Alt")), kbd("e"));
    const uncover = h("button", { type: "button", class: "cc-button", on: { click: () => this.uncover() } }, "Uncover", alt);
    return h("div", { class: "cc-cover" }, h("h3", { class: "cc-heading" }, "Hidden until you answer"), h("p", { class: "cc-muted" }, text), uncover);
  }

  /** In Blind mode a line on why the evidence is open, where that is not plain from what the person has just done. */
  seenHow() {
    const { how } = this.evidence;
    if (!this.isBlind || how === "answered" || !how) return null;
    const grid = how.startsWith("browse: ") ? how.slice("browse: ".length) : null;
    if (grid) return h("p", { class: "cc-drawer__how" }, `You have seen what ${grid} says of this image; this is recorded.`);
    return h("p", { class: "cc-drawer__how" }, how === "asked" ? "You uncovered this image before answering; this is recorded." : "You have opened this image outside of Blind mode; this is recorded.");
  }

  notBlind() {
    if (!this.evidence?.how) return "";
    return this.evidence.how === "answered"
      ? "You have seen the evidence since you answered. A change is stored, but your first answer counts."
      : "You have seen others' answers: your answer is stored as not blind and not counted in agreement.";
  }

  pictureTools() {
    if (!this.stage) return [];
    const alike = new URLSearchParams({ like: this.item.item_id });
    const zoom = h("button", { type: "button", class: "cc-toggle cc-toggle--action", on: { click: () => this.zoom() } }, "Zoom", kbd("z"));
    const more = h("a", { class: "cc-toggle cc-toggle--action", href: imagesAddress(alike), title: "Images that a model sees like this one" }, "More like this");
    return this.item.alike ? [zoom, more] : [zoom];
  }

  switch(layer) {
    LAYERS[layer] = !LAYERS[layer];
    this.tools.querySelector(`[data-layer=${layer}]`)?.setAttribute("aria-pressed", String(LAYERS[layer]));
    this.stage?.show();
    this.enlarged?.show();
    return true;
  }

  pointed(rank) {
    this.stage?.highlight(rank === null ? null : [rank]);
    this.words?.highlight(rank);
  }

  zoom() {
    if (!this.stage) return false;
    const stage = new Stage(this.item, { onZoom: () => this.dialogs.close() });
    this.dialogs.open("zoom", "The picture, enlarged", stage.element, button("Close", { key: "z", kind: "floating" }, () => this.dialogs.close()));
    this.enlarged = stage;
    this.dialogs.dialog.addEventListener("close", () => {
      stage.destroy();
      this.enlarged = null;
    });
    stage.draw(this.words?.sight ?? null);
    return true;
  }

  help() {
    this.dialogs.help(this.answerPanel.questionnaire);
    const rows = DRAWER_KEYS.map(([keys, meaning]) => h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map((key) => kbd(key))), h("dd", {}, meaning)));
    const section = h("section", { class: "cc-for-keys cc-drawer-keys" }, h("h3", { class: "cc-heading" }, "Keys of the drawer"), h("dl", { class: "cc-keys" }, ...rows));
    this.dialogs.dialog.querySelector(".cc-dialog__body").lastElementChild.before(section);
    return true;
  }

  // ---- what the person does ----

  get isAsking() {
    return this.isOpen && this.answerPanel.item !== null && this.own?.open;
  }

  act(action) {
    const actions = {
      next: () => this.go("next"),
      previous: () => this.go("previous"),
      uncover: () => this.uncover(),
      masks: () => Boolean(this.stage && this.words) && this.switch("masks"),
      zoom: () => this.zoom(),
      help: () => this.help(),
      answer: () => {
        this.own.open = true;
        return this.answerPanel.focus();
      },
      note: () => Boolean(this.evidence && this.remarks?.focus()),
      tag: () => Boolean(this.evidence && this.remarks?.focus("tag")),
      copy: () => this.copyLink(),
      leave: () => this.leaveForm(),
      close: () => {
        this.page.close();
        return true;
      },
      gold: () => this.makeGold(),
      undo: () => this.undoVerdict(),
    };
    if (action === "close" && this.verdictBar.ask(false)) return true;
    if (["undo", "close"].includes(action)) return actions[action]();
    if (action.startsWith("scorer ")) {
      const { body, text } = this.verdictBar.scorerOf(action.at(-1));
      this.rule(body, text);
      return true;
    }
    if (/^[1-4]$/.test(action)) return Boolean(this.item && this.evidence && this.verdictBar.press(Number(action)));
    return this.item ? actions[action]() : false;
  }

  // ---- verdicts ----

  /** Scorers that a verdict here is about, first the one whose evidence was chosen. */
  get raters() {
    return [this.chosen, ...scorers(this.listing)].filter(Boolean);
  }

  get aspect() {
    return this.listing.get("about") ?? this.listing.get("by") ?? "correct";
  }

  /**
   * Store who was wrong, and go on to the next image; it is on its way until the server has it, so nothing waits for the line.
   * A key that comes before the picture was seen is let go.
   */
  rule(body, text) {
    if (performance.now() < this.looked) return;
    if (!this.item.name && !this.answerPanel.name) {
      this.nameField.ask(() => this.rule(body, text));
      return;
    }
    const { item } = this;
    const id = newId();
    this.ruled = { id, item: item.item_id, aspect: body.aspect, target: body.target };
    this.answerPanel.outbox.add({ id, route: "studio/verdict", ticket: null, text, body: { id, item: item.item_id, ...body } });
    this.go("next");
  }

  /** A verdict is on disk. */
  verdictSaved({ id, text, body }, data) {
    const { blamed, verdicts } = data.so_far;
    this.page.toast(`Saved: ${text} (${blamed} of ${verdicts} ${verdicts === 1 ? "verdict" : "verdicts"} so far).`, this.ruled?.id === id ? () => this.undoVerdict() : null);
    if (this.item?.item_id === body.item) this.remarks.draw(data);
    this.page.judged();
  }

  verdictRefused(entry, why) {
    this.page.toast(`Not saved: ${why}`);
    if (this.ruled?.id === entry.id) this.ruled = null;
  }

  /** What has not reached the server yet is said until it has. */
  outboxChanged({ waiting, state, reason }) {
    const n = waiting.length;
    this.unsaved.textContent = state === "retrying" && n ? `${n} ${n === 1 ? "answer" : "answers"} will be saved when the app answers${reason ? ` (${reason})` : ""}` : "";
  }

  async takeBack({ aspect, target }) {
    const why = await this.remarks.send("verdict/back", { aspect, target });
    this.page.toast(why ?? "The verdict is taken back.");
    this.page.judged();
  }

  save(body) {
    return this.remarks.send("verdict", body);
  }

  /** U: the last verdict is taken back, and its image comes again. */
  undoVerdict() {
    const last = this.ruled;
    if (!last) return false;
    this.ruled = null;
    this.takeBackLast(last);
    return true;
  }

  async takeBackLast(last) {
    const { outbox } = this.answerPanel;
    const waiting = outbox.waiting.find(({ id }) => id === last.id);
    if (waiting && !outbox.sending) outbox.drop(waiting);
    else {
      const { outcome, data } = await this.api.post("studio/verdict/back", { id: newId(), item: last.item, aspect: last.aspect, target: last.target });
      if (outcome !== "ok") return this.page.toast(detail(data, "The app cannot be reached: the verdict stands."));
    }
    this.page.toast("The verdict is taken back.");
    this.page.judged();
    this.ahead.clear();
    return this.open(last.item);
  }

  /** Gold of the image with a verdict: this one, or the one that was judged by a key just before. */
  async chooseGold() {
    const here = this.evidence && !this.verdictBar.element.hidden && this.verdictBar.data?.verdicts.length > 0;
    const item = here ? this.item.item_id : this.ruled?.item;
    if (!item) return this.page.toast("Give a verdict first: gold needs a right answer.");
    const { outcome, data } = await this.api.get("studio/gold");
    if (outcome !== "ok") return this.page.toast(detail(data, "The app cannot be reached."));
    if (!data.campaigns.length) return this.page.toast("There is no draft campaign. Make one at People: gold is added before it starts.");
    return this.dialogs.open("gold", "Make gold", goldChoice(data.campaigns, (campaign) => this.addGold(item, campaign), () => this.dialogs.close()));
  }

  makeGold() {
    this.chooseGold();
    return true;
  }

  async addGold(item, { id, title }) {
    this.dialogs.close();
    const { outcome, data } = await this.api.post("studio/gold", { item, campaign: id });
    const n = Object.keys(data?.expected ?? {}).length;
    this.page.toast(outcome === "ok" ? `Gold in ${title}: ${n} right ${n === 1 ? "answer" : "answers"}.` : detail(data, "The app cannot be reached: nothing was saved."));
  }

  /** The address of this image among those of its listing, for somebody else. */
  copyLink() {
    const address = new URL(imageAddress(this.id, this.listing), location.href).href;
    const copying = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error("no clipboard"));
    copying.then(() => this.page.toast("Link copied: it opens this image in this selection."), () => this.page.toast(address));
    return true;
  }

  leaveForm() {
    this.focus();
    return true;
  }

  go(side, { answering = false } = {}) {
    const to = this.neighbours?.[side];
    if (!to) return false;
    this.opening = this.open(to.id, this.listing, { answering });
    return true;
  }

  /** From the form: on to the next image, and straight to its questions. */
  next(answering) {
    if (!this.go("next", { answering })) this.answerPanel.tell("This is the last image of the selection.");
  }

  uncover() {
    if (this.evidence || !this.item.sha256) return false;
    if (!this.item.name) {
      this.answerPanel.askName("Enter your name first: uncovering an image is recorded.", true);
    } else if (this.answerPanel.isUnsaved) {
      this.answerPanel.tell("Your answer is still being saved. Others' answers appear as soon as it is.");
    } else {
      this.uncoverNow();
    }
    return true;
  }

  async uncoverNow() {
    const evidence = await this.ask(() => this.api.post("studio/uncover", { id: this.item.item_id }));
    if (!evidence) return;
    this.evidence = evidence;
    this.showEvidence();
    this.remarks.load();
    // whoever uncovers goes on to the verdict: its keys are not for a field of the form
    if (this.form.contains(document.activeElement)) this.focus();
    this.answerPanel.seen = this.notBlind();
    if (this.answerPanel.item) this.answerPanel.tell(this.answerPanel.seen);
  }

  /** The answer to this image is on disk: now everything may be seen. */
  async answered() {
    const { turn } = this;
    const id = encodeURIComponent(this.item.item_id);
    const { outcome, data } = await this.api.get(`studio/${taskRoute(id)}`);
    if (turn !== this.turn || outcome !== "ok") return;
    this.task = data;
    await this.refresh();
    if (turn !== this.turn) return;
    this.answerPanel.task = data;
    this.answerPanel.seen = this.notBlind();
    const focused = this.form.contains(document.activeElement);
    this.answerPanel.showAnswered("Saved", focused);
  }

  /** Another name, or the first: everything is asked again, as it depends on who asks. */
  renamed() {
    this.ahead.clear();
    if (this.isOpen) this.open(this.id, this.listing, { answering: this.answering });
  }

  /** A first name was given for a verdict: what is open stays as it is. */
  named(name) {
    this.ahead.clear();
    this.item.name = name;
    this.answerPanel.rename(name);
    if (this.task.state === "name") this.api.get(`studio/${taskRoute(encodeURIComponent(this.item.item_id))}`).then(({ outcome, data }) => {
      if (outcome !== "ok" || this.answerPanel.task?.state !== "name") return;
      this.task = data;
      this.answerPanel.open(data, { seen: this.notBlind() });
    });
  }

  // ---- when there is nothing to show ----

  trouble({ outcome, data, status }) {
    const why = outcome === "unreachable" ? "The app does not answer. Is it still running?" : detail(data, "The app refused.");
    this.item = null;
    this.evidence = null;
    this.stage?.destroy();
    this.stage = null;
    const again = status === 404 ? null : button("Try again", { kind: "primary" }, () => this.open(this.id));
    const close = button("Close", { key: "Esc" }, () => this.page.close());
    this.root.replaceChildren(h("div", { class: "cc-empty" }, h("h2", { class: "cc-title" }, "This image cannot be shown"), h("p", { class: "cc-muted" }, why), h("div", { class: "cc-row" }, ...[again, close].filter(Boolean))));
  }
}

function keyLine() {
  const keys = [[["j", "k"], "next, previous"], [["1", "4"], "decide, then next"], [["u"], "undo"], [["Esc"], "close"]];
  const parts = keys.map(([names, words]) => h("span", {}, ...names.flatMap((name, n) => (n && names[0] === "1" ? ["–", kbd(name)] : [kbd(name)])), ` ${words}`));
  return h("span", { class: "cc-drawer__keys cc-for-keys" }, ...parts);
}
