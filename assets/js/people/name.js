// The name of whoever acts: asked for in place at the first act, then never.

import { Api, detail } from "../api.js";
import { at } from "../base_path.js";
import { h } from "../dom.js";

let asked = null;

/** Asks for a name; true once it is given, false if somebody would rather not. */
export function askName(why) {
  asked ??= dialogued(why).finally(() => (asked = null));
  return asked;
}

function dialogued(why) {
  return new Promise((resolve) => {
    const field = h("input", { type: "text", class: "cc-input", maxlength: "1000", "aria-label": "Your name", autofocus: true });
    const said = h("p", { class: "cc-act-said", role: "alert" });
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", {}, "Your name"),
      h("p", { class: "cc-part-hint" }, why),
      field,
      said,
      h("div", { class: "cc-people-acts" }, h("button", { type: "submit", class: "cc-button cc-button--primary" }, "Go on"), h("button", { type: "button", class: "cc-button", value: "cancel" }, "Cancel")),
    );
    const dialog = h("dialog", { class: "cc-ask-name", "aria-label": "Your name" }, form);
    let given = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { outcome, data } = await new Api("/").post(at("/api/name").slice(1), { name: field.value });
      if (outcome !== "ok") {
        said.textContent = detail(data, "The name could not be saved. Try again.");
        return;
      }
      given = true;
      dialog.close();
    });
    form.querySelector("[value=cancel]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(given);
    });
    document.querySelector(".gradio-container").append(dialog);
    dialog.showModal();
  });
}
