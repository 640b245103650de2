// The scope bar: its menus are links and forms of boxes; whoever shows one says what to do with the address that is asked for.

/** `go(url)` is called with the address that a link to `path`, or a form of boxes, inside `element` asks for. */
export function listenToScopeBar(element, path, go) {
  element.addEventListener("click", (event) => {
    if (event.target.closest("[data-none]")) return untick(event.target.closest("form"));
    const link = event.target.closest("a[href]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
    const url = new URL(link.href);
    if (url.pathname !== path || url.hash) return undefined;
    event.preventDefault();
    closeMenus();
    return go(url);
  });
  element.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-scope-form]");
    if (!form) return;
    event.preventDefault();
    closeMenus();
    go(boxed(form));
  });
  element.addEventListener("input", (event) => search(event.target));
}

/** A form of boxes asks for the same address with those that are ticked; all of them are none in particular. */
export function boxed(form) {
  const url = new URL(form.getAttribute("action"), location.href);
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const chosen = boxes.filter((box) => box.checked).slice(-(Number(form.dataset.most) || boxes.length));
  if (chosen.length && chosen.length < (Number(form.dataset.all) || Infinity)) for (const box of chosen) url.searchParams.append(box.name, box.value);
  return url;
}

export function closeMenus() {
  for (const menu of document.querySelectorAll(".cc-popup:popover-open")) menu.hidePopover();
}

export function untick(form) {
  for (const box of form.querySelectorAll("input[type=checkbox]")) box.checked = false;
}

/** Hides what a menu's search field does not name; null for any other field. */
export function search(field) {
  if (!field.matches?.("[data-search]")) return null;
  const words = field.value.trim().toLowerCase();
  for (const line of field.parentElement.querySelectorAll("[data-item], a")) line.hidden = !line.textContent.toLowerCase().includes(words);
  return field;
}
