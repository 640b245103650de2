// Every action has a key. Typing in a field comes first, and the browser's own shortcuts are left alone.

const ELSEWHERE = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
const OWN_ENTER = "button, a[href], summary";

/** With `everywhere` false, keys count only while the focus is inside the form: the page has keys of its own. */
export function listenToKeys(form, signal, { everywhere = true } = {}) {
  const listener = (event) => {
    // Gradio takes pages away without a word; a form that is gone must not act on keys.
    if (!form.root.isConnected) return form.destroy();
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return undefined;
    if (form.dialogs.isOpen) return inDialog(form, event);
    const { target } = event;
    const inside = form.root.contains(target);
    if (!inside && (!everywhere || target.closest?.(ELSEWHERE))) return undefined;
    if (!inside && target.closest?.(`${OWN_ENTER}, [role=button]`) && (event.key === "Enter" || event.key === " ")) return undefined;
    const typing = inside && target.matches("textarea, input[type=text]");
    const used = typing ? inField(form, event) : outsideFields(form, event);
    if (used) event.preventDefault();
    return undefined;
  };
  document.addEventListener("keydown", listener, { signal });
}

function inDialog(form, event) {
  const { dialog } = form.dialogs;
  const zoomed = dialog.dataset.dialog === "zoom" && keyOf(event) === "z";
  const own = dialog.querySelector(`[data-key="${CSS.escape(keyOf(event))}"]`);
  if (own && !event.repeat) {
    event.preventDefault();
    own.click();
    return;
  }
  const confirmed = event.key === "Enter" && !event.target.closest?.(`${OWN_ENTER}, select`);
  if (event.repeat || !(event.key === "?" || zoomed || confirmed)) return;
  event.preventDefault();
  form.dialogs.close();
}

function inField(form, event) {
  if (!form.item) return false;
  if (event.key === "Escape") {
    form.item.views.get(form.item.active).element.focus({ preventScroll: true });
    return true;
  }
  if (event.key === "ArrowDown") return form.item.views.get(form.item.active).takeFirst();
  if (event.key !== "Enter") return false;
  if (!event.repeat) enter(form, event.shiftKey);
  return true;
}

/** Act on a key that is not typed into a field; returns whether it meant something. */
export function outsideFields(form, event) {
  const key = keyOf(event);
  if (key === "?") return act(event, () => form.help());
  if (key === "u" && (form.item || form.screen === "done")) return act(event, () => form.undo());
  if (form.actions && "th.".includes(key) && (form.item || ["done", "closed"].includes(form.screen))) {
    return act(event, () => ({ t: () => form.actions.unskip(), h: () => form.actions.mine(), ".": () => form.actions.pause() })[key]());
  }
  if (!form.item) return false;
  if (key === "!" && form.actions) return act(event, () => form.actions.report());
  if (!form.item.isOpen) return beforeOpen(form, event, key);
  if (key === "Enter") {
    const own = event.target.closest?.(OWN_ENTER);
    return own && !event.shiftKey ? false : act(event, () => enter(form, event.shiftKey));
  }
  if (key === "Backspace") return act(event, () => form.item.step(-1));
  if (event.repeat) return key.length === 1 && key !== " "; // a key held down must not run through the questions
  if (form.item.key(key)) return true;
  if (key === "s") return act(event, () => (form.actions ? form.actions.skip() : form.skip()));
  if (key === "z") return act(event, () => form.zoom(form.item, form.item.pictures?.active ?? 0));
  return false;
}

/** What is pressed before the picture is there does nothing; a picture that does not load can still be skipped. */
function beforeOpen(form, event, key) {
  if ((key === "Enter" || key === " ") && event.target.closest?.(OWN_ENTER)) return false;
  if (key === "s" && form.item.pictures.failed) return act(event, () => form.actions.skip());
  return key.length === 1 || key === "Enter";
}

function act(event, action) {
  if (!event.repeat) action();
  return true;
}

function enter(form, back) {
  if (back) form.item.step(-1);
  else form.item.confirm({ byKey: true });
}

/** The key by what it types; digits also by place, for keyboards that type them with Shift (French). */
export function keyOf(event) {
  const { key, code = "", shiftKey } = event;
  if (/^[0-9]$/.test(key)) return key;
  const place = /^Digit([0-9])$/.exec(code);
  if (place && !shiftKey && !/^[a-z?]$/i.test(key)) return place[1];
  return key.length === 1 ? key.toLowerCase() : key;
}
