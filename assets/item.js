// One item whole: mount(root, {value}) where value is the item's id. Everything that people and scorers said of it.

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
    this.root.replaceChildren(picture(body), said(body));
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
  const judgements = item.judgements.map((j) => [
    j.rater_id + (j.simulated ? " (simulated)" : ""),
    j.aspect,
    j.target ?? "",
    j.label ?? (j.value === null ? (j.reason ?? "").replaceAll("_", " ") : String(j.value)),
  ]);
  const answers = item.annotations.map((a) => [
    a.rater_id + (a.simulated ? " (simulated)" : ""),
    [a.status, a.superseded ? "revised later" : "", a.saw_evidence ? "saw the evidence" : ""].filter(Boolean).join(", "),
    Object.entries(a.answers).map(([question, value]) => `${question}: ${Array.isArray(value) ? value.join(", ") : value}`).join("\n"),
  ]);
  if (!judgements.length && !answers.length) {
    return h("section", {}, h("div", { class: "cc-empty" }, h("p", {}, "Nobody has judged this image yet."), h("a", { class: "cc-button", href: "/annotate/" }, "Label images")));
  }
  return h(
    "section",
    {},
    table("Judgements", ["rater", "aspect", "of", "value"], judgements),
    answers.length ? table("Answers as given", ["rater", "state", "answers"], answers) : "",
  );
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
