// The drawer's own keys. In the form, letters are answers (N neither, P purple, …): there they need Alt, outside they do not.

const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false])";
const PRESSED = { KeyN: "next", KeyP: "previous", KeyE: "uncover", KeyM: "masks", KeyZ: "zoom", KeyW: "note", KeyT: "tag", KeyC: "copy", KeyG: "gold" };
const PLAIN = { j: "next", k: "previous", n: "next", p: "previous", e: "uncover", m: "masks", z: "zoom", w: "note", t: "tag", c: "copy", u: "undo", 1: "1", 2: "2", 3: "3", 4: "4", "?": "help", ArrowRight: "next", ArrowLeft: "previous", Escape: "close" };

/** `drawer` has root, verdictBar, form (the element whose keys are answers while it `isAsking`), dialogs, destroy() and act(action) -> whether it did anything. */
export function listenToDrawerKeys(drawer, signal) {
  const listener = (event) => {
    if (!drawer.root.isConnected) return drawer.destroy();
    if (!drawer.isOpen || document.querySelector(":popover-open") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.isComposing || event.repeat) return undefined;
    const action = event.altKey ? PRESSED[event.code] : plain(drawer, event);
    if (action && allowed(drawer, action) && drawer.act(action)) event.preventDefault();
    return undefined;
  };
  document.addEventListener("keydown", listener, { signal });
}

function plain(drawer, { key, target, shiftKey }) {
  if (target.closest?.(FIELDS)) return null;
  if (drawer.isAsking && drawer.form.contains(target)) return key === "Escape" ? "leave" : null;
  if (drawer.verdictBar.scorerOf(key.toLowerCase())) return `scorer ${key.toLowerCase()}`;
  if (key === "Enter") return target.closest?.("button, a[href], summary, [tabindex]") ? null : "answer";
  if (key.startsWith("Arrow") && (shiftKey || target.closest?.("[role=listbox], [role=tablist], .cc-table-wrap"))) return null;
  return PLAIN[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** While something is enlarged, only what is drawn over it can change. */
function allowed(drawer, action) {
  return !drawer.dialogs.isOpen || action === "masks";
}

export const DRAWER_KEYS = [
  [["j", "n", "ArrowRight"], "next image of the selection"],
  [["k", "p", "ArrowLeft"], "previous image"],
  [["e"], "in Blind mode: uncover what scorers saw and others said (recorded)"],
  [["m"], "masks on or off"],
  [["z"], "zoom"],
  [["1"], "verdict: the scorer is wrong; saved, and the next image comes (of several: then a, b, c)"],
  [["2"], "verdict: people are wrong"],
  [["3"], "verdict: the prompt is unclear (4: the rules leave it open)"],
  [["u"], "take the last verdict back"],
  [["w"], "write a note"],
  [["t"], "tag it"],
  [["c"], "copy the link to this image"],
  [["Enter"], "go to the form"],
  [["Esc"], "leave the form; close the drawer"],
  [["Alt"], "with N, P, E, M, Z, W, T, C, G: the same from inside the form, where letters are answers"],
];
