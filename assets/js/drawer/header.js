// The head of the drawer: what the image is, where it stands in its listing, and the ways on.

import { button, h } from "../dom.js";
import { imageAddress, imagesAddress } from "./address.js";

/** `drawer` has item, neighbours, listing, go(side), copyLink(by), close() and progress. */
export function head(drawer) {
  const { item } = drawer;
  const index = item.item_id.slice(item.item_id.lastIndexOf("/") + 1);
  const place = [item.generator, item.task?.replaceAll("_", " "), /^\d+$/.test(index) ? `image ${index}` : null].filter(Boolean).join(" · ");
  const same = item.text && item.prompt_id ? h("a", { href: samePrompt(item, drawer.listing), title: "By every generator" }, "all images of this prompt") : null;
  const blanked = item.blanked ? h("p", {}, h("span", { class: "cc-badge cc-badge--warn" }, item.blanked)) : null;
  const copy = button("Link", { kind: "quiet", title: "Copy the link to this image (C)" }, () => drawer.copyLink(copy));
  const close = button("×", { kind: "quiet", class: "cc-button cc-button--quiet cc-drawer__close", "aria-label": "Close", title: "Close (Esc)" }, () => drawer.page.close());
  return h(
    "header",
    { class: "cc-drawer__top" },
    h("div", { class: "cc-drawer__title" }, h("h2", { class: "cc-drawer__prompt", title: item.item_id }, item.text ?? item.item_id), h("p", { class: "cc-muted" }, place || item.item_id, same ? " " : null, same), blanked),
    h("nav", { class: "cc-drawer__steps", "aria-label": "Images of this listing" }, step(drawer, "previous", "←", "Previous image (K)"), drawer.progress, step(drawer, "next", "→", "Next image (J)"), copy, close),
  );
}

/** What the prompt asks for and how the picture was made, folded. */
export function facts(item) {
  return [folded("What the prompt asks for", item.spec), folded("How it was generated", item.generated)].filter(Boolean);
}

function samePrompt(item, listing) {
  const query = new URLSearchParams({ suite: item.suite, q: item.text, show: "prompts" });
  if (listing.has("blind")) query.set("blind", listing.get("blind"));
  return imagesAddress(query);
}

function folded(title, content) {
  if (!content || !Object.keys(content).length) return null;
  return h("details", { class: "cc-drawer__spec" }, h("summary", {}, title), h("pre", { class: "cc-code" }, JSON.stringify(content, null, 2)));
}

function step(drawer, side, sign, label) {
  const to = drawer.neighbours[side];
  if (!to) return h("button", { type: "button", class: "cc-button cc-drawer__step", disabled: true, "aria-label": label, title: label }, sign);
  const link = h("a", { class: "cc-button cc-drawer__step", href: imageAddress(to.id, drawer.listing), rel: side === "next" ? "next" : "prev", "aria-label": label, title: label }, sign);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // another tab
    event.preventDefault();
    drawer.go(side);
  });
  return link;
}
