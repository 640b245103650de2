// The state of Images is its address: what is listed, in which order, how it is shown.

import { imagesAddress, LISTING, parse, TELLING } from "../drawer/address.js";

/** What of the address restricts which images are listed and has no control but its facet: values of one name are alternatives. */
export const FACETS = ["object", "color", "count", "relation", "says", "people", "certainty", "differs", "verdict", "tag"];
/** What restricts as a whole: whose answers cross, which mark of a failure picture, a line on a map. A sentence of the page's says it. */
const TOGETHER = ["about", "a", "a_says", "b", "b_says", "way", "target", "campaign", "among", "since", "until", "picture", "seen_by", "asked", "found", "item", "lasso"];
/** What the lists of images do not depend on. */
const SHOWN = ["show", "left", "right", "of", "paint"];

export class State {
  constructor(query = "") {
    this.params = parse(query).listing;
  }

  /** In the order in which every address writes it: the same state has one address. */
  get query() {
    return this.params.toString();
  }

  get address() {
    return imagesAddress(this.params);
  }

  /** What the server is asked for; `page` and the like come on top. */
  asking(more = {}) {
    const asked = new URLSearchParams(this.params);
    for (const name of SHOWN) asked.delete(name);
    for (const [name, value] of Object.entries(more)) asked.set(name, value);
    return asked.toString();
  }

  one(name, otherwise = "") {
    return this.params.get(name) ?? otherwise;
  }

  all(name) {
    return this.params.getAll(name);
  }

  has(name, value) {
    return this.all(name).includes(value);
  }

  /** These values of a name, and no others; the parameters keep their order. */
  put(name, values) {
    const given = values.filter((value) => value !== "" && value !== null && value !== undefined);
    const entries = [...this.params].filter(([other]) => other !== name);
    this.params = new URLSearchParams();
    for (const one of LISTING) {
      if (one === name) for (const value of given) this.params.append(name, value);
      else for (const [other, value] of entries) if (other === one) this.params.append(other, value);
    }
  }

  toggle(name, value) {
    this.put(name, this.has(name, value) ? this.all(name).filter((one) => one !== value) : [...this.all(name), value]);
  }

  /** {low, high} of a rater's score as texts, "" for an open end; null where the address has none. */
  range(rater) {
    const text = this.all("range").find((value) => value.startsWith(`${rater}:`) && value.lastIndexOf(":") === rater.length);
    if (text === undefined) return null;
    const [low, high = ""] = text.slice(rater.length + 1).split("..");
    return { low, high };
  }

  setRange(rater, low, high) {
    const others = this.all("range").filter((value) => value.lastIndexOf(":") !== rater.length || !value.startsWith(`${rater}:`));
    this.put("range", low === "" && high === "" ? others : [...others, `${rater}:${low}..${high}`]);
  }

  /** Every single choice that restricts, as [name, value]; of certainty only where it is a facet. */
  get choices() {
    const names = [...FACETS, "range", "q", "like"].filter((name) => name !== "certainty" || !this.params.has("about"));
    return names.flatMap((name) => this.all(name).map((value) => [name, value]));
  }

  /** Whether what is listed is what two sides say differently. */
  get disagrees() {
    return this.params.has("differs") || this.one("way") === "apart" || (this.params.has("about") && this.params.has("a_says") && this.params.has("b_says") && this.one("a_says") !== this.one("b_says"));
  }

  get crossesOrMarks() {
    return TOGETHER.some((name) => this.params.has(name));
  }

  get restricts() {
    return this.choices.length > 0 || this.crossesOrMarks;
  }

  get isBlind() {
    return this.params.has("blind");
  }

  /** Blind mode on or off; on, nothing of the address may tell what anybody says. */
  setBlind(on) {
    this.put("blind", on ? ["1"] : []);
    if (on) for (const name of [...TELLING, "order", "paint"]) this.put(name, []);
  }

  clear() {
    for (const [name] of this.choices) this.put(name, []);
  }
}
