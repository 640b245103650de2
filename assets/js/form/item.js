// One item and its questions: which is active, what is answered, where the draft is kept.

import { button, h } from "../dom.js";
import { Pictures } from "./pictures.js";
import { answerText, BlankView, PromptView, QuestionView } from "./question_view.js";
import { CANNOT_TELL, clean, isBlank, isTicked, problem, saysBlank, suggestions, unanswered, visible } from "./rules.js";
import { advance } from "./settings.js";
import * as store from "../store.js";
import { inLanguage, later, t } from "../texts.js";
import { remember } from "./typed.js";

const SETTLE_MS = 120;
const AIR_PX = 24; // around a question, in a list that scrolls
const COUNT_KEY = "c";
const MISSING = later("Please answer this question, or choose “Cannot tell”.");

/** `host` has submit(item), zoom(item), ready(item, {byAnswer}), `name` and the `activityTimer`; reveal(element) if the page must
 *  not scroll; drafted(item) if drafts are kept elsewhere, too; report(), skip(), `heldKeys` and opened(item) unless it shows the
 *  pictures itself. */
export class Item {
  constructor(task, host, { showsPictures = true } = {}) {
    this.task = task;
    this.host = host;
    const { language, questionnaire } = inLanguage(task.questionnaire);
    this.questionnaire = questionnaire;
    // whoever sits here next must not find what this person has begun
    this.draftKey = task.revises ? `draft.revise.${task.revises}` : `draft.${this.whose.person}.${task.campaign}.${task.ticket}`;
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
    const shown = visible(this.questionnaire, this.answers).filter((id) => !this.isOnRequest(id));
    // of a blank image nothing is shown
    const usual = shown[0] ?? this.questionnaire.questions[0].id;
    const begun = shown.findLastIndex((id) => !isBlank(this.answers[id]));
    this.active = task.revises ? usual : (begun < 0 ? usual : (this.missing[0] ?? usual));
    this.prompt = new PromptView(task.caption ?? "");
    this.views = new Map(this.questionnaire.questions.map((question) => [question.id, this.view(question)]));
    this.blanks = this.questionnaire.blanks.map((blank) => new BlankView(blank, (value) => this.sayBlank(blank, value)));
    this.counting = button(t("Count the elements"), { key: COUNT_KEY, kind: "quiet", hidden: true }, () => this.count());
    this.oneBlank = button(t("A picture is blank"), { key: "e", kind: "quiet", hidden: true }, () => host.whichBlank?.(this, this.questionnaire.blanks));
    this.others = h("div", { class: "cc-row cc-others" }, this.counting, this.oneBlank, ...this.blanks.map((view) => view.element));
    this.list = h("div", { class: "cc-questions", inert: showsPictures, lang: language, dir: "auto" }, ...[...this.views.values()].map((view) => view.element), this.others);
    this.counts = this.questionnaire.questions.some(({ id, on_request: asked }) => asked && !isBlank(this.answers[id]));
    this.pictures = null;
    if (showsPictures) {
      this.showPictures();
    } else {
      this.list.prepend(this.prompt.element);
      this.startClock();
    }
    this.update();
  }

  showPictures() {
    const { task, host } = this;
    this.pictures = new Pictures(task, {
      onZoom: (place) => host.zoom(this, place),
      onChoose: (place) => this.choose(place),
      onSkip: task.revises ? null : () => host.actions.skip(),
      onReport: task.revises ? null : () => host.actions.report(),
    });
    if (!task.revises) this.others.append(button(t("Picture is broken"), { key: "!", kind: "quiet" }, () => host.actions.report()));
    this.element = h("div", { class: "cc-form__main", "data-layout": task.images.length > 1 ? "several" : "single" }, this.prompt.element, this.pictures.element, this.list);
    this.openWhenSeen();
  }

  /** No answer before the pictures are painted, and a moment more: a key pressed twice was meant for the item before. */
  async openWhenSeen() {
    await this.pictures.painted();
    this.startClock();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await this.host.heldKeys.released();
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
    const about = this.shown.filter((id) => this.views.get(id).question.member === place);
    const open = about.find((id) => this.missing.includes(id)) ?? about[0];
    if (open === undefined) this.host.zoom(this, place);
    else this.activate(open);
  }

  /** Ids of the questions that are asked now: what is asked on request only where it was. */
  get shown() {
    return visible(this.questionnaire, this.answers).filter((id) => this.counts || !this.isOnRequest(id));
  }

  isOnRequest(id) {
    return this.questionnaire.questions.find((question) => question.id === id).on_request;
  }

  /** Whether nothing has been answered yet. */
  get isUntouched() {
    return Object.values(this.answers).every(isBlank);
  }

  /** Whether one answer is all that is wanted. */
  get isSingle() {
    return this.questionnaire.questions.length === 1;
  }

  /** From now on, ask for the counts that suggest a score. */
  count() {
    this.counts = true;
    this.update();
    this.activate(this.shown.find((id) => this.isOnRequest(id) && isBlank(this.answers[id])) ?? this.shown[0]);
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
    else if (value === null || !this.shown.includes(this.active)) this.activate(open);
  }

  toggleBlank(blank) {
    this.sayBlank(blank, saysBlank(this.answers, blank) ? null : "yes");
  }

  update() {
    const { shown } = this;
    for (const [id, view] of this.views) {
      const number = shown.indexOf(id) + 1;
      view.update({ answer: this.answers[id], shown: number > 0, active: id === this.active, number, error: this.errors[id] });
    }
    this.prompt.update(visible(this.questionnaire, this.answers).some((id) => this.views.get(id).question.caption));
    this.counting.hidden = this.counts || !this.questionnaire.counter || shown.length === 0;
    for (const [id, score] of suggestions(this.questionnaire, this.answers)) this.views.get(id).suggest(score);
    this.updateBlanks();
    this.list.classList.toggle("has-pass", shown.includes(this.active) && this.views.get(this.active).question.cannot_tell);
    if (this.pictures) this.showOnPictures();
    this.host.progressed?.(this);
  }

  /** Of several pictures the one that is asked about can be called blank, and each that was can be taken back. */
  updateBlanks() {
    const { member } = this.views.get(this.active).question;
    const several = this.blanks.length > 1;
    for (const view of this.blanks) {
      const isSaid = saysBlank(this.answers, view.blank);
      view.update(isSaid);
      view.element.hidden = several && !isSaid && view.blank.member !== member;
    }
    this.oneBlank.hidden = !several || member !== null;
  }

  /** Which picture is asked about, and what has been said of each. */
  showOnPictures() {
    this.pictures.setActive(this.views.get(this.active).question.member);
    this.task.images.forEach((_, place) => {
      const blank = this.blanks.find((view) => view.blank.member === place);
      const scored = this.shown.findLast((id) => this.views.get(id).question.member === place);
      const said = scored && !isBlank(this.answers[scored]) ? keyOrLabel(this.views.get(scored).question, this.answers[scored]) : "";
      this.pictures.tell(place, blank && saysBlank(this.answers, blank.blank) ? t("blank") : said);
    });
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
    // a question higher than the room for it begins at the top
    const block = view.element.offsetHeight > this.list.clientHeight - AIR_PX ? "start" : "nearest";
    return view.element.scrollIntoView({ block, behavior: "auto" });
  }

  /** To the next or previous question shown; past the last one to the submit button. */
  step(by, { byAnswer = false } = {}) {
    const { shown } = this;
    if (by > 0 && this.complainOfField()) return;
    const index = shown.indexOf(this.active) + by;
    if (index < 0) return;
    if (index < shown.length) this.activate(shown[index]);
    else if (this.missing.length > 0) this.activate(this.missing[0]);
    else this.host.ready(this, { byAnswer });
  }

  /** Say beside the active question why what is typed there is no answer; false if it is one, or nothing. */
  complainOfField() {
    const why = problem(this.views.get(this.active).question, this.answers[this.active]);
    if (why === null) return false;
    this.complain({ [this.active]: why });
    return true;
  }

  /** Next, or Enter (`byKey`): take what is suggested; on to what is still open after this question, or submit when nothing is. */
  confirm({ byKey = false } = {}) {
    const { missing, shown } = this;
    if (this.complainOfField()) return undefined;
    if (missing.length === 0) return this.host.submit(this);
    if (missing.includes(this.active)) {
      // Enter after the answer that led here is no mistake of this picture's
      if (byKey && this.isUntouched) return this.show();
      const score = suggestions(this.questionnaire, this.answers).get(this.active);
      return score ? this.answer(this.active, score, true) : this.complain({ [this.active]: t(MISSING) });
    }
    if (this.views.get(this.active).question.optional) return this.step(1);
    const later = missing.find((id) => shown.indexOf(id) > shown.indexOf(this.active));
    return this.activate(later ?? missing[0]);
  }

  /** Say what is wrong beside the questions and turn to the first of them. */
  complain(errors) {
    this.errors = { ...errors };
    if (visible(this.questionnaire, this.answers).some((id) => errors[id] && this.isOnRequest(id))) this.counts = true;
    const first = this.shown.find((id) => errors[id]);
    if (first) this.active = first;
    this.update();
    if (first) this.show();
  }

  /** A key other than Enter and Backspace; true if there is a use for it: that the image is blank, or the active question's. */
  key(key) {
    const { question } = this.views.get(this.active);
    const meant = this.questionnaire.blanks.filter((one) => one.key === key);
    // images of a group share a key: it means the one that the active question is about, or is asked which
    const blank = meant.length === 1 ? meant[0] : meant.find((one) => one.member === question.member);
    if (blank) {
      this.toggleBlank(blank);
      return true;
    }
    if (meant.length > 0) {
      this.host.whichBlank?.(this, meant);
      return true;
    }
    if (!this.shown.includes(this.active)) return false;
    const keyed = this.views.get(this.active).keyed(key);
    if (!keyed && key === COUNT_KEY && !this.counting.hidden) {
      this.count();
      return true;
    }
    if (!keyed) return this.keyOfNext(key);
    this.answer(this.active, keyed.value, keyed.advance && !isBlank(keyed.value));
    return true;
  }

  /** Ticking has no end of its own: a key that only the next question knows ends it, as Enter would. */
  keyOfNext(key) {
    const { question } = this.views.get(this.active);
    if (!isTicked(question) || isBlank(this.answers[question.id]) || advance() === "off") return false;
    const { shown } = this;
    const next = shown[shown.indexOf(question.id) + 1];
    const keyed = next && this.views.get(next).keyed(key);
    if (!keyed) return false;
    this.activate(next);
    this.answer(next, keyed.value, keyed.advance && !isBlank(keyed.value));
    return true;
  }
}

/** An answer in few letters, for the corner of a picture. */
const keyOrLabel = ({ kind, ...question }, value) => (kind === "likert" && value !== CANNOT_TELL ? String(value) : answerText(question, value));
