// One item and its questions: which is active, what is answered, where the draft is kept.

import { h } from "../dom.js";
import { isStacked, Pictures } from "./pictures.js";
import { BlankView, PromptView, QuestionView } from "./question_view.js";
import { CANNOT_TELL, clean, isBlank, isTicked, saysBlank, suggestions, unanswered, visible } from "./rules.js";
import { advance } from "./settings.js";
import * as store from "../store.js";
import { inLanguage, later, t } from "../texts.js";
import { remember } from "./typed.js";

const SETTLE_MS = 250;
const MISSING = later("Please answer this question, or choose “Cannot tell”.");

/** `host` has submit(item), zoom(item), ready(item, {byAnswer}) and the `activityTimer`; reveal(element) if the page must not
 *  scroll; drafted(item) if drafts are kept elsewhere, too; report() and opened(item) unless it shows the pictures itself. */
export class Item {
  constructor(task, host, { showsPictures = true } = {}) {
    this.task = task;
    this.host = host;
    const { language, questionnaire } = inLanguage(task.questionnaire);
    this.questionnaire = questionnaire;
    this.draftKey = task.revises ? `draft.revise.${task.revises}` : `draft.${task.campaign}.${task.ticket}`;
    // another browser's draft comes with the task
    const draft = store.read(this.draftKey) ?? (task.draft ? { answers: task.draft } : null);
    this.answers = { ...(draft?.answers ?? task.answers ?? {}) };
    this.started = draft?.started ?? null;
    // whoever goes on with a draft was offered the item when they began it
    this.offer = draft?.offer ?? task.offer;
    this.secondsBefore = draft?.seconds ?? 0;
    this.clockStart = null;
    this.isOpen = !showsPictures;
    this.errors = {};
    this.refused = false;
    const shown = visible(this.questionnaire, this.answers);
    // of a blank image nothing is shown
    const usual = shown[0] ?? this.questionnaire.questions[0].id;
    const begun = shown.findLastIndex((id) => !isBlank(this.answers[id]));
    this.active = task.revises ? usual : (begun < 0 ? usual : (this.missing[0] ?? usual));
    this.prompt = new PromptView(task.caption ?? "");
    this.views = new Map(this.questionnaire.questions.map((question) => [question.id, this.view(question)]));
    this.blanks = this.questionnaire.blanks.map((blank) => new BlankView(blank, (value) => this.sayBlank(blank, value)));
    this.list = h("div", { class: "cc-questions", inert: showsPictures, lang: language, dir: "auto" }, ...[...this.views.values(), ...this.blanks].map((view) => view.element));
    this.pictures = null;
    if (showsPictures) this.showPictures();
    else this.startClock();
    this.update();
  }

  showPictures() {
    const { task, host } = this;
    this.pictures = new Pictures(task, {
      onZoom: (place) => host.zoom(this, place),
      onChoose: (place) => this.choose(place),
      onReport: task.revises ? null : () => host.report(),
    });
    this.element = h("div", { class: "cc-form__main", "data-pictures": task.images.length }, this.pictures.element, this.list);
    this.openWhenSeen();
  }

  /** No answer before the pictures are painted, and a moment more: a key pressed twice was meant for the item before. */
  async openWhenSeen() {
    await this.pictures.painted();
    this.startClock();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    this.isOpen = true;
    this.list.inert = false;
    this.host.opened(this);
  }

  startClock() {
    this.started ??= new Date().toISOString();
    this.clockStart = this.host.activityTimer.seconds;
  }

  view(question) {
    return new QuestionView(question, {
      promptId: this.prompt.id,
      whose: this.whose,
      onAnswer: (value, { advance }) => this.answer(question.id, value, advance),
      onFocus: () => this.activate(question.id, { focus: false }),
    });
  }

  /** Turn to the questions about one picture of several. */
  choose(place) {
    const shown = visible(this.questionnaire, this.answers);
    const about = shown.filter((id) => this.views.get(id).question.member === place);
    const open = about.find((id) => this.missing.includes(id)) ?? about[0];
    if (open === undefined) this.host.zoom(this, place);
    else this.activate(open);
  }

  get whose() {
    return { person: this.host.name ?? "", campaign: this.task.campaign };
  }

  /** Words of free texts are offered again with later items. */
  rememberWords() {
    for (const { id, kind } of this.questionnaire.questions) {
      if (kind === "text" && !isBlank(this.result[id]) && this.result[id] !== CANNOT_TELL) remember(this.whose, this.result[id]);
    }
  }

  get seconds() {
    return this.secondsBefore + (this.clockStart === null ? 0 : this.host.activityTimer.seconds - this.clockStart);
  }

  get missing() {
    return unanswered(this.questionnaire, this.answers);
  }

  get result() {
    return clean(this.questionnaire, this.answers);
  }

  saveDraft() {
    const { answers, started, offer, seconds } = this;
    store.write(this.draftKey, { answers, started, offer, seconds, at: Date.now() });
    this.host.drafted?.(this);
  }

  dropDraft() {
    store.remove(this.draftKey);
  }

  answer(id, value, goOn) {
    this.answers[id] = value;
    delete this.errors[id];
    this.active = id;
    this.saveDraft();
    this.update();
    if (goOn && advance() !== "off") this.step(1, { byAnswer: true });
  }

  /** An image that is blank needs no more answers; one that is not is asked about again. */
  sayBlank(blank, value) {
    this.answers[blank.id] = value;
    this.errors = {};
    this.saveDraft();
    this.update();
    const [open] = this.missing;
    if (open === undefined) this.host.ready(this, { byAnswer: advance() !== "off" });
    else if (value === null) this.activate(open);
  }

  update() {
    const shown = visible(this.questionnaire, this.answers);
    for (const [id, view] of this.views) {
      const number = shown.indexOf(id) + 1;
      view.update({ answer: this.answers[id], shown: number > 0, active: id === this.active, number, error: this.errors[id] });
    }
    const prompted = shown.find((id) => this.views.get(id).question.caption);
    this.prompt.update(this.views.get(prompted)?.element);
    for (const [id, score] of suggestions(this.questionnaire, this.answers)) this.views.get(id).suggest(score);
    for (const view of this.blanks) view.update(saysBlank(this.answers, view.blank));
    this.pictures?.setActive(this.views.get(this.active).question.member);
    this.host.progressed?.(shown.length - this.missing.length, shown.length);
  }

  activate(id, { focus = true } = {}) {
    const changed = id !== this.active;
    this.active = id;
    if (changed) this.update();
    if (focus) this.show();
  }

  show() {
    const view = this.views.get(this.active);
    view.focus();
    if (this.host.reveal) return this.host.reveal(view.element);
    // Beside the picture the question belongs in the middle; below it, on a phone, or where it is long, it begins at the top.
    const { offsetHeight } = view.element;
    return view.element.scrollIntoView({ block: isStacked() || offsetHeight > window.innerHeight / 2 ? "start" : "center", behavior: "auto" });
  }

  /** To the next or previous question shown; past the last one to the submit button. */
  step(by, { byAnswer = false } = {}) {
    const shown = visible(this.questionnaire, this.answers);
    const index = shown.indexOf(this.active) + by;
    if (index < 0) return;
    if (index < shown.length) this.activate(shown[index]);
    else if (this.missing.length > 0) this.activate(this.missing[0]);
    else this.host.ready(this, { byAnswer });
  }

  /** Enter: take what is suggested; on to what is still open after this question, or submit when nothing is. */
  confirm() {
    const { missing } = this;
    if (missing.length === 0) return this.host.submit(this);
    const shown = visible(this.questionnaire, this.answers);
    if (missing.includes(this.active)) {
      const score = suggestions(this.questionnaire, this.answers).get(this.active);
      return score ? this.answer(this.active, score, true) : this.complain({ [this.active]: t(MISSING) });
    }
    if (this.views.get(this.active).question.optional) return this.step(1);
    const later = missing.find((id) => shown.indexOf(id) > shown.indexOf(this.active));
    return this.activate(later ?? missing[0]);
  }

  complainOfMissing() {
    this.complain(Object.fromEntries(this.missing.map((id) => [id, t(MISSING)])));
  }

  /** Say what is wrong beside the questions and turn to the first of them. */
  complain(errors) {
    this.errors = { ...errors };
    const first = visible(this.questionnaire, this.answers).find((id) => errors[id]);
    if (first) this.active = first;
    this.update();
    if (first) this.show();
  }

  /** A key other than Enter and Backspace; true if there is a use for it: that the image is blank, or the active question's. */
  key(key) {
    const { question } = this.views.get(this.active);
    const meant = this.questionnaire.blanks.filter((one) => one.key === key);
    // images of a group share a key: it means the one that the active question is about
    const blank = meant.length === 1 ? meant[0] : meant.find((one) => one.member === question.member);
    if (blank) {
      this.sayBlank(blank, saysBlank(this.answers, blank) ? null : "yes");
      return true;
    }
    if (!visible(this.questionnaire, this.answers).includes(this.active)) return false;
    const keyed = this.views.get(this.active).keyed(key);
    if (!keyed) return this.keyOfNext(key);
    this.answer(this.active, keyed.value, keyed.advance && !isBlank(keyed.value));
    return true;
  }

  /** Ticking has no end of its own: a key that only the next question knows ends it, as Enter would. */
  keyOfNext(key) {
    const { question } = this.views.get(this.active);
    if (!isTicked(question) || isBlank(this.answers[question.id]) || advance() === "off") return false;
    const shown = visible(this.questionnaire, this.answers);
    const next = shown[shown.indexOf(question.id) + 1];
    const keyed = next && this.views.get(next).keyed(key);
    if (!keyed) return false;
    this.activate(next);
    this.answer(next, keyed.value, keyed.advance && !isBlank(keyed.value));
    return true;
  }
}
