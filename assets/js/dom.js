// Building the page by nodes only. Prompts and names come from files and people, so text never passes through a parser.

/** An element with attributes, listeners (`on`) and children; strings become text nodes. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "checked" || name === "disabled" || name === "hidden" || name === "inert" || name === "value") {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Enter: "Enter", Backspace: "⌫" };

/** A key cap. It repeats what the control already says to a screen reader, so it is hidden from it. */
export function kbd(key) {
  const name = KEY_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  return h("kbd", { class: "cc-kbd", "aria-hidden": "true" }, name);
}

export function button(label, { key = null, kind = "", ...props } = {}, onClick = undefined) {
  const classes = ["cc-button", kind && `cc-button--${kind}`].filter(Boolean).join(" ");
  return h("button", { type: "button", class: classes, ...props, on: { click: onClick ?? (() => {}) } }, label, key ? kbd(key) : null);
}

let serial = 0;

/** An id that no other element of the page has, for labels and descriptions. */
export function uniqueId(prefix) {
  serial += 1;
  return `${prefix}-${serial}`;
}
