// A manager's text, which came as nodes (concord/form.py): built by createElement, as everything here.

import { h } from "./dom.js";

export function rich(nodes) {
  return h("div", { class: "cc-rich" }, ...(nodes ?? []).map(build));
}

function build(node) {
  if (typeof node === "string") return node;
  const children = node.children.map(build);
  if (node.tag === "a") return h("a", { href: node.href, target: "_blank", rel: "noopener noreferrer" }, ...children);
  if (node.tag === "img") return h("img", { src: node.src, alt: node.alt, class: "cc-rich__image" });
  // the dialog has the page's own headings above
  const heading = /^h[1-4]$/.test(node.tag);
  return h(heading ? "h3" : node.tag, heading ? { class: "cc-heading" } : {}, ...children);
}
