// Tags: a small dialog (T) puts a tag on the chosen images, or takes it off; what was done last can be undone (U).

import { h } from "../dom.js";
import { newId } from "../outbox.js";
import { small, write } from "./mutations.js";

const WHY_A_NAME = "Tags are stored with your name. You enter it once.";
const AT_ONCE = 200; // items of one request

export class Tags {
  /** `page` has api, dialogs, toast(text, undo), changedTags(ids, tag, on). */
  constructor(page) {
    this.page = page;
    this.last = "";
    this.undone = null;
  }

  /** `items`: what the tag is for. The dialog is there at once, so that nothing typed is lost; known tags follow. */
  async open(items) {
    if (items.length === 0) return this.page.toast("Choose an image first: arrows move, Space chooses.");
    let known = [];
    const error = h("p", { class: "cc-field-error", role: "alert" });
    const field = h("input", { class: "cc-input", type: "text", maxlength: 100, autocomplete: "off", "aria-label": "Tag", placeholder: this.last ? `${this.last} (Enter: the same again)` : "a new name, or one below", on: { input: () => list() } });
    const names = h("div", { class: "cc-tagging", role: "group", "aria-label": "Tags of this project" });
    const apply = (name, on = true) => {
      this.page.dialogs.close();
      this.apply(items, name, on);
    };
    const list = () => {
      const words = field.value.trim().toLowerCase();
      names.replaceChildren(...known.filter((name) => name.toLowerCase().includes(words)).map((name) => this.choice(items, name, apply)));
    };
    const submit = (event) => {
      event.preventDefault();
      const name = field.value.trim() || this.last;
      if (name) apply(name);
      else error.textContent = "Write a name, or choose a tag below.";
    };
    const many = items.length === 1 ? "this image" : `${items.length.toLocaleString("en")} images`;
    small(this.page, `Tag ${many}`, [h("form", { class: "cc-row", on: { submit } }, field, h("button", { type: "submit", class: "cc-button cc-button--primary" }, "Tag")), error, names]);
    field.focus();
    const { outcome, data } = await this.page.api.get("studio/tags");
    if (outcome !== "ok") error.textContent = "The tags of this project could not be read.";
    else known = data.tags.map(({ name }) => name);
    return list();
  }

  /** A tag with how many of these images have it; where all have, the button takes it off. */
  choice(items, name, apply) {
    const having = items.filter((item) => item.tags?.includes(name)).length;
    const all = having === items.length;
    const words = all ? "take off" : having ? `${having} of ${items.length} have it` : "";
    return h("button", { type: "button", class: "cc-tagging__one", "aria-pressed": all ? "true" : having ? "mixed" : "false", on: { click: () => apply(name, !all) } }, h("span", { class: "cc-tag" }, name), words ? h("span", { class: "cc-muted" }, words) : null);
  }

  async apply(items, tag, on) {
    const changed = items.filter((item) => Boolean(item.tags?.includes(tag)) !== on).map((item) => item.item_id);
    if (on) this.last = tag;
    if (changed.length === 0) return this.page.toast(on ? `All of them have “${tag}” already.` : `None of them has “${tag}”.`);
    if (!(await this.set(changed, tag, on))) return undefined;
    this.undone = () => this.set(changed, tag, !on);
    const n = changed.length === 1 ? "1 image" : `${changed.length.toLocaleString("en")} images`;
    return this.page.toast(on ? `${n} tagged “${tag}”.` : `“${tag}” taken off ${n}.`, () => this.undo());
  }

  async undo() {
    const undo = this.undone;
    if (!undo) return this.page.toast("There is nothing to undo.");
    this.undone = null;
    if (await undo()) this.page.toast("Undone.");
    return undefined;
  }

  async set(ids, tag, on) {
    for (let first = 0; first < ids.length; first += AT_ONCE) {
      const items = ids.slice(first, first + AT_ONCE);
      const why = await write(this.page, "tags", { id: newId(), items, tag, on }, WHY_A_NAME);
      if (why) {
        this.page.toast(`Not tagged: ${why}`);
        return false;
      }
      this.page.changedTags(items, tag, on);
    }
    return true;
  }
}
