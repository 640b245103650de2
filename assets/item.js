// One item whole: mount(root, {value}) where value is the item's id. Everything that people and scorers said of it.

import { format } from "./browse.js";
import { h } from "./js/dom.js";

export function mount(root, { value }) {
  const page = new ItemPage(root);
  page.update(value);
  return page;
}

class ItemPage {
  constructor(root) {
    this.root = root;
  }

  async update(id) {
    if (!id) {
      this.root.replaceChildren(h("p", { class: "cc-note" }, "Choose an image in Browse."));
      return;
    }
    const answer = await fetch(`/api/studio/item?id=${encodeURIComponent(id)}`).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (!answer?.ok) {
      this.root.replaceChildren(h("p", { class: "cc-note cc-bad" }, body?.detail ?? "The app does not answer. Reload to try again."));
      return;
    }
    this.root.replaceChildren(h("div", { class: "cc-item" }, picture(body), said(body)));
  }
}

function picture(item) {
  const image = item.sha256
    ? h("a", { href: `/img/${item.sha256}`, target: "_blank" }, h("img", { class: "cc-item-image", src: `/img/${item.sha256}`, alt: item.text ?? item.item_id }))
    : h("p", { class: "cc-no-picture cc-item-image" }, "This place has answers but no picture: the study published none.");
  return h(
    "section",
    { class: "cc-item-picture" },
    image,
    h("h2", {}, item.text ?? item.item_id),
    h("p", { class: "cc-cell-meta" }, [item.item_id, item.generator, item.task].filter(Boolean).join(" · ")),
    item.spec && Object.keys(item.spec).length
      ? h("details", {}, h("summary", {}, "What the prompt asks for"), h("pre", { class: "cc-code" }, JSON.stringify(item.spec, null, 2)))
      : "",
  );
}

function said(item) {
  const answers = item.annotations.map((a) => [
    named(a),
    [a.status, a.superseded ? "revised later" : "", a.saw_evidence ? "saw the evidence" : ""].filter(Boolean).join(", "),
    Object.entries(a.answers).map(([question, value]) => `${question}: ${Array.isArray(value) ? value.join(", ") : value}`).join("\n"),
  ]);
  if (!item.judgements.length && !answers.length) {
    return h("section", {}, h("div", { class: "cc-empty" }, h("p", {}, "Nobody has judged this image yet."), h("a", { class: "cc-button", href: "/annotate/" }, "Label images")));
  }
  return h("section", {}, table("Judgements", ...pivot(item.judgements)), answers.length ? table("Answers as given", ["rater", "state", "answers"], answers) : "");
}

// A row per aspect and target, a column per rater: like stands beside like.
function pivot(judgements) {
  const raters = [...new Set(judgements.map(named))];
  const rows = new Map();
  for (const j of judgements) {
    const about = j.target ? `${j.aspect}: ${j.target}` : j.aspect;
    if (!rows.has(about)) rows.set(about, new Map());
    const text = j.label ?? (j.value === null ? (j.reason ?? "").replaceAll("_", " ") : format(j.value));
    const cell = rows.get(about);
    cell.set(named(j), cell.has(named(j)) ? `${cell.get(named(j))}, ${text}` : text);
  }
  const body = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([about, cells]) => [about, ...raters.map((rater) => cells.get(rater) ?? "")]);
  return [["aspect", ...raters], body];
}

function named(said) {
  return said.rater_id + (said.simulated ? " (simulated)" : "");
}

function table(caption, headers, rows) {
  return h(
    "div",
    { class: "cc-table-wrap" },
    h(
      "table",
      { class: "cc-table" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...headers.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((text) => h("td", { class: "cc-pre" }, text))))),
    ),
  );
}
