// A place that the server draws as HTML: links to it and to those beside it are followed here, the address says all of what is shown.

import { Api, detail } from "../api.js";
import { at } from "../base_path.js";
import { h } from "../dom.js";
import { follow } from "../live_updates.js";
import { turned, withParts } from "./live_form.js";
import { boxed, closeMenus, search, untick } from "./scope_bar.js";

const SLOW_MS = 800;
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 60;

export function mount(root, { place, beside, poll, modules = [], bare = [] }) {
  const page = new Place(root, place, beside, bare);
  const attached = modules.map(async (name) => (await import(at(`/assets/js/${name}/${name}.js`))).attach(root, page));
  // whatever was drawn before they came is told to them once all are there
  Promise.all(attached).finally(() => page.attach());
  page.draw().then(() => page.reveal());
  follow(root, { ...poll, shown: () => page.version, moved: () => page.draw({ quietly: true }) });
  return {};
}

class Place {
  constructor(root, place, beside, bare) {
    this.bare = bare;
    this.places = new Map([place, ...beside].map((name) => [at(`/studio/${name}`), name]));
    this.place = place;
    this.version = "";
    this.asked = 0;
    this.attached = false;
    this.scope = h("div", { class: "cc-scope-place", hidden: bare.includes(place) });
    this.status = h("p", { class: "cc-place-status", role: "status" });
    this.content = h("main", { class: "cc-place" }, skeleton());
    root.append(this.scope, this.status, this.content);
    root.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => root.isConnected && this.escaped(event));
    root.addEventListener("keydown", walked);
    root.addEventListener("submit", (event) => this.submitted(event));
    root.addEventListener("input", (event) => search(event.target) ?? this.turned(event.target));
    root.addEventListener("change", () => this.picked());
    root.addEventListener("place:go", (event) => this.go(new URL(event.detail, location.href)));
    root.addEventListener("place:draw", () => this.draw({ quietly: true }));
    const back = () => (root.isConnected ? this.places.has(location.pathname) && this.draw() : window.removeEventListener("popstate", back));
    window.addEventListener("popstate", back);
  }

  /** Whether somebody is typing in it, or has a part of it open: what they see stays. */
  get isInUse() {
    return this.content.querySelector("[data-dirty], [data-typed], :popover-open") !== null;
  }

  /** Asks for what the address says, quick first; `quietly`: only what is whole; `parts`: nothing but the parts is replaced. */
  async draw({ quietly = false, parts = false } = {}) {
    if (quietly && this.isInUse) return;
    const asked = ++this.asked;
    const address = location.href;
    const place = this.places.get(location.pathname) ?? this.place;
    if (place !== this.place) window.scrollTo({ top: 0, behavior: "instant" });
    this.place = place;
    this.scope.hidden = this.bare.includes(place);
    const slow = setTimeout(() => this.busy(true), quietly ? 10 * SLOW_MS : SLOW_MS);
    this.content.classList.toggle("is-old", !quietly && this.version !== "");
    this.content.classList.toggle("is-turned", parts);
    try {
      for (const whole of quietly ? [true] : [false, true]) {
        const drawn = await this.ask(whole);
        // whoever has gone on to another page has that one's title
        if (asked !== this.asked || !this.content.isConnected) return;
        if (quietly && this.isInUse) return;
        // the whole drawing takes the place of the quick one once nobody has a part of it open
        while (whole && this.isInUse && asked === this.asked) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        if (asked !== this.asked || !this.content.isConnected) return;
        this.show(drawn, parts);
        this.drawnAt = address;
        if (drawn.complete) break;
      }
    } catch (error) {
      if (asked === this.asked) this.failed(error, quietly);
    } finally {
      clearTimeout(slow);
      if (asked === this.asked) this.busy(false);
    }
  }

  async ask(whole) {
    const query = new URLSearchParams(location.search);
    if (whole) query.set("whole", "true");
    const response = await fetch(at(`/api/studio/places/${this.place}?${query}`), { credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const data = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(data.detail ?? `the server answers ${response.status}`);
    return data;
  }

  show({ scope, content, title, version, local }, parts) {
    this.version = version;
    this.content.classList.toggle("is-local", local);
    document.title = `${title} - Concord`;
    // a menu that somebody has open stays
    if (!this.scope.querySelector(":popover-open")) this.scope.innerHTML = scope;
    const ticked = new Set([...this.content.querySelectorAll("input[name=pick]:checked")].map((box) => box.value));
    const focused = document.activeElement && this.content.contains(document.activeElement) ? marker(document.activeElement) : null;
    if (!parts || !withParts(this.content, content)) this.content.innerHTML = content;
    this.content.classList.remove("is-old");
    for (const box of this.content.querySelectorAll("input[name=pick]")) box.checked = ticked.has(box.value);
    this.picked();
    if (focused) this.content.querySelector(focused)?.focus({ preventScroll: true });
    this.tell();
  }

  /** From now on the place's modules hear what is drawn, first what stands there already. */
  attach() {
    this.attached = true;
    if (this.version !== "") this.tell();
  }

  tell() {
    if (this.attached) this.content.dispatchEvent(new CustomEvent("drawn"));
  }

  /** While somebody moves a slider its form stays: the address follows, and the parts beside it are drawn anew. */
  turned(field) {
    const form = field.closest("[data-live-form]");
    if (!form) return;
    history.replaceState(history.state, "", turned(form, new URL(location.href)));
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.draw({ parts: true }), PAUSE_MS);
  }

  busy(on) {
    this.status.textContent = on ? "Computing intervals …" : "";
  }

  /** What became of a change, until somebody goes on. */
  say(text) {
    if (text) this.content.prepend(h("p", { class: "cc-note cc-said", role: "status" }, text));
  }

  failed(error, quietly) {
    if (quietly) return;
    const again = h("button", { type: "button", class: "cc-button", on: { click: () => this.draw() } }, "Try again");
    const why = error?.name === "TimeoutError" ? "it took too long" : error.message;
    this.status.replaceChildren();
    this.content.classList.remove("is-old");
    this.content.replaceChildren(h("p", { class: "cc-note cc-bad", role: "alert" }, `This place could not be drawn: ${why}. `, again));
  }

  clicked(event) {
    if (event.target.closest("[data-none]")) return untick(event.target.closest("form"));
    const compare = event.target.closest("[data-compare]");
    if (compare) return this.compare(compare);
    // a row that opens something does so wherever it is clicked, but for what it holds
    const row = !event.target.closest("a, button, input, label") && !getSelection().toString() && event.target.closest("tr[data-opens]");
    const link = event.target.closest("a[href]") ?? (row && row.querySelector("th a[href]"));
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
    const url = new URL(link.href);
    if (!this.places.has(url.pathname)) return undefined;
    event.preventDefault();
    return this.go(this.upToDate(url));
  }

  /** The address of a link that was drawn for an older one than the present: it changes what it would have changed then. */
  upToDate(url) {
    const [drawn, now] = [this.drawnAt, location.href].map((address) => new URL(address ?? location.href));
    if (drawn.href === now.href || drawn.pathname !== now.pathname || url.pathname !== now.pathname) return url;
    for (const name of new Set([...drawn.searchParams.keys(), ...url.searchParams.keys()])) {
      const values = url.searchParams.getAll(name);
      if (String(values) === String(drawn.searchParams.getAll(name))) continue;
      now.searchParams.delete(name);
      for (const value of values) now.searchParams.append(name, value);
    }
    now.hash = url.hash;
    return now;
  }

  go(url) {
    closeMenus();
    if (url.href !== location.href) history.pushState(history.state, "", url);
    this.draw().then(() => this.reveal());
  }

  /** The part that the address names comes into view. */
  reveal() {
    const part = location.hash && this.content.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
    if (part) part.scrollIntoView({ behavior: "smooth", block: "start" });
  }

  /** Escape closes what lies on top: a menu does so by itself, a panel has a link. */
  escaped(event) {
    const close = event.key === "Escape" && !event.defaultPrevented && !document.querySelector(":popover-open") && this.content.querySelector(".cc-panel-close");
    if (close) close.click();
  }

  submitted(event) {
    const act = event.target.closest("[data-post]");
    if (act) {
      event.preventDefault();
      return this.act(act);
    }
    const form = event.target.closest("[data-scope-form]");
    if (!form) return undefined;
    event.preventDefault();
    return this.go(boxed(form));
  }

  /** A form that changes the project: the route of its `data-post`, then the place anew; a refusal stands in the form. */
  async act(form) {
    const buttons = [...form.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    const body = { ...JSON.parse(form.dataset.body ?? "{}"), ...Object.fromEntries(new FormData(form)) };
    const { outcome, data } = await new Api("/").post(form.dataset.post.slice(1), body);
    for (const button of buttons) button.disabled = false;
    if (outcome === "ok") {
      form.closest("[popover]")?.hidePopover();
      await this.draw({ quietly: true });
      return this.say(data.said);
    }
    form.querySelector("p").textContent = detail(data, "Nothing was changed: the server does not answer. Try again.");
    return undefined;
  }

  /** Two ticks can be compared; a third one takes the place of the oldest. */
  picked() {
    const button = this.content.querySelector("[data-compare]");
    if (!button) return;
    const boxes = [...this.content.querySelectorAll("input[name=pick]:checked")];
    this.ticks = [...(this.ticks ?? []).filter((name) => boxes.some((box) => box.value === name)), ...boxes.map((box) => box.value).filter((name) => !this.ticks?.includes(name))];
    for (const name of this.ticks.splice(0, Math.max(0, this.ticks.length - 2))) boxes.find((box) => box.value === name).checked = false;
    button.hidden = this.ticks.length < 2;
    button.textContent = `Compare ${this.ticks.length}`;
  }

  /** The lower one of the board is the one before: what is better is then above 0. */
  compare(button) {
    const url = new URL(button.dataset.compare, location.href);
    const [b, a] = [...this.content.querySelectorAll("input[name=pick]:checked")].map((box) => box.value);
    url.searchParams.set("a", a);
    url.searchParams.set("b", b);
    this.go(url);
  }
}

/** Where the focus was, so that it is there again in the new drawing. */
function marker(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.name) return `[name="${CSS.escape(element.name)}"][value="${CSS.escape(element.value)}"]`;
  const href = element.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : null;
}

/** Up and down go from one row to the next; the space bar ticks the row that one is in. */
function walked(event) {
  const tick = event.key === " " && !event.target.matches("input, button") && event.target.closest("tr")?.querySelector("input[name=pick]");
  if (tick) {
    event.preventDefault();
    tick.click();
    return;
  }
  const row = event.target.closest("[data-walk]");
  const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!row || !next || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  row[next]?.focus();
}

function skeleton() {
  return h("div", { class: "cc-skeleton", role: "status", "aria-label": "Loading" }, ...Array.from({ length: 7 }, () => h("span")));
}
