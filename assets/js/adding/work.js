// What is at work, in the bar: it leads to the runs.

import { Api } from "../api.js";
import { at } from "../base_path.js";
import { h } from "../dom.js";

const api = new Api(at("/"));
const WORK_MS = 5000;
const IDLE_MS = 20_000;

export class Work {
  constructor() {
    this.link = h("a", { class: "cc-nav-work", href: at("/studio/add/runs"), hidden: true });
    this.ask();
  }

  async ask() {
    const place = document.querySelector(".cc-nav-end");
    if (place && !document.hidden) {
      if (!place.contains(this.link)) place.prepend(this.link);
      const { outcome, data } = await api.get("api/studio/runs/work");
      if (outcome === "ok") this.show(data);
    }
    clearTimeout(this.next);
    this.next = setTimeout(() => this.ask(), this.link.hidden ? IDLE_MS : WORK_MS);
  }

  show({ text, share, waiting }) {
    this.link.hidden = !text && !waiting;
    if (this.link.hidden) return;
    const rest = waiting ? `${text ? ", " : ""}${waiting} waiting` : "";
    this.link.replaceChildren(h("progress", { max: 1, value: share, "aria-label": "Work at hand" }), h("span", {}, text + rest));
  }
}
