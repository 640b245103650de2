// The bar of Studio: places by keys, the project's menu, and the switch between light and dark, which the browser remembers.
// What a place shows (its scope) goes along to the next one.

import { at } from "./base_path.js";
import { h } from "./dom.js";

const KEY = "concord.theme";
const SCOPE = ["suite", "aspect", "generator", "task", "statistic"];
const KEY_PAUSE_MS = 1500;

function dark() {
  return document.body.classList.contains("dark");
}

/** A link's address with the scope of this page's: what the link says itself stays. */
function withScope(href) {
  const url = new URL(href);
  const here = new URLSearchParams(location.search);
  for (const name of SCOPE)
    if (!url.searchParams.has(name)) for (const value of here.getAll(name)) url.searchParams.append(name, value);
  return url.href;
}

/** Whether somebody types: then letters are no commands. */
function typing(event) {
  const field = event.target.closest?.("input, textarea, select, [contenteditable]");
  return (field && !["checkbox", "radio", "range", "button"].includes(field.type)) || event.ctrlKey || event.metaKey || event.altKey;
}

const KEYS = [
  [["g", "then r, i, a, p, e"], "Results, Images, Agreement, People, Report"],
  [["[", "]"], "previous, next tab"],
  [["/"], "search"],
  [["↑", "↓"], "in a menu, and from prompt to prompt in Compare"],
  [["Space"], "tick the generator of a row"],
  [["Esc"], "close what lies on top"],
  [["?"], "these keys"],
];

/** A dialog with the keys; a place that has more of them says so itself. */
function showKeys() {
  const lines = KEYS.map(([keys, words]) => h("div", {}, h("dt", {}, ...keys.map((key) => h("kbd", { class: "cc-kbd" }, key))), h("dd", {}, words)));
  const close = h("button", { type: "button", class: "cc-button", autofocus: true }, "Close");
  const dialog = h("dialog", { class: "cc-nav-help", "aria-label": "Keys" }, h("h2", {}, "Keys"), h("dl", {}, ...lines), close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector(".gradio-container").append(dialog);
  dialog.showModal();
}

/** Up and down go through the lines of an open menu. */
function throughMenu(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const menu = step && document.querySelector(".cc-popup:popover-open");
  if (!menu || event.target.matches?.("textarea, select")) return;
  const lines = [...menu.querySelectorAll("a[href], button, input")].filter((line) => !line.disabled && line.offsetParent);
  const at = lines.indexOf(document.activeElement);
  event.preventDefault();
  lines.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % lines.length)?.focus();
}

/** How many people need a look, beside the place's name; nothing for none. */
async function peopleToLookAt(link) {
  const response = await fetch(at("/api/studio/look"), { credentials: "same-origin" }).catch(() => null);
  const { people } = response?.ok ? await response.json() : { people: 0 };
  link.querySelector(".cc-nav-badge")?.remove();
  if (people) link.append(h("b", { class: "cc-nav-badge", title: `${people} ${people === 1 ? "person needs" : "people need"} a look` }, String(people)));
}

function visibleSearch() {
  return [...document.querySelectorAll("input[type=search]")].find((field) => field.checkVisibility());
}

export function mount(element) {
  // not by its address: that is below Gradio's base, which is another page's
  element.querySelector(".cc-nav-skip").addEventListener("click", (event) => {
    event.preventDefault();
    element.querySelector("#content").focus();
  });
  const look = () => peopleToLookAt(element.querySelector('.cc-places a[data-key="p"]'));
  look();
  // a place of people that is drawn anew knows better
  document.addEventListener("drawn", () => location.pathname.startsWith(at("/studio/people")) && element.isConnected && look(), true);
  const kept = localStorage.getItem(KEY);
  if (kept) document.body.classList.toggle("dark", kept === "dark");
  element.querySelector(".cc-nav-theme").addEventListener("click", () => {
    document.body.classList.toggle("dark");
    localStorage.setItem(KEY, dark() ? "dark" : "light");
  });
  element.querySelector(".cc-nav-keys").addEventListener("click", () => {
    document.querySelector("#project-menu:popover-open")?.hidePopover();
    showKeys();
  });
  const links = [...element.querySelectorAll(".cc-places a, .cc-place-tabs a")];
  const originals = new Map(links.map((link) => [link, link.href]));
  const follow = () => links.forEach((link) => (link.href = withScope(originals.get(link))));
  for (const name of ["pointerover", "focusin", "pointerdown"]) element.addEventListener(name, follow);
  let since = -Infinity; // when "g" was pressed
  const keys = (event) => {
    if (!element.isConnected) return document.removeEventListener("keydown", keys);
    throughMenu(event);
    if (typing(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return undefined;
    // a page with keys of its own shows them all
    if (event.key === "?") setTimeout(() => document.querySelector("dialog[open]") || showKeys());
    else if (event.key === "/") {
      const field = visibleSearch();
      if (field) event.preventDefault();
      field?.focus();
    } else if (event.key === "g") since = event.timeStamp;
    else if (event.timeStamp - since < KEY_PAUSE_MS) {
      since = -Infinity;
      follow();
      element.querySelector(`.cc-places a[data-key="${CSS.escape(event.key)}"]`)?.click();
    } else if (event.key === "[" || event.key === "]") {
      const tabs = [...document.querySelectorAll(".cc-place-tabs a")];
      const at = tabs.findIndex((tab) => tab.hasAttribute("aria-current"));
      follow();
      tabs[at + (event.key === "]" ? 1 : -1)]?.click();
    }
    return undefined;
  };
  document.addEventListener("keydown", keys);
}
