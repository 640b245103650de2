// The panel beside the map: mount(root, {value}) where value is JSON: {map, query, paint, rater, lasso, turn, groups}. The
// points are Gradio's plot; this listens to it, shows the picture that is pointed at, and what a line drawn on it holds.

import { h } from "../dom.js";
import { at } from "../base_path.js";
import { simplified, written } from "./lasso_line.js";
import { imageAddress } from "../drawer/address.js";
import { IN_GRIDS, IN_STRIPS, thumbnail } from "../thumbnails.js";

const CARD = { width: 236, height: 300, apart: 14 }; // pixels
const WAIT_MS = 60;

export function mount(root, { value }) {
  const mapPanel = new MapPanel(root);
  mapPanel.update(value);
  return mapPanel;
}

class MapPanel {
  constructor(root) {
    this.root = root;
    this.known = new Map();
    this.turn = 0;
    this.lasso = "";
    this.groups = h("ul", { class: "cc-map-groups" });
    this.told = h("p", { class: "cc-note", role: "status", id: "map-told" });
    this.pictures = h("ul", { class: "cc-map-pictures" });
    this.card = h("div", { class: "cc-map-card", hidden: true, "aria-hidden": "true" });
    root.replaceChildren(this.told, this.pictures, this.groups, this.card);
    // Plotly makes a figure whenever it likes, so it is asked when pointed at
    const look = (event) => {
      if (!root.isConnected) document.removeEventListener("pointerover", look);
      else this.listen(event.target.closest?.("#map-plot .js-plotly-plot"));
    };
    document.addEventListener("pointerover", look);
  }

  update(text) {
    const value = text ? JSON.parse(text) : null;
    const moved = value?.map !== this.value?.map || value?.query !== this.value?.query;
    this.value = value;
    this.root.hidden = !value;
    this.hide();
    if (!value) return;
    if (moved) this.known.clear();
    this.count();
    // a line that was drawn here stays unless the page has set another since; a drawing that began before that comes late
    if (moved || value.turn > this.turn) {
      this.lasso = value.lasso;
      this.turn = value.turn;
    }
    this.select(this.lasso);
  }

  /** What is listed of the selection, with these names set. */
  listing(more = {}) {
    const query = new URLSearchParams(this.value.query);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return query;
  }

  /** The classes with their numbers: of a line's images, where they are told, beside those of the whole selection. */
  count(inside = null) {
    const named = new Map(Object.entries(inside ?? {}));
    const known = this.value.groups.reduce((sum, { title }) => sum + (named.get(title) ?? 0), 0);
    const all = [...named.values()].reduce((sum, n) => sum + n, 0);
    const within = inside && { map: this.value.map, lasso: this.lasso };
    // what has no name of its own is all the rest
    const rows = this.value.groups.map((group) => this.group(group, within, named.get(group.title) ?? (group.rest ? all - known : 0)));
    this.groups.replaceChildren(...rows);
  }

  group({ title, n, filter }, within, inside) {
    const name = h("span", { class: "cc-map-name" }, title);
    const text = within ? `${inside.toLocaleString("en")} of ${n.toLocaleString("en")}` : n.toLocaleString("en");
    const count = h("span", { class: "cc-detail" }, text);
    const kind = within && !inside ? "cc-muted" : "";
    if (!Object.keys(filter).length || kind) return h("li", { class: kind }, name, count);
    const listing = this.listing({ ...filter, ...within });
    return h("li", {}, h("a", { href: at(`/studio/images?${listing}`), title: "Show these images" }, name), count);
  }

  listen(figure) {
    if (!figure?.on || figure.dataset.heard === "map") return;
    figure.dataset.heard = "map";
    figure.on("plotly_hover", (event) => this.point(event));
    figure.on("plotly_unhover", () => this.hide());
    figure.on("plotly_click", (event) => this.open(event.points[0]?.customdata));
    figure.on("plotly_selected", (event) => {
      const line = event?.lassoPoints ?? cornered(event?.range);
      if (line) this.select(written(simplified(line.x.map((x, n) => [x, line.y[n]]))), event.selections?.length > 1);
    });
    figure.on("plotly_deselect", () => this.select(""));
  }

  async select(lasso, several = false) {
    this.lasso = lasso;
    this.address();
    if (!lasso) {
      const or = this.value.groups.length ? ", or choose a class:" : ".";
      this.told.textContent = `Nothing is selected. Draw a line around some points${or}`;
      this.pictures.replaceChildren();
      this.count();
      return;
    }
    this.told.textContent = "Looking …";
    const listing = this.listing({ map: this.value.map, lasso });
    const told = new URLSearchParams([...listing, ["paint", this.value.paint]]);
    const answer = await ask(at(`/api/studio/map/inside?${told}`));
    if (this.lasso !== lasso) return; // another line was drawn meanwhile
    if (answer.why) {
      this.told.textContent = `The images inside could not be loaded: ${answer.why}`;
      return;
    }
    const { total, items, classes } = answer;
    this.count(classes);
    const images = `${total.toLocaleString("en")} ${total === 1 ? "image" : "images"} inside`;
    const only = several ? "; of several lines the last counts" : "";
    if (!total) this.told.textContent = `No image of this selection is inside${only}.`;
    else {
      const link = h("a", { id: "map-browse", href: at(`/studio/images?${listing}`) }, "Show these images");
      this.told.replaceChildren(`${images}${only}. `, link);
    }
    this.pictures.replaceChildren(...items.map((item) => h("li", {}, this.picture(item, listing))));
  }

  picture(item, listing) {
    const text = item.text ?? item.item_id;
    const image = item.sha256 ? h("img", { src: thumbnail(at(`/img/${item.sha256}`), IN_STRIPS), alt: text, loading: "lazy" }) : text;
    return h("a", { href: imageAddress(item.item_id, listing), title: text }, image);
  }

  async point(event) {
    const n = event.points[0]?.customdata;
    this.pointed = n;
    await new Promise((done) => setTimeout(done, WAIT_MS)); // nobody wants what the pointer only crosses
    if (this.pointed !== n) return;
    const item = await this.item(n);
    if (this.pointed !== n) return;
    if (item.why) return this.show(event.event, h("p", {}, item.why));
    const place = [item.generator, item.task].filter(Boolean).join(" · ");
    const image = item.sha256 ? h("img", { src: thumbnail(at(`/img/${item.sha256}`), IN_GRIDS), alt: "" }) : null;
    this.show(event.event, image, h("p", {}, item.text ?? item.item_id), h("p", { class: "cc-detail" }, place));
  }

  show({ clientX, clientY }, ...children) {
    const left = clientX + CARD.apart + CARD.width > innerWidth ? clientX - CARD.apart - CARD.width : clientX + CARD.apart;
    this.card.style.left = `${Math.max(0, left)}px`;
    this.card.style.top = `${Math.max(0, Math.min(clientY + CARD.apart, innerHeight - CARD.height))}px`;
    this.card.replaceChildren(...children.filter(Boolean));
    this.card.hidden = false;
  }

  hide() {
    this.pointed = null;
    this.card.hidden = true;
  }

  async item(n) {
    if (!this.known.has(n)) {
      const found = await ask(at(`/api/studio/map/image?${new URLSearchParams({ map: this.value.map, n })}`));
      this.known.set(n, found);
    }
    return this.known.get(n);
  }

  async open(n) {
    if (n === undefined) return;
    const item = await this.item(n);
    const listing = this.listing(this.lasso ? { map: this.value.map, lasso: this.lasso } : {});
    if (!item.why) location.assign(imageAddress(item.item_id, listing));
  }

  /** The page's address is its state. */
  address() {
    if (location.pathname !== at("/studio/images/map")) return;
    const [method, model] = this.value.map.split(":");
    const kept = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith("__"));
    const query = this.listing(this.lasso ? { map: this.value.map, lasso: this.lasso } : { map: `${method}:${model}` });
    query.set("paint", this.value.paint);
    for (const [name, value] of kept) query.append(name, value);
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
  }
}

/** The corners of a box that was drawn. */
function cornered(range) {
  if (!range) return null;
  const [[x0, x1], [y0, y1]] = [range.x, range.y];
  return { x: [x0, x1, x1, x0], y: [y0, y0, y1, y1] };
}

/** What a route says, or {why}. */
async function ask(address) {
  const answer = await fetch(address).catch(() => null);
  if (!answer) return { why: "the app does not answer. Is it still running?" };
  const said = await answer.json().catch(() => ({}));
  return answer.ok ? said : { why: said.detail ?? answer.statusText };
}
