// What is written into the project from Images (tags, views): each with an id of its own, under the person's name.

import { detail } from "../api.js";
import { button, h } from "../dom.js";
import { nameScreen } from "../form/screens.js";

const UNREACHABLE = "The app does not answer. Is it still running?";

/** POST to a route of the studio; asks for a name where there is none yet. Resolves to null, or to why it failed. */
export async function write(page, route, body, why) {
  const { outcome, data } = await page.api.post(`studio/${route}`, body);
  if (outcome === "ok") return null;
  if (outcome === "unreachable") return UNREACHABLE;
  if (outcome !== "signed-out") return detail(data, "The app refused.");
  if (!(await askName(page, why))) return "Nothing was saved: enter a name.";
  return write(page, route, body, why);
}

/** Resolves to whether a name was given. */
function askName(page, why) {
  const { dialogs } = page;
  return new Promise((resolve) => {
    let given = false;
    const screen = nameScreen(async (name) => {
      const { outcome, data } = await page.api.post("name", { name });
      if (outcome === "unreachable") return UNREACHABLE;
      if (outcome !== "ok") return detail(data, "This name was not accepted.");
      given = true;
      dialogs.close();
      return null;
    }, { title: "Who is this?", why });
    dialogs.open("small", "Your name", h("div", { class: "cc-images-dialog" }, screen.element));
    dialogs.dialog.addEventListener("close", () => resolve(given));
    screen.focus();
  });
}

/** Title, children and a foot that closes. */
export function small(page, title, children, foot = []) {
  const { dialogs } = page;
  const close = button("Close", { key: "Esc", kind: "quiet" }, () => dialogs.close());
  dialogs.open("small", title, h("div", { class: "cc-images-dialog" }, h("h2", { class: "cc-title" }, title), ...children), h("div", { class: "cc-dialog__foot" }, ...foot, close));
}
