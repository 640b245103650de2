// Saved views: an address under a name, for everybody of this project.

import { button, h } from "../dom.js";
import { newId } from "../outbox.js";
import { at } from "../base_path.js";
import { small, write } from "./mutations.js";

const WHY_A_NAME = "Views are stored with your name. You enter it once.";

/** `page` has api, state, toast(text) and go(query). */
export async function views(page) {
  const { outcome, data } = await page.api.get("studio/views");
  const found = outcome === "ok" ? data.views : [];
  const error = h("p", { class: "cc-field-error", role: "alert" }, outcome === "ok" ? "" : "The views of this project could not be read.");
  const list = h("ul", { class: "cc-views" });
  const field = h("input", { class: "cc-input", type: "text", maxlength: 80, autocomplete: "off", "aria-label": "Name of the view", placeholder: "a name for what is shown now" });
  const forget = async (name, line) => {
    const why = await write(page, "views/forget", { id: newId(), name }, WHY_A_NAME);
    if (why) error.textContent = why;
    else line.remove();
    if (!list.children.length) list.replaceChildren(none());
  };
  const save = async (event) => {
    event.preventDefault();
    const name = field.value.trim();
    if (!name) {
      error.textContent = "Write a name first.";
      return field.focus();
    }
    const why = await write(page, "views", { id: newId(), name, query: page.state.query }, WHY_A_NAME);
    if (why && page.dialogs.isOpen) error.textContent = why;
    else {
      page.dialogs.close();
      page.toast(why ? `Not saved: ${why}` : `Saved as “${name}”.`);
    }
    return undefined;
  };
  list.replaceChildren(...(found.length ? found.map((view) => line(page, view, forget)) : [none()]));
  small(page, "Views", [list, h("form", { class: "cc-row", on: { submit: save } }, field, h("button", { type: "submit", class: "cc-button cc-button--primary" }, "Save")), error]);
  (list.querySelector("a") ?? field).focus();
}

const none = () => h("li", { class: "cc-muted" }, "None yet. A view saves filters, order and layout under a name, for everybody in this project.");

function line(page, view, forget) {
  const open = h("a", { href: at(`/studio/images?${view.query}`), class: "cc-views__open" }, view.name);
  open.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    page.dialogs.close();
    page.go(view.query);
  });
  const who = [view.made_by, view.moment ? new Date(view.moment).toLocaleDateString() : null].filter(Boolean).join(", ");
  const row = h("li", { class: "cc-views__row" }, open, h("span", { class: "cc-muted cc-views__who" }, who));
  row.append(button("Forget", { class: "cc-button cc-button--quiet cc-views__forget", "aria-label": `Delete the view ${view.name}` }, () => forget(view.name, row)));
  return row;
}
