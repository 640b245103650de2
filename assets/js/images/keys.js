// The keys of Images, while no image is in the drawer. Typing in a field comes first, and the browser's own shortcuts are left alone.

import { button, h, kbd } from "../dom.js";

const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
const ACTIONS = { t: "tag", x: "compare", l: "like", u: "undo", "/": "search", "?": "help", Escape: "leave" };

/** `page` has root, dialogs, destroy() and act(action) -> whether it did anything. */
export function listenToImagesKeys(page, signal) {
  const listener = (event) => {
    if (!page.root.isConnected) return page.destroy();
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return undefined;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (page.dialogs.isOpen) return inDialog(page, event, key);
    if (event.repeat || page.drawer.isOpen || event.target.closest?.(FIELDS)) return undefined;
    if (key === "Enter" && event.target === document.body && page.act("judge")) return event.preventDefault();
    const action = ACTIONS[key] ?? (key.startsWith("Arrow") && event.target === document.body ? "enter" : null);
    if (action && page.act(action)) event.preventDefault();
    return undefined;
  };
  document.addEventListener("keydown", listener, { signal });
}

function inDialog(page, event, key) {
  if (event.repeat || event.target.closest?.("input:not([type=range]), textarea, select")) return;
  const own = page.dialogs.dialog.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (own) own.click();
  else if (key === "?" && page.dialogs.dialog.dataset.dialog === "help") page.dialogs.close();
  else return;
  event.preventDefault();
}

const KEYS = [
  [["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], "move among the images"],
  [["Home", "End"], "the first, the last"],
  [["PageUp", "PageDown"], "a screen up or down"],
  [["Enter"], "open the image; Esc returns to it"],
  [["Space"], "choose the image, or let it go"],
  [["Shift", "ArrowRight"], "choose all up to there (any of the keys above)"],
  [["t"], "tag what is chosen, or this image"],
  [["u"], "undo the last tag"],
  [["x"], "compare the two that are chosen, or this prompt over its generators"],
  [["l"], "only images that look like this one"],
  [["[", "]"], "by prompt: another image of each prompt"],
  [["/"], "search the prompts"],
  [["Esc"], "let go of what is chosen; leave the search"],
  [["Enter"], "with nothing chosen: judge what differs, one image after the other"],
  [["?"], "this help"],
];

export function help(page) {
  const rows = KEYS.map(([keys, meaning]) => h("div", { class: "cc-keys__row" }, h("dt", {}, ...keys.map((key) => kbd(key))), h("dd", {}, meaning)));
  const words = [
    "Each filter on the left says how many images would be left. Values of one filter are alternatives, several filters restrict together.",
    "The address in your browser contains the whole view: copy it, and others see the same.",
    "What you open is recorded as seen: an answer that you give after that is not blind. Blind mode hides what others say until you have answered.",
  ];
  const close = button("Back to the images", { key: "Esc", kind: "primary", autofocus: true }, () => page.dialogs.close());
  page.dialogs.open(
    "help",
    "Keys of Images",
    h("div", { class: "cc-dialog__body cc-images-help" }, h("h2", { class: "cc-title" }, "Images"), h("section", {}, h("h3", { class: "cc-heading" }, "How it works"), h("ul", { class: "cc-list" }, ...words.map((line) => h("li", {}, line)))), h("section", {}, h("h3", { class: "cc-heading" }, "Keys"), h("dl", { class: "cc-keys" }, ...rows))),
    h("div", { class: "cc-dialog__foot" }, close),
  );
  return true;
}
