// The name, asked in place at the first save: it stands beside what somebody decides, and is never asked again.

import { detail } from "../api.js";
import { h, kbd, uniqueId } from "../dom.js";

export class NameField {
  /** `drawer` has api and named(name). */
  constructor(drawer) {
    this.drawer = drawer;
    this.then = null;
    const id = uniqueId("cc-name");
    this.field = h("input", { class: "cc-input", id, type: "text", maxlength: 60, autocomplete: "name", "aria-describedby": `${id}-error` });
    this.error = h("p", { class: "cc-drawer__refused", id: `${id}-error`, role: "alert" });
    const save = h("button", { type: "submit", class: "cc-button cc-button--primary" }, "Save", " ", kbd("Enter"));
    this.element = h("form", { class: "cc-drawer__name", novalidate: true, hidden: true, on: { submit: (event) => this.submit(event) } }, h("label", { class: "cc-drawer__ask", for: id }, "Your name, asked once: it stands beside what you decide."), h("div", { class: "cc-row" }, this.field, save), this.error);
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.cancel();
      drawer.focus();
    });
  }

  /** `then()` is called once there is a name. */
  ask(then) {
    this.then = then;
    this.element.hidden = false;
    this.element.scrollIntoView({ block: "nearest" });
    this.field.focus({ preventScroll: true });
  }

  cancel() {
    this.then = null;
    this.element.hidden = true;
    this.error.textContent = "";
  }

  async submit(event) {
    event.preventDefault();
    const name = this.field.value.trim();
    this.error.textContent = name ? "" : "Please enter a name.";
    if (!name) return this.field.focus();
    const { outcome, data } = await this.drawer.api.post("name", { name });
    if (outcome !== "ok") {
      this.error.textContent = outcome === "unreachable" ? "The app does not answer. Try again in a moment." : detail(data, "This name was not accepted.");
      return this.field.focus();
    }
    const { then } = this;
    this.cancel();
    this.drawer.named(data.name ?? name);
    this.drawer.focus();
    return then?.();
  }
}
