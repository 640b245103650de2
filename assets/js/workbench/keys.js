// The Workbench's own keys. In the form, letters are answers (N neither, P purple, …): there they need Alt, outside they do not.

const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false])";
const PRESSED = { KeyN: "next", KeyP: "previous", KeyE: "uncover", KeyM: "masks", KeyZ: "zoom", KeyW: "note", KeyT: "tag", KeyC: "copy", KeyG: "gold" };
const PLAIN = { n: "next", p: "previous", e: "uncover", m: "masks", z: "zoom", w: "note", t: "tag", c: "copy", g: "gold", u: "undo", 1: "1", 2: "2", 3: "3", 4: "4", "?": "help", ArrowRight: "next", ArrowLeft: "previous" };

/** `workbench` has root, form (the element whose keys are answers while it `isAsking`), dialogs, destroy() and act(action) -> whether it did anything. */
export function listenToWorkbenchKeys(workbench, signal) {
  const listener = (event) => {
    if (!workbench.root.isConnected) return workbench.destroy();
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.isComposing || event.repeat) return undefined;
    const action = event.altKey ? PRESSED[event.code] : plain(workbench, event);
    if (action && allowed(workbench, action) && workbench.act(action)) event.preventDefault();
    return undefined;
  };
  document.addEventListener("keydown", listener, { signal });
}

function plain(workbench, { key, target, shiftKey }) {
  if (target.closest?.(FIELDS)) return null;
  if (workbench.isAsking && workbench.form.contains(target)) return key === "Escape" ? "leave" : null;
  if (key === "Enter") return target.closest?.("button, a[href], summary, [tabindex]") ? null : "answer";
  if (key.startsWith("Arrow") && (shiftKey || target.closest?.("[role=listbox], [role=tablist], .cc-table-wrap"))) return null;
  return PLAIN[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** While something is enlarged, only what is drawn over it can change. */
function allowed(workbench, action) {
  return !workbench.dialogs.isOpen || action === "masks";
}

export const WORKBENCH_KEYS = [
  [["n", "ArrowRight"], "next image of the listing"],
  [["p", "ArrowLeft"], "previous image"],
  [["e"], "uncover what scorers saw and others said (recorded)"],
  [["m"], "masks on or off"],
  [["z"], "zoom"],
  [["1"], "verdict: the scorer is wrong; saved, and the next image comes (once uncovered)"],
  [["2"], "verdict: people are wrong"],
  [["3"], "verdict: the prompt is ambiguous (4: the guideline leaves it open)"],
  [["u"], "take the last verdict back"],
  [["g"], "make the image with a verdict gold of a draft campaign"],
  [["w"], "write a note"],
  [["t"], "tag it"],
  [["c"], "copy the link to this image"],
  [["Enter"], "go to the form"],
  [["Esc"], "leave the form"],
  [["Alt"], "with N, P, E, M, Z, W, T, C, G: the same from inside the form, where letters are answers"],
];
