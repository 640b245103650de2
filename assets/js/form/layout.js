// What stays while items come and go: progress above, notices, and the bar with the actions and the saving status below.

import { button, h } from "../dom.js";

const STATUS = { saved: "Saved", saving: "Saving …", retrying: "Not saved yet - retrying", refused: "Not saved" };

/** How people of a crowd platform are called here: it tells them nothing. */
const PSEUDONYM = /^(prolific|mturk|participant)-[0-9a-f]{10}$/i;

export class Frame {
  constructor(actions) {
    this.fill = h("div", { class: "cc-progress__fill" });
    this.bar = h("div", { class: "cc-progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0 }, this.fill);
    this.count = h("span", { class: "cc-form__count" });
    const item = "cc-button cc-button--quiet cc-menu__item";
    const more = [
      button("My answers", { key: "h", class: item }, actions.mine),
      button("Undo the last skip", { key: "t", class: item }, actions.unskip),
      button("Pause", { key: ".", class: item }, actions.pause),
      button("Report a broken picture", { key: "!", class: item }, actions.report),
    ];
    this.menu = h("details", { class: "cc-menu" }, h("summary", { class: "cc-button cc-button--quiet" }, "More"), h("div", { class: "cc-menu__list" }, ...more));
    this.menu.addEventListener("click", (event) => event.target.closest("button") && this.menu.removeAttribute("open"));
    this.person = h("span", { class: "cc-form__person" });
    this.leave = button("", { class: "cc-button cc-button--quiet cc-form__leave", hidden: true }, actions.leave);
    const help = button("Help", { key: "?", kind: "quiet", "aria-label": "Help: instructions and keys" }, actions.help);
    this.top = h("header", { class: "cc-form__top" }, this.count, h("div", { class: "cc-row cc-form__who" }, this.person, this.leave, this.menu, help));
    this.notice = h("div", { class: "cc-notice cc-form__notice", role: "status", hidden: true });
    this.body = h("div", { class: "cc-form__body" });
    this.undo = button("Undo", { key: "u", "aria-label": "Undo: revise the last answer" }, actions.undo);
    this.skip = button("Skip", { key: "s", "aria-label": "Skip this picture" }, actions.skip);
    this.status = h("p", { class: "cc-form__status", role: "status", "aria-live": "polite" });
    this.submit = button("Submit", { key: "Enter", class: "cc-button cc-button--primary cc-form__submit" }, actions.submit);
    this.actions = h("div", { class: "cc-row cc-form__actions" }, this.undo, this.skip);
    this.bottom = h("footer", { class: "cc-form__bottom", hidden: true }, this.notice, this.actions, this.status, this.submit);
    this.elements = [this.bar, this.top, this.body, this.bottom];
    this.everSaved = false;
    this.working = false;
    this.state = "saved";
  }

  show(element, { working, revising }) {
    this.body.replaceChildren(element);
    this.working = working;
    this.submit.hidden = !working;
    this.showBottom();
    this.actions.hidden = !working || revising; // the notice offers the way back
    this.submit.firstChild.textContent = revising ? "Save change" : "Submit";
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
    const needed = training?.needed > 0 ? `, ${training.right} right of the ${training.needed} needed` : "";
    const where = training ? `Training: ${training.left} to go${needed}` : `${done.toLocaleString("en")} of ${total.toLocaleString("en")} done`;
    this.count.textContent = title ? `${title} · ${where}` : where;
  }

  setName(name) {
    const made = PSEUDONYM.test(name ?? "");
    this.person.textContent = made ? "" : (name ?? "");
    this.leave.hidden = name === null;
    this.menu.hidden = name === null;
    this.leave.textContent = name === null ? "" : made ? "not you?" : `not ${name}?`;
  }

  setNotice(text, action = null) {
    this.notice.hidden = !text;
    this.notice.replaceChildren(...(text ? [h("span", {}, text), action].filter(Boolean) : []));
    this.showBottom();
  }

  setStatus(state, waiting, reason = "") {
    this.everSaved ||= state !== "saved";
    const many = state === "retrying" && waiting > 1 ? ` (${waiting} answers)` : "";
    const why = state === "retrying" && reason ? `. ${reason}` : "";
    const text = this.everSaved ? STATUS[state] + many + why : "";
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
    this.submit.title = isReady ? "" : `${done} of ${of} questions answered`;
  }

  focusSubmit() {
    this.submit.focus({ preventScroll: true });
  }
}
