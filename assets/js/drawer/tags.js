// The tags of one image in the drawer: chips to take off, and a field with the project's tags to put one on.

import { detail } from "../api.js";
import { button, h, uniqueId } from "../dom.js";
import { newId } from "../outbox.js";

/** `api` asks, `done()` is called once a change is on disk. */
export function tagging({ tags, known_tags: known }, item, api, done) {
  const id = uniqueId("cc-tag");
  const trouble = h("p", { class: "cc-bad", role: "alert" });
  const set = async (tag, on) => {
    const { outcome, data } = await api.post("studio/tags", { id: newId(), items: [item.item_id], tag, on });
    if (outcome === "ok") return done();
    trouble.textContent = outcome === "unreachable" ? "The app cannot be reached: nothing was tagged. Try again in a moment." : detail(data, "The app refused.");
    return undefined;
  };
  const chips = tags.map((tag) => h("li", {}, h("span", { class: "cc-tag" }, tag), button("×", { kind: "quiet", "aria-label": `Remove the tag ${tag}` }, () => set(tag, false))));
  const names = h("datalist", { id: `${id}-known` }, ...known.filter((tag) => !tags.includes(tag)).map((tag) => h("option", { value: tag })));
  const field = h("input", { class: "cc-input cc-remarks__field", id, type: "text", maxlength: "100", autocomplete: "off", list: `${id}-known`, "data-part": "tag" });
  const submit = (event) => {
    event.preventDefault();
    if (field.value.trim()) set(field.value.trim(), true);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
  });
  const form = h("form", { class: "cc-row cc-remarks__tag", on: { submit } }, h("label", { for: id }, "Tag"), field, names, h("button", { type: "submit", class: "cc-button" }, "Add"));
  return h("section", { class: "cc-remarks__part", "aria-label": "Tags" }, h("h3", { class: "cc-heading" }, "Tags"), chips.length ? h("ul", { class: "cc-row cc-remarks__tags" }, ...chips) : h("p", { class: "cc-muted" }, "None yet. You can filter images by their tags."), form, trouble);
}
