// The head of Images: the sentence that names the selection, what of all it is, and the queue of what has no verdict yet.

import { button, h, kbd } from "../dom.js";

export class Lead {
  /** `page` has state, facetCounts, total, inScope, unjudged and judgeAll(). */
  constructor(page) {
    this.page = page;
    this.sentence = h("h1", { class: "cc-images__sentence" }, "Images");
    this.about = h("p", { class: "cc-sub cc-images__about" });
    this.done = h("span", { class: "cc-images__done" });
    this.meter = h("span", { class: "cc-images__meter", "aria-hidden": "true" }, h("span", {}));
    this.judge = h("button", { type: "button", class: "cc-button cc-button--primary cc-images__judge", hidden: true, on: { click: () => page.judgeAll() } });
    this.queue = h("div", { class: "cc-images__queue", hidden: true }, this.meter, this.done, this.judge);
    this.element = h("header", { class: "cc-lead cc-images__lead" }, h("div", {}, this.sentence, this.about), this.queue);
  }

  draw(sentence = null) {
    const { page } = this;
    if (sentence !== null) this.sentence.textContent = sentence;
    if (page.total === undefined) return;
    this.about.textContent = about(page);
    const open = page.unjudged;
    // who is wrong is asked where two sides differ
    const queued = page.state.disagrees && page.total > 0 && !page.state.isBlind;
    const judged = page.total - open;
    this.queue.hidden = !queued;
    this.judge.hidden = !queued || open === 0;
    this.done.textContent = open === 0 ? `All ${page.total.toLocaleString("en")} are judged` : `${judged.toLocaleString("en")} of ${page.total.toLocaleString("en")} judged`;
    this.meter.firstChild.style.width = `${(100 * judged) / page.total}%`;
    this.judge.replaceChildren(open === 1 ? "Judge this one" : `Judge these ${open.toLocaleString("en")}`, " ", kbd("Enter"));
    this.judge.title = "One after the other: a key says who is wrong";
  }
}

/** What share of all this is, and whose images it has most of. */
function about({ state, total, inScope, facetCounts }) {
  if (!state.restricts || !total) return "";
  const parts = inScope ? [`${percent(total / inScope)} of ${inScope.toLocaleString("en")}.`] : [];
  const generators = facetCounts.find(({ name }) => name === "generator")?.values ?? [];
  if (generators.length > 1 && !state.params.has("generator")) {
    const [most, least] = [generators[0], generators[generators.length - 1]];
    if (most.n > least.n) parts.push(`Most are by ${most.value} (${most.n.toLocaleString("en")}), least by ${least.value} (${least.n.toLocaleString("en")}).`);
  }
  return parts.join(" ");
}

function percent(share) {
  return share > 0 && share < 0.01 ? "Less than 1 %" : `${Math.round(100 * share)} %`;
}
