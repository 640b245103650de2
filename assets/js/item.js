// One picture and its questions: which is active, what is answered, where the draft is kept.

import { button, h } from "./dom.js";
import { BlankView, QuestionView } from "./questions.js";
import { clean, isBlank, saysBlank, unanswered, visible } from "./rules.js";
import * as store from "./store.js";

const MISSING = "Please answer this question, or choose “Cannot tell”.";

/** `host` has submit(item), zoom(item) and the activity `clock`; reveal(element) if the page must not scroll. */
export class Item {
  constructor(task, host) {
    this.task = task;
    this.host = host;
    this.questionnaire = task.questionnaire;
    this.draftKey = task.revises ? `draft.revise.${task.revises}` : `draft.${task.ticket}`;
    const draft = store.read(this.draftKey);
    this.answers = { ...(draft?.answers ?? task.answers ?? {}) };
    this.started = draft?.started ?? new Date().toISOString();
    this.secondsBefore = draft?.seconds ?? 0;
    this.clockStart = host.clock.seconds;
    this.errors = {};
    this.refused = false;
    const shown = visible(this.questionnaire, this.answers);
    // of a blank image nothing is shown
    const usual = shown[0] ?? this.questionnaire.questions[0].id;
    this.active = task.revises ? usual : (this.missing[0] ?? usual);
    this.views = new Map(this.questionnaire.questions.map((question) => [question.id, this.view(question)]));
    this.blanks = this.questionnaire.blanks.map((blank) => new BlankView(blank, (value) => this.sayBlank(blank, value)));
    this.picture = this.figure();
    this.list = h("div", { class: "cc-questions" }, ...[...this.views.values(), ...this.blanks].map((view) => view.element));
    this.element = h("div", { class: "cc-form__main" }, this.picture, this.list);
    this.update();
  }

  view(question) {
    return new QuestionView(question, {
      caption: this.task.caption,
      onAnswer: (value, { advance }) => this.answer(question.id, value, advance),
      onFocus: () => this.activate(question.id, { focus: false }),
    });
  }

  figure() {
    const { image, width, height } = this.task;
    const failure = h("p", { class: "cc-picture__failure", role: "alert", hidden: true });
    const picture = h("img", { class: "cc-picture__image", alt: "The picture to judge", width, height, draggable: "false" });
    picture.style.setProperty("--cc-picture-width", `max(${2 * width}px, 480px)`);
    const load = (again) => {
      failure.hidden = true;
      picture.src = again ? `${image}#${Date.now()}` : image;
    };
    picture.addEventListener("error", () => {
      failure.hidden = false;
    });
    picture.addEventListener("click", () => this.host.zoom(this));
    failure.append("The picture could not be loaded. ", button("Load again", {}, () => load(true)));
    load(false);
    const zoom = button("Zoom", { key: "z", kind: "floating" }, () => this.host.zoom(this));
    return h("figure", { class: "cc-picture" }, picture, failure, zoom);
  }

  get seconds() {
    return this.secondsBefore + this.host.clock.seconds - this.clockStart;
  }

  get missing() {
    return unanswered(this.questionnaire, this.answers);
  }

  get result() {
    return clean(this.questionnaire, this.answers);
  }

  saveDraft() {
    store.write(this.draftKey, { answers: this.answers, started: this.started, seconds: this.seconds, at: Date.now() });
  }

  dropDraft() {
    store.remove(this.draftKey);
  }

  answer(id, value, advance) {
    this.answers[id] = value;
    delete this.errors[id];
    this.active = id;
    this.saveDraft();
    this.update();
    if (advance) this.step(1);
  }

  /** An image that is blank needs no more answers; one that is not is asked about again. */
  sayBlank(blank, value) {
    this.answers[blank.id] = value;
    this.errors = {};
    this.saveDraft();
    this.update();
    const [open] = this.missing;
    if (open === undefined) this.host.ready(this);
    else if (value === null) this.activate(open);
  }

  update() {
    const shown = visible(this.questionnaire, this.answers);
    for (const [id, view] of this.views) {
      const number = shown.indexOf(id) + 1;
      view.update({ answer: this.answers[id], shown: number > 0, active: id === this.active, number, error: this.errors[id] });
    }
    for (const view of this.blanks) view.update(saysBlank(this.answers, view.blank));
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
    // Beside the picture the question belongs in the middle; below it, on a phone, directly under it.
    const beside = window.matchMedia("(width >= 900px)").matches;
    return view.element.scrollIntoView({ block: beside ? "center" : "start", behavior: "auto" });
  }

  /** To the next or previous question shown; past the last one to the submit button. */
  step(by) {
    const shown = visible(this.questionnaire, this.answers);
    const index = shown.indexOf(this.active) + by;
    if (index < 0) return;
    if (index < shown.length) this.activate(shown[index]);
    else if (this.missing.length > 0) this.activate(this.missing[0]);
    else this.host.ready(this);
  }

  /** Enter: on to what is still open after this question, or submit when nothing is. */
  confirm() {
    const { missing } = this;
    if (missing.length === 0) return this.host.submit(this);
    if (missing.includes(this.active)) return this.complain({ [this.active]: MISSING });
    const shown = visible(this.questionnaire, this.answers);
    const later = missing.find((id) => shown.indexOf(id) > shown.indexOf(this.active));
    return this.activate(later ?? missing[0]);
  }

  complainOfMissing() {
    this.complain(Object.fromEntries(this.missing.map((id) => [id, MISSING])));
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
    const blank = this.questionnaire.blanks.find((one) => one.key === key && [null, question.member].includes(one.member));
    if (blank) {
      this.sayBlank(blank, saysBlank(this.answers, blank) ? null : "yes");
      return true;
    }
    if (!visible(this.questionnaire, this.answers).includes(this.active)) return false;
    const keyed = this.views.get(this.active).keyed(key);
    if (!keyed) return false;
    this.answer(this.active, keyed.value, keyed.advance && !isBlank(keyed.value));
    return true;
  }
}
