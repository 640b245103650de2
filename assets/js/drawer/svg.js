// SVG by nodes only, as dom.js does for HTML.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; strings become text nodes. */
export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(props)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A mask's address: a one-bit picture, white where the object is. */
export function maskImage(mask, { width, height }) {
  return svg("image", { href: `data:image/png;base64,${mask}`, width, height, preserveAspectRatio: "none", class: "cc-pixelated" });
}
