// Whose values of which images a grid has shown in this tab: in Blind mode an image that was seen so before is not blind.

const KEY = "concord.seen";
const MOST = 5_000;

export class SeenImages {
  constructor(signal) {
    this.images = new Map();
    try {
      this.images = new Map(JSON.parse(sessionStorage.getItem(KEY)) ?? []);
    } catch {
      /* without storage a tab remembers what it has shown until it is loaded anew */
    }
    window.addEventListener("pagehide", () => this.keep(), { signal });
  }

  /** `who`: whose values were shown; "" for nobody's. */
  add(id, who) {
    if (!who) return;
    this.images.delete(id);
    this.images.set(id, who);
  }

  get(id) {
    return this.images.get(id) ?? "";
  }

  keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.images].slice(-MOST)));
    } catch {
      /* as above */
    }
  }
}
