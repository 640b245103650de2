// What stays while items come and go: progress above, notices, and the bar with the actions and the saving status below.

import { button, h } from "../dom.js";
import { later, t } from "../texts.js";
import { IN_STRIPS, thumbnail } from "../thumbnails.js";

const STATUS = { saved: later("Saved"), saving: later("Saving …"), retrying: later("Not saved yet - retrying"), refused: later("Not saved") };

/** How people of a crowd platform are called here: it tells them nothing. */
const PSEUDONYM = /^(prolific|mturk|participant)-[0-9a-f]{10}$/i;

export class Bars {
  constructor(actions) {
    this.fill = h("div", { class: "cc-progress__fill" });
    this.bar = h("div", { class: "cc-progress", role: "progressbar", "aria-label": t("Progress"), "aria-valuemin": 0 }, this.fill);
    this.count = h("span", { class: "cc-form__count" });
    const item = "cc-button cc-button--quiet cc-menu__item";
    const more = [
      button(t("My answers"), { key: "h", class: item }, actions.mine),
      button(t("Undo the last skip"), { key: "t", class: item }, actions.unskip),
      button(t("Pause"), { key: ".", class: item }, actions.pause),
      button(t("Report a broken picture"), { key: "!", class: item }, actions.report),
    ];
    this.results = h("a", { class: item, href: "", hidden: true }, t("See the results"));
    this.menu = h("details", { class: "cc-menu" }, h("summary", { class: "cc-button cc-button--quiet" }, t("More")), h("div", { class: "cc-menu__list" }, ...more, this.results));
    this.menu.addEventListener("click", (event) => event.target.closest("button") && this.menu.removeAttribute("open"));
    this.person = h("span", { class: "cc-form__person" });
    this.leave = button("", { class: "cc-button cc-button--quiet cc-form__leave", hidden: true }, actions.leave);
    const help = button(t("Help"), { key: "?", kind: "quiet", "aria-label": t("Help: instructions and keys") }, actions.help);
    this.top = h("header", { class: "cc-form__top" }, this.count, h("div", { class: "cc-row cc-form__who" }, this.person, this.leave, this.menu, help));
    this.notice = h("div", { class: "cc-notice cc-form__notice", role: "status", hidden: true });
    this.body = h("div", { class: "cc-form__body" });
    this.undo = button(t("Undo"), { key: "u", "aria-label": t("Undo: revise the last answer") }, actions.undo);
    this.skip = button(t("Skip"), { key: "s", "aria-label": t("Skip this picture") }, actions.skip);
    this.status = h("p", { class: "cc-form__status", role: "status", "aria-live": "polite" });
    this.submit = button(t("Submit"), { key: "Enter", class: "cc-button cc-button--primary cc-form__submit" }, actions.submit);
    this.actions = h("div", { class: "cc-row cc-form__actions" }, this.undo, this.skip);
    this.lastImage = null;
    this.last = button("", { class: "cc-form__last", hidden: true, title: t("Your last answer"), "aria-label": t("Your last answer: revise it") }, actions.undo);
    const saved = h("div", { class: "cc-row cc-form__saved" }, this.last, this.status);
    this.bottom = h("footer", { class: "cc-form__bottom", hidden: true }, this.notice, this.actions, saved, this.submit);
    this.elements = [this.bar, this.top, this.body, this.bottom];
    this.everSaved = false;
    this.counted = "";
    this.pace = { seconds: null, left: 0 };
    this.working = false;
    this.state = "saved";
  }

  /** Whoever looks at a campaign before its start is told, all the time, that this is no answering. */
  markPreview() {
    this.top.prepend(h("strong", { class: "cc-badge cc-badge--warn" }, t("Preview: nothing is stored")));
  }

  show(element, { working, revising }) {
    this.body.replaceChildren(element);
    this.working = working;
    this.submit.hidden = !working;
    this.showBottom();
    this.actions.hidden = !working || revising; // the notice offers the way back
    this.showLast(working && !revising);
    this.submit.firstChild.textContent = revising ? t("Save change") : t("Submit");
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
    const where = training ? t("Training: {left} to go", training) + needed : t("{done} of {total} done", { done: done.toLocaleString("en"), total: total.toLocaleString("en") });
    this.pace.left = Math.max(total - done, 0);
    this.counted = title ? `${title} · ${where}` : where;
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
    const pace = seconds !== null && left > 0 ? ` · ${about} · ${t("{seconds} s each", { seconds: Math.max(Math.round(seconds), 1) })}` : "";
    this.count.textContent = this.counted + pace;
  }

  /** The picture of the answer just given, as the way back to it. */
  setLast(image) {
    this.lastImage = image ?? null;
    this.showLast(this.working);
  }

  showLast(wanted) {
    this.last.hidden = !wanted || this.lastImage === null;
    this.last.replaceChildren(...(this.last.hidden ? [] : [h("img", { alt: "", src: thumbnail(this.lastImage, IN_STRIPS) })]));
  }

  setName(name) {
    const made = PSEUDONYM.test(name ?? "");
    this.person.textContent = made ? "" : (name ?? "");
    this.leave.hidden = name === null;
    this.menu.hidden = name === null;
    this.leave.textContent = name === null ? "" : made ? t("not you?") : t("not {name}?", { name });
  }

  /** `href` leads to the results; null: they are not for this person. */
  setResults(href) {
    this.results.hidden = href === null;
    this.results.href = href ?? "";
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

  setReady(isReady, done, of) {
    this.submit.classList.toggle("is-waiting", !isReady);
    this.submit.title = isReady ? "" : t("{done} of {of} questions answered", { done, of });
  }

  focusSubmit() {
    this.submit.focus({ preventScroll: true });
  }
}
