// The Workbench's head: what the image is, where it stands in its listing, and the ways on.

import { button, h, kbd } from "../dom.js";
import { browseAddress } from "./address.js";

/** `workbench` has item, neighbours, address, link(neighbour), go(side), help() and copyLink(). */
export function head(workbench) {
  const { item, neighbours, address } = workbench;
  const place = [item.generator, item.task?.replaceAll("_", " "), item.item_id].filter(Boolean).join(" · ");
  const total = neighbours.total.toLocaleString("en");
  const listed = neighbours.place ? `${neighbours.place.toLocaleString("en")} of ${total}` : "not in this listing";
  // what has a verdict leaves a queue
  const count = address.listing.get("verdict") === "none" ? `${total} to judge` : listed;
  const blanked = item.blanked ? h("p", {}, h("span", { class: "cc-badge cc-badge--warn" }, item.blanked)) : null;
  const back = h("a", { class: "cc-bench__back", href: browseAddress(address.listing) }, "Browse");
  const copied = h("span", { class: "cc-muted", role: "status" });
  const copy = button("Copy link", { key: "c", kind: "quiet" }, () => workbench.copyLink());
  workbench.copied = (text) => {
    copied.textContent = text;
  };
  return h(
    "header",
    { class: "cc-bench__top" },
    h("div", { class: "cc-bench__title" }, h("h2", { class: "cc-title" }, item.text ?? item.item_id), h("p", { class: "cc-muted" }, place), blanked, folded("What the prompt asks for", item.spec), folded("How it was generated", item.generated)),
    h(
      "nav",
      { class: "cc-row cc-bench__steps", "aria-label": "Images of this listing" },
      step(workbench, "previous", "Previous", "p"),
      h("span", { class: "cc-bench__count" }, count, h("br"), "in ", back),
      step(workbench, "next", "Next", "n"),
      copy,
      button("Help", { key: "?", kind: "quiet", "aria-label": "Help: keys and instructions" }, () => workbench.help()),
      copied,
    ),
  );
}

function folded(title, content) {
  if (!content || !Object.keys(content).length) return null;
  return h("details", { class: "cc-bench__spec" }, h("summary", {}, title), h("pre", { class: "cc-code" }, JSON.stringify(content, null, 2)));
}

function step(workbench, side, label, key) {
  const to = workbench.neighbours[side];
  const caps = h("span", { class: "cc-caps" }, h("span", { class: "cc-caps__alt" }, kbd("Alt")), kbd(key));
  if (!to) return h("button", { type: "button", class: "cc-button", disabled: true }, label, caps);
  const link = h("a", { class: "cc-button", href: workbench.link(to), rel: side === "next" ? "next" : "prev" }, label, caps);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // another tab
    event.preventDefault();
    workbench.go(side);
  });
  return link;
}
