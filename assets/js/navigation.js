// The bar of Studio: places by keys, the project's menu, and the switch between light and dark, which the browser remembers.
// What a place shows (its scope) goes along to the next one.

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

export function mount(element) {
  // not by its address: that is below Gradio's base, which is another page's
  element.querySelector(".cc-nav-skip").addEventListener("click", (event) => {
    event.preventDefault();
    element.querySelector("#content").focus();
  });
  const kept = localStorage.getItem(KEY);
  if (kept) document.body.classList.toggle("dark", kept === "dark");
  element.querySelector(".cc-nav-theme").addEventListener("click", () => {
    document.body.classList.toggle("dark");
    localStorage.setItem(KEY, dark() ? "dark" : "light");
  });
  const links = [...element.querySelectorAll(".cc-places a, .cc-place-tabs a")];
  const originals = new Map(links.map((link) => [link, link.href]));
  const follow = () => links.forEach((link) => (link.href = withScope(originals.get(link))));
  for (const name of ["pointerover", "focusin", "pointerdown"]) element.addEventListener(name, follow);
  let since = -Infinity; // when "g" was pressed
  const keys = (event) => {
    if (!element.isConnected) return document.removeEventListener("keydown", keys);
    if (typing(event) || event.defaultPrevented) return undefined;
    if (event.key === "g") since = event.timeStamp;
    else if (event.timeStamp - since < KEY_PAUSE_MS) {
      since = -Infinity;
      follow();
      element.querySelector(`.cc-places a[data-key="${CSS.escape(event.key)}"]`)?.click();
    } else if (event.key === "[" || event.key === "]") {
      const tabs = [...element.querySelectorAll(".cc-place-tabs a")];
      const at = tabs.findIndex((tab) => tab.hasAttribute("aria-current"));
      follow();
      tabs[at + (event.key === "]" ? 1 : -1)]?.click();
    }
    return undefined;
  };
  document.addEventListener("keydown", keys);
}
