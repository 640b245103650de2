// What stays while items come and go: above where one is and the ways out, below the ways back and on, and the saving status.

import { button, h } from "../dom.js";
import { at } from "../base_path.js";
import { later, t } from "../texts.js";

const STATUS = { saved: later("Saved"), saving: later("Saving …"), retrying: later("Not saved yet: will be saved"), refused: later("Not saved") };

/** How people of a crowd platform are called here: it tells them nothing. */
const PSEUDONYM = /^(prolific|mturk|participant)-[0-9a-f]{10}$/i;

export class Bars {
  constructor(actions) {
    this.fill = h("div", { class: "cc-form__fill" });
    this.bar = h("div", { class: "cc-form__progress", role: "progressbar", "aria-label": t("Progress"), "aria-valuemin": 0 }, this.fill);
    this.title = h("span", { class: "cc-form__title" });
    this.home = h("a", { class: "cc-form__home", href: at("/annotate/"), "aria-label": t("Home") }, h("span", { class: "cc-form__mark" }), this.title);
    this.count = h("span", { class: "cc-form__count" });
    this.person = h("span", { class: "cc-form__person" });
    this.leave = button("", { class: "cc-button cc-button--quiet cc-form__leave", hidden: true }, actions.leave);
    const help = button(t("Help"), { key: "?", kind: "quiet", "aria-label": t("Help: instructions and keys") }, actions.help);
    const exit = button(t("Exit"), { class: "cc-button cc-form__exit" }, actions.exit);
    this.top = h("header", { class: "cc-form__top" }, this.home, this.count, h("div", { class: "cc-form__who" }, this.person, this.leave, help, exit), this.bar);
    this.notice = h("div", { class: "cc-notice cc-form__notice", role: "status", hidden: true });
    this.body = h("div", { class: "cc-form__body" });
    this.undo = button(t("Undo"), { key: "u", kind: "quiet", "aria-label": t("Undo: revise the last answer") }, actions.undo);
    this.skip = button(t("Skip"), { key: "s", kind: "quiet", "aria-label": t("Skip this picture") }, actions.skip);
    this.status = h("p", { class: "cc-form__status", role: "status", "aria-live": "polite" });
    this.step = h("span", { class: "cc-form__step" });
    this.back = button(t("Back"), { key: "Backspace", kind: "quiet", "aria-label": t("Back: the question before") }, actions.back);
    this.submit = button(t("Submit"), { key: "Enter", class: "cc-button cc-button--primary cc-form__submit" }, actions.submit);
    this.actions = h("div", { class: "cc-row cc-form__actions" }, this.undo, this.skip);
    this.onward = h("div", { class: "cc-row cc-form__onward" }, this.step, this.back, this.submit);
    this.bottom = h("footer", { class: "cc-form__bottom", hidden: true }, this.notice, this.actions, this.status, this.onward);
    this.elements = [this.top, this.body, this.bottom];
    this.everSaved = false;
    this.counted = "";
    this.pace = { seconds: null, left: 0 };
    this.working = false;
    this.state = "saved";
  }

  /** Whoever looks at a campaign before its start is told, all the time, that this is no answering. */
  markPreview() {
    this.count.before(h("strong", { class: "cc-badge cc-badge--warn" }, t("Preview: nothing is stored")));
  }

  show(element, { working, revising }) {
    this.body.replaceChildren(element);
    // below the questions, wherever they stand
    if (working) element.append(this.bottom);
    else this.body.after(this.bottom);
    this.working = working;
    this.onward.hidden = !working;
    this.actions.hidden = !working || revising; // the notice offers the way back
    this.showBottom();
  }

  /** Whether the same words are on the screen already, so that nobody hears them again. */
  says(element) {
    return this.body.textContent === element.textContent;
  }

  /** `training` is {right, needed, left} while it lasts. */
  setProgress({ done = 0, total = 0 }, title = "", training = null) {
    const share = total > 0 ? Math.min(done / total, 1) : 0;
    this.fill.style.width = `${share * 100}%`;
    this.bar.setAttribute("aria-valuemax", String(total));
    this.bar.setAttribute("aria-valuenow", String(done));
    const needed = training?.needed > 0 ? t(", {right} right of the {needed} needed", training) : "";
    const where = training ? t("Training: {left} to go", training) + needed : t("{done} of {total}", { done: done.toLocaleString("en"), total: total.toLocaleString("en") });
    this.pace.left = Math.max(total - done, 0);
    this.title.textContent = title;
    this.counted = where;
    this.showCount();
  }

  /** `seconds` is the median time of a person's answers here; null: not known yet. */
  setPace(seconds) {
    this.pace.seconds = seconds;
    this.showCount();
  }

  showCount() {
    const { seconds, left } = this.pace;
    const minutes = Math.round((seconds * left) / 60);
    const about = minutes < 1 ? t("less than a minute left") : t("about {minutes} min left", { minutes: minutes.toLocaleString("en") });
    const pace = seconds !== null && left > 0 ? h("span", { class: "cc-form__pace" }, ` · ${about}`) : "";
    this.count.replaceChildren(this.counted, pace);
  }

  setName(name) {
    const made = PSEUDONYM.test(name ?? "");
    this.person.textContent = made ? "" : (name ?? "");
    this.leave.hidden = name === null;
    this.leave.textContent = name === null ? "" : made ? t("not you?") : t("not {name}?", { name });
  }

  /** `href` leads to the results; null: they are not for this person, whose home is the form. */
  setResults(href) {
    this.home.href = href ?? at("/annotate/");
  }

  setNotice(text, action = null) {
    this.notice.hidden = !text;
    this.notice.replaceChildren(...(text ? [h("span", {}, text), action].filter(Boolean) : []));
    this.showBottom();
  }

  setStatus(state, waiting, reason = "") {
    this.everSaved ||= state !== "saved";
    const many = state === "retrying" && waiting > 1 ? ` (${t("{n} answers", { n: waiting })})` : "";
    const why = state === "retrying" && reason ? `. ${t(reason)}` : "";
    const text = this.everSaved ? t(STATUS[state]) + many + why : "";
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.dataset.status = state;
    this.state = state;
    this.showBottom();
  }

  /** Between items the bar has nothing to offer, but notices and unsaved answers must be seen. */
  showBottom() {
    this.bottom.hidden = !this.working && this.state !== "retrying" && this.notice.hidden;
  }

  /** `at` of `of` questions is asked now; `missing` are still to be answered. Where `goesOn`, an answer needs no button. */
  setStep({ at: place, of, missing, goesOn, revising }) {
    this.step.textContent = of > 1 ? t("{n} of {of}", { n: place, of }) : "";
    this.back.hidden = place < 2;
    this.submit.hidden = goesOn;
    const isLast = missing === 0;
    this.submit.firstChild.textContent = !isLast ? t("Next") : revising ? t("Save change") : t("Submit");
  }

  focusSubmit() {
    this.submit.focus({ preventScroll: true });
  }
}
