// The Workbench: mount(root, {value, poll}) where value is the page's query, and poll what live_updates.js is to ask for. One image: what scorers saw on the left, the form on the
// right, what others said below. What may spoil a blind answer is not in the page before the server has recorded who asks.

import { Api, detail } from "../api.js";
import { Dialogs } from "../form/dialogs.js";
import { isQuick } from "../form/settings.js";
import { button, h, kbd } from "../dom.js";
import { fixed } from "../numbers.js";
import { newId } from "../outbox.js";
import { at } from "../base_path.js";
import { follow } from "../live_updates.js";
import { browseAddress, judge, LISTING, parse, scorers, tells, workbenchAddress } from "./address.js";
import { AnswerPanel } from "./answer_panel.js";
import { Evidence } from "./evidence.js";
import { head } from "./header.js";
import { WORKBENCH_KEYS, listenToWorkbenchKeys } from "./keys.js";
import { Remarks } from "./remarks.js";
import { said } from "./judgements.js";
import { LAYERS, Stage } from "./stage.js";
import { toggles } from "./toggles.js";
import { Toast } from "../toast.js";
import { VerdictBar } from "./verdict_bar.js";

const UNKNOWN = "unknown"; // no version of a project
const LOOKED_MS = 250; // a picture that nobody can have seen yet gets no verdict
const mounted = new WeakMap();
// with the questions that this browser's annotator has chosen
const taskRoute = (id) => `task?id=${id}${isQuick() ? "&quick=true" : ""}`;

/** Build the page in `root`. Returns {update(query), destroy}; a second mount on the same root replaces the first. */
export function mount(root, { value, poll }) {
  mounted.get(root)?.destroy();
  const workbench = new Workbench(root, poll);
  mounted.set(root, workbench);
  workbench.update(value);
  return workbench;
}

class Workbench {
  constructor(root, poll) {
    this.root = root;
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.api = new Api(at("/api/"));
    this.dialogs = new Dialogs(root);
    this.answerPanel = new AnswerPanel(this, signal);
    this.form = this.answerPanel.root;
    this.chosen = null; // the scorer whose evidence is shown, kept from image to image
    this.verdictBar = new VerdictBar(this);
    this.ruled = null; // the last verdict by a key, which U takes back
    this.toast = new Toast();
    this.turn = 0;
    this.opening = null;
    listenToWorkbenchKeys(this, signal);
    this.version = UNKNOWN;
    follow(root, { ...poll, signal, shown: () => this.version, moved: (version) => this.lookAgain(version), gone: () => this.destroy() });
  }

  destroy() {
    this.answerPanel.destroy();
    this.stage?.destroy();
    this.controller.abort();
    this.root.replaceChildren();
  }

  update(query) {
    if (query === undefined || query === null || query === this.query) return;
    this.query = query;
    this.open(parse(query));
  }

  // ---- what comes from the server ----

  async open(address, { answering = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    this.address = address;
    if (!address.id) return LISTING.some((name) => address.listing.has(name)) ? this.openFirst() : this.teach();
    const id = encodeURIComponent(address.id);
    const around = new URLSearchParams(address.listing);
    around.set("id", address.id);
    const answers = await Promise.all([`item?id=${id}`, taskRoute(id), `neighbours?${around}`].map((route) => this.api.get(`studio/${route}`)));
    if (turn !== this.turn || this.controller.signal.aborted) return undefined;
    const failed = answers.find(({ outcome }) => outcome !== "ok");
    if (failed) return this.trouble(failed);
    const [item, task, neighbours] = answers.map(({ data }) => data);
    Object.assign(this, { item, task, neighbours, evidence: null });
    this.preload();
    // what a grid has shown of this image has been seen, and is recorded before anything can be answered
    const fromGrid = Boolean(address.shown) && address.shown !== item.name;
    if (item.covered && fromGrid && item.name) {
      this.evidence = await this.ask(() => this.api.post("studio/uncover", { id: address.id, shown: address.shown }));
    } else if (!item.covered) {
      this.evidence = await this.ask(() => this.api.get(`studio/evidence?id=${id}`));
    }
    if (turn !== this.turn || this.evidence === false) return undefined;
    return this.show({ focus: answering, owed: item.covered && fromGrid && !item.name });
  }

  /** The first image of a listing; a queue of disagreements ends where none is left. */
  async openFirst() {
    const { turn } = this;
    const { listing } = this.address;
    const answer = await this.api.get(`studio/items?${listing}`);
    if (turn !== this.turn) return undefined;
    if (answer.outcome !== "ok") return this.trouble(answer);
    const [first] = answer.data.items;
    if (!first) return this.nothingLeft(listing);
    history.replaceState(history.state, "", this.link({ id: first.item_id, shown: first.mean !== null }));
    return this.open(parse(location.search));
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

  /** The next picture is here before it is wanted. */
  async preload() {
    const next = this.neighbours.next?.id;
    if (!next) return;
    const { outcome, data } = await this.api.get(`studio/item?id=${encodeURIComponent(next)}`);
    if (outcome === "ok" && data.sha256) new Image().src = at(`/img/${data.sha256}`);
  }

  /** Scorers may come in, and others answer, while the page is open. */
  lookAgain(version) {
    if (!this.evidence || this.dialogs.isOpen) return undefined;
    const known = this.version;
    this.version = version;
    return known === UNKNOWN ? undefined : this.refresh();
  }

  async refresh() {
    const evidence = await this.ask(() => this.api.get(`studio/evidence?id=${encodeURIComponent(this.item.item_id)}`));
    if (evidence === false || !evidence) return;
    this.evidence = evidence;
    this.showEvidence();
    this.remarks?.load();
  }

  // ---- what is on the screen ----

  show({ focus, owed }) {
    const { item } = this;
    this.stage?.destroy();
    this.stage = null;
    this.left = h("section", { class: "cc-bench__seen", "aria-label": "Scorers' evidence" });
    this.below = h("section", { class: "cc-bench__said", "aria-label": "Others' answers" });
    this.verdictBar.element.hidden = true;
    // who has seen the others' answers is here to judge these; their own would not be blind
    const folded = Boolean(this.evidence) && this.task.state === "label" && !this.task.answers;
    this.own = h("details", { class: folded ? "cc-bench__own is-folded" : "cc-bench__own", open: !folded || null }, h("summary", {}, "Answer the form yourself"), this.form);
    const right = h("div", { class: "cc-bench__right" }, this.verdictBar.element, this.own);
    this.root.replaceChildren(h("div", { class: item.sha256 ? "cc-bench" : "cc-bench cc-bench--bare" }, head(this), this.left, right, this.below), this.toast.element);
    this.looked = item.sha256 ? Infinity : 0;
    if (item.sha256) {
      this.stage = new Stage(item, { onPainted: () => { this.looked = performance.now() + LOOKED_MS; }, onPoint: (rank) => this.pointed(rank), onChoose: (rank) => this.words?.choose(rank), onZoom: () => this.zoom() });
    }
    this.panel = h("div", { class: "cc-bench__panel" });
    this.tools = h("div", { class: "cc-row cc-bench__tools", role: "toolbar", "aria-label": "What is drawn over the picture" });
    const picture = this.stage?.element ?? h("p", { class: "cc-no-picture" }, "This item has answers but no picture: the study did not publish it.");
    this.left.append(picture, this.tools, this.panel);
    this.answerPanel.open(this.task, { focus, seen: this.notBlind() });
    if (owed) this.answerPanel.askName(`Browse has shown you what ${this.address.shown}’s answers about this image. Enter your name, as this is recorded.`);
    this.showEvidence();
  }

  link({ id, shown }) {
    const { listing, shown: came } = this.address;
    // the grid that somebody comes from has shown its other images too, and an order by values tells of them by itself
    const told = came !== null || (listing.get("order") ?? "prompt") !== "prompt";
    return workbenchAddress(id, listing, told ? (shown || tells(listing) ? judge(listing) : "") : null);
  }

  /** Everything that depends on the evidence, or what stands in its place. */
  showEvidence() {
    const { evidence } = this;
    this.words = null;
    this.stage?.draw(null);
    this.tell(evidence);
    this.tools.replaceChildren(...this.pictureTools());
    if (!evidence) return this.panel.replaceChildren(this.cover());
    const { scorers } = evidence;
    const sight = scorers.find(({ rater }) => rater === this.chosen) ?? scorers.find(({ detections }) => detections.length) ?? scorers[0];
    const came = this.seenHow();
    if (!sight) {
      const none = h("p", { class: "cc-muted" }, this.stage ? "No scorer has scored this image yet. The page updates when one has." : "Not scored: there is no picture.");
      return this.panel.replaceChildren(...[came, none].filter(Boolean));
    }
    return this.showSight(sight, came);
  }

  /** What others said, and what was left beside the image. */
  tell(evidence) {
    const title = h("h3", { class: "cc-heading" }, "Others' answers");
    if (!evidence) return this.below.replaceChildren(title, h("p", { class: "cc-muted" }, "Hidden, like the evidence, until you answer or uncover it."));
    if (this.remarks?.item !== this.item) this.remarks = new Remarks(this.api, this.item, this.verdictBar);
    return this.below.replaceChildren(title, said(evidence, this.item.name), this.remarks.element);
  }

  showSight(sight, came) {
    const { scorers, colors } = this.evidence;
    this.words = new Evidence(this.item, sight, colors, (ranks) => this.stage?.highlight(ranks));
    const tabs = scorers.map((one) => {
      const mark = { yes: "✓", no: "✗" }[one.verdict] ?? (one.score ? fixed(one.score.value, 2) : "");
      const choose = () => {
        this.chosen = one.rater;
        this.showEvidence();
        if (this.verdictBar.data) this.verdictBar.draw(this.verdictBar.data);
        this.panel.querySelector("[aria-pressed=true]")?.focus();
      };
      return h("button", { type: "button", class: "cc-tab", "aria-pressed": String(one === sight), on: { click: choose } }, one.rater, mark ? h("span", { class: "cc-tab__mark" }, mark) : null);
    });
    const chooser = h("div", { class: "cc-tabs", role: "group", "aria-label": "Scorer" }, ...tabs);
    this.panel.replaceChildren(...[chooser, this.words.element, came].filter(Boolean));
    this.stage?.draw(sight);
    if (this.stage) this.tools.replaceChildren(...toggles(sight, (layer) => this.switch(layer)), ...this.pictureTools());
  }

  cover() {
    const name = this.item.name;
    const text = name
      ? "Evidence and others' answers are hidden. Answer first, or uncover them now: this is recorded under your name, and your later answers do not count as blind."
      : "Evidence and others' answers are hidden. Enter your name first, as uncovering them is recorded.";
    const alt = h("span", { class: "cc-caps" }, h("span", { class: "cc-caps__alt" }, kbd("Alt")), kbd("e"));
    const uncover = h("button", { type: "button", class: "cc-button", on: { click: () => this.uncover() } }, "Uncover", alt);
    return h("div", { class: "cc-cover" }, h("h3", { class: "cc-heading" }, "Hidden until you answer"), h("p", { class: "cc-muted" }, text), uncover);
  }

  /** A line on why the evidence is open, where that is not plain from what the person has just done. */
  seenHow() {
    const { how } = this.evidence;
    const grid = how?.startsWith("browse: ") ? how.slice("browse: ".length) : null;
    if (grid) return h("p", { class: "cc-bench__how" }, `You came from a view with ${grid}’s answers about this image; this is recorded.`);
    return how === "asked" ? h("p", { class: "cc-bench__how" }, "You uncovered this image before answering; this is recorded.") : null;
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
    const more = h("a", { class: "cc-toggle cc-toggle--action", href: browseAddress(alike), title: "Images that a model sees like this one" }, "More like this");
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
    const rows = WORKBENCH_KEYS.map(([keys, meaning]) => h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map((key) => kbd(key))), h("dd", {}, meaning)));
    const section = h("section", { class: "cc-for-keys cc-bench-keys" }, h("h3", { class: "cc-heading" }, "Keys of the Workbench"), h("dl", { class: "cc-keys" }, ...rows));
    this.dialogs.dialog.querySelector(".cc-dialog__body").lastElementChild.before(section);
    return true;
  }

  // ---- what the person does ----

  get isAsking() {
    return this.answerPanel.item !== null;
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
      gold: () => this.makeGold(),
      undo: () => this.undoVerdict(),
    };
    if (action === "undo") return actions.undo();
    if (/^[1-4]$/.test(action)) return Boolean(this.item && this.evidence && this.verdictBar.press(Number(action)));
    return this.item ? actions[action]() : false;
  }

  // ---- verdicts ----

  /** Scorers that a verdict here is about, first the one whose evidence was chosen. */
  get raters() {
    return [this.chosen, ...scorers(this.address.listing)].filter(Boolean);
  }

  get aspect() {
    return this.address.listing.get("about") ?? this.address.listing.get("by") ?? "correct";
  }

  /** Save who was wrong, and go on to the next image; a key that comes before the picture was seen is let go. */
  async rule(body, text) {
    if (this.isRuling || performance.now() < this.looked) return;
    if (!this.item.name) return void this.answerPanel.askName("Enter your name first: verdicts are signed.", true);
    const { item } = this;
    this.isRuling = true;
    const why = await this.remarks.send("verdict", body);
    this.isRuling = false;
    if (why) return void this.toast.show(why);
    this.ruled = { item: item.item_id, aspect: body.aspect, target: body.target, address: this.link({ id: item.item_id, shown: true }) };
    const { blamed, verdicts } = this.verdictBar.data.so_far;
    this.toast.show(`Saved: ${text} (${blamed} of ${verdicts} ${verdicts === 1 ? "verdict" : "verdicts"} so far).`, () => this.undoVerdict());
    if (this.item !== item || this.go("next")) return undefined;
    if (this.address.listing.get("verdict") === "none") this.opening = this.open({ ...this.address, id: "" });
    return undefined;
  }

  save(body) {
    return this.remarks.send("verdict", body);
  }

  async takeBack({ aspect, target }) {
    const why = await this.remarks.send("verdict/back", { aspect, target });
    this.toast.show(why ?? "The verdict is taken back.");
  }

  /** U: the last verdict is taken back, and its image comes again. */
  undoVerdict() {
    const last = this.ruled;
    if (!last) return false;
    this.ruled = null;
    this.api.post("studio/verdict/back", { id: newId(), item: last.item, aspect: last.aspect, target: last.target }).then(({ outcome, data }) => {
      if (outcome !== "ok") return this.toast.show(detail(data, "The app cannot be reached: the verdict stands."));
      this.toast.show("The verdict is taken back.");
      history.replaceState(history.state, "", last.address);
      return this.open(parse(new URL(last.address, location.href).search));
    });
    return true;
  }

  /** G: the image with a verdict becomes gold: this one, or the one that was judged by a key just before. */
  async chooseGold() {
    const here = this.evidence && !this.verdictBar.element.hidden && this.verdictBar.data.verdicts.length > 0;
    const item = here ? this.item.item_id : this.ruled?.item;
    if (!item) return this.toast.show("Give a verdict first: gold needs a right answer.");
    const { outcome, data } = await this.api.get("studio/gold");
    await this.opening; // an image that is drawn would take the dialog away
    if (outcome !== "ok") return this.toast.show(detail(data, "The app cannot be reached."));
    if (!data.campaigns.length) return this.toast.show("There is no draft campaign. Make one on Campaigns: gold is added before it starts.");
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
    this.toast.show(outcome === "ok" ? `Gold in ${title}: ${n} right ${n === 1 ? "answer" : "answers"}.` : detail(data, "The app cannot be reached: nothing was saved."));
  }

  /** The address of this image among those of its listing, for somebody else. */
  copyLink() {
    const { id, listing, shown } = this.address;
    const address = new URL(workbenchAddress(id, listing, shown), location.href).href;
    const copying = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error("no clipboard"));
    copying.then(() => this.copied("Copied"), () => this.copied(address));
    return true;
  }

  leaveForm() {
    document.activeElement?.blur();
    return true;
  }

  go(side, { answering = false } = {}) {
    const to = this.neighbours?.[side];
    if (!to) return false;
    const address = this.link(to);
    // one step back leads to the grid, however many images were looked at
    history.replaceState(history.state, "", address);
    window.scrollTo({ top: 0 });
    this.opening = this.open(parse(new URL(address, location.href).search), { answering });
    return true;
  }

  /** From the form: on to the next image, and straight to its questions. */
  next(answering) {
    if (!this.go("next", { answering })) this.answerPanel.tell("This is the last image of the listing.");
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
    // whoever uncovers goes on to the verdict: its keys are not for a field of the form
    if (this.form.contains(document.activeElement)) document.activeElement.blur();
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
    this.open(this.address, { answering: true });
  }

  // ---- when there is nothing to show ----

  async teach() {
    const { turn } = this;
    const { outcome, data } = await this.api.get("studio/items");
    if (turn !== this.turn) return;
    const first = outcome === "ok" ? data.items[0] : null;
    const start = first
      ? [h("a", { class: "cc-button cc-button--primary", href: at("/studio/images") }, "Choose one in Browse"), h("a", { class: "cc-button", href: workbenchAddress(first.item_id, new URLSearchParams()) }, "Open the first image")]
      : [h("a", { class: "cc-button cc-button--primary", href: at("/studio/") }, "Overview explains how to import images")];
    this.blank("One image at a time", "The Workbench shows one image: scorers' evidence on the left, your questions on the right, and, after you answer, all answers below.", ...start);
  }

  nothingLeft(listing) {
    const decided = new URLSearchParams(listing);
    const isQueue = decided.get("verdict") === "none";
    decided.delete("verdict");
    if (!isQueue) return this.blank("Nothing to show", "No image matches this address.", h("a", { class: "cc-button", href: browseAddress(decided) }, "Browse"));
    return this.blank("All judged", "Every disagreement of this listing has a verdict.", h("a", { class: "cc-button cc-button--primary", href: browseAddress(decided) }, "See them in Browse"));
  }

  trouble({ outcome, data }) {
    const why = outcome === "unreachable" ? "The app does not answer. Is it still running?" : detail(data, "The app refused.");
    this.blank("This image cannot be shown", why, button("Try again", { kind: "primary" }, () => this.open(this.address)), h("a", { class: "cc-button", href: at("/studio/images") }, "Browse"));
  }

  blank(title, text, ...actions) {
    this.item = null;
    this.evidence = null;
    this.root.replaceChildren(h("div", { class: "cc-empty" }, h("h2", { class: "cc-title" }, title), h("p", { class: "cc-muted" }, text), h("div", { class: "cc-row" }, ...actions)), this.toast.element);
  }
}

/** The drafts that an image can become gold of, each with its key. */
function goldChoice(campaigns, choose, close) {
  const buttons = campaigns.map((one, n) => {
    const key = n < 9 ? String(n + 1) : null;
    return button(one.title, { key, "data-key": key, autofocus: n === 0 || null }, () => choose(one));
  });
  const words = h("p", {}, "People’s answers that the verdict confirms become the right ones. Which draft gets this image as gold?");
  return h("div", { class: "cc-dialog__body" }, h("h2", { class: "cc-title" }, "Make gold"), words, h("div", { class: "cc-stack" }, ...buttons), h("div", { class: "cc-dialog__foot" }, button("Close", { key: "Esc" }, close)));
}
