// What researchers leave beside an image: tags and notes, and what became of it so far. Verdicts are drawn elsewhere (`verdictBar`).

import { detail } from "../api.js";
import { button, h, uniqueId } from "../dom.js";
import { newId } from "../outbox.js";
import { tagging } from "./tags.js";
import { moment } from "./verdict_bar.js";

const KINDS = {
  import: "came with", picture: "its picture came with", scored: "scored, in", failed: "could not be scored:", answer: "answered:", revision: "revised:",
  uncovered: "saw what others said:", verdict: "ruled:", withdrawal: "took back the verdict on", note: "wrote a note", tag: "tagged:", untag: "took the tag away:",
};
const HOW = { asked: "uncovered it", answered: "after answering" };

/** Sections of an image; `api` asks, `item` is the open image. All, and the drawer's `verdictBar`, is drawn anew after each change. */
export class Remarks {
  constructor(api, item, { verdictBar }) {
    this.api = api;
    this.item = item;
    this.verdictBar = verdictBar;
    this.element = h("div", { class: "cc-remarks", "aria-label": "Tags, notes and history", role: "group" });
  }

  async load() {
    const { outcome, data } = await this.api.get(`studio/remarks?id=${encodeURIComponent(this.item.item_id)}`);
    if (outcome === "ok") this.draw(data);
    else this.element.replaceChildren(h("p", { class: "cc-note cc-bad" }, detail(data, "Notes and history could not be read. They come back with the app.")));
  }

  draw(data) {
    if (data.covered) return this.element.replaceChildren();
    // what somebody is writing outlives a drawing
    const written = this.field?.value ?? "";
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.part : null;
    this.element.replaceChildren(tagging(data, this.item, this.api, () => this.load()), this.notes(data), past(data.history));
    // a verdict that somebody is writing outlives a drawing, too, while nothing of it has changed
    const judged = JSON.stringify([data.cases, data.verdicts]);
    if (judged !== this.judged) this.verdictBar.draw(data);
    this.judged = judged;
    this.field.value = written;
    if (focused) this.element.querySelector(`[data-part=${focused}]`)?.focus({ preventScroll: true });
    return undefined;
  }

  /** Send what was written; null once it is on disk, else why it is not. */
  async send(route, body) {
    const { outcome, data } = await this.api.post(`studio/${route}`, { id: newId(), item: this.item.item_id, ...body });
    if (outcome === "unreachable") return "The app cannot be reached: nothing was saved. Try again in a moment.";
    if (outcome !== "ok") return detail(data, "The app refused.");
    if (this.field && route === "notes") this.field.value = "";
    this.draw(data);
    return null;
  }

  /** Go to where a note (or a tag) is written; false if that is not shown yet. */
  focus(part = "note") {
    const field = this.element.querySelector(`[data-part=${part}]`);
    field?.scrollIntoView({ block: "nearest" });
    field?.focus();
    return Boolean(field);
  }

  // ---- notes ----

  notes({ notes }) {
    const id = uniqueId("cc-note");
    const trouble = h("p", { class: "cc-bad", role: "alert" });
    let revises = null;
    const save = button("Save note", { "data-part": "save" }, async () => {
      trouble.textContent = (await this.send("notes", { text: this.field.value, revises })) ?? "";
    });
    this.field = h("textarea", { class: "cc-input", id, rows: "2", maxlength: "4000", "data-part": "note" });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save.click();
      if (event.key === "Escape") this.field.blur();
    });
    const edit = (one) => {
      revises = one.note_id;
      this.field.value = one.text;
      save.textContent = "Save change";
      this.field.focus();
    };
    const remove = async (one) => {
      trouble.textContent = (await this.send("notes", { text: "", revises: one.note_id })) ?? "";
    };
    const listed = notes.map((one) => noted(one, one.made_by === this.item.name ? { edit, remove } : null));
    return h(
      "section",
      { class: "cc-remarks__part", "aria-label": "Notes" },
      h("h3", { class: "cc-heading" }, "Notes"),
      listed.length ? h("ul", { class: "cc-remarks__list" }, ...listed) : h("p", { class: "cc-muted" }, "None yet. Researchers see each other's notes; annotators never do."),
      h("label", { for: id }, "A note on this image"),
      this.field,
      h("div", { class: "cc-row" }, save, h("span", { class: "cc-muted" }, "Ctrl + Enter saves")),
      trouble,
    );
  }
}

function noted(one, acts) {
  const who = h("small", { class: "cc-detail" }, [one.made_by, moment(one.moment), one.revised ? "changed" : ""].filter(Boolean).join(" · "));
  const buttons = acts ? [button("Change", { kind: "quiet" }, () => acts.edit(one)), button("Take back", { kind: "quiet" }, () => acts.remove(one))] : [];
  return h("li", {}, h("p", { class: "cc-pre" }, one.text), h("div", { class: "cc-row" }, who, ...buttons));
}

function past(events) {
  const lines = events.map((one) => {
    const about = one.kind === "uncovered" ? (HOW[one.about] ?? one.about) : one.about;
    const text = [one.who, KINDS[one.kind] ?? one.kind, about].filter(Boolean).join(" ");
    return h("li", {}, h("time", { class: "cc-detail", datetime: one.moment }, moment(one.moment)), h("span", {}, text));
  });
  const list = lines.length ? h("ol", { class: "cc-remarks__past" }, ...lines) : h("p", { class: "cc-muted" }, "There is no record of how this image was made.");
  return h("section", { class: "cc-remarks__part", "aria-label": "History" }, h("details", {}, h("summary", { class: "cc-heading" }, `History (${lines.length})`), list));
}
