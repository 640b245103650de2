// New campaign: what is typed is checked as one types, saved when one goes on, and kept while one goes back.

import { Api, detail } from "../api.js";
import { at } from "../base_path.js";
import { askName } from "../people/name.js";

const PAUSE_MS = 400;
const UNREACHABLE = "The server does not answer. Nothing is lost: try again.";
const api = new Api(at("/api/studio/"));
/** What was typed and is not saved yet, by draft and field, so that a step that is drawn again has it. */
const unsaved = new Map();

/** Called once; each drawing of the place has a form that is new. */
export function attach(root, place) {
  const mount = () => {
    const form = place.content.querySelector("form.cc-wizard:not([data-mounted])");
    if (!form) return;
    form.dataset.mounted = "true";
    new Wizard(form, place);
  };
  place.content.addEventListener("drawn", mount);
  mount();
}

class Wizard {
  constructor(form, place) {
    this.form = form;
    this.place = place;
    this.campaign = form.dataset.campaign;
    this.kept = unsaved.get(this.campaign) ?? { values: {}, preset: "" };
    unsaved.set(this.campaign, this.kept);
    this.asked = 0;
    for (const [name, value] of Object.entries(this.kept.values)) this.fill(name, value);
    form.addEventListener("input", (event) => this.changed(event));
    form.addEventListener("change", (event) => this.chosen(event));
    form.addEventListener("focusout", (event) => delete event.target.dataset.typed);
    form.addEventListener("click", (event) => this.clicked(event));
    form.addEventListener("submit", (event) => this.submitted(event));
    // the steps stand above the form
    for (const link of document.querySelectorAll("#cc-place .cc-wizard-steps a")) link.addEventListener("click", (event) => this.left(event, link.href));
    this.showOwn();
    if (this.dirty) this.check();
  }

  get dirty() {
    return Object.keys(this.kept.values).length > 0 || this.kept.preset !== "";
  }

  controls() {
    return [...this.form.querySelectorAll("[data-field]")];
  }

  control(name) {
    return this.form.querySelector(`[data-field="${CSS.escape(name)}"]`);
  }

  value(control) {
    if (control.dataset.several) return [...control.querySelectorAll("input:checked")].map((box) => box.value);
    if (control.dataset.one) return control.querySelector("input:checked")?.value ?? "";
    return control.type === "checkbox" ? control.checked : control.value;
  }

  fill(name, value) {
    const control = this.control(name);
    if (!control) return;
    if (control.dataset.several || control.dataset.one) {
      const chosen = new Set(Array.isArray(value) ? value : [value]);
      for (const box of control.querySelectorAll("input")) box.checked = chosen.has(box.value);
    } else if (control.type === "checkbox") control.checked = value === true;
    else control.value = Array.isArray(value) ? value.join("\n") : (value ?? "");
  }

  values() {
    return Object.fromEntries(this.controls().map((control) => [control.dataset.field, this.value(control)]));
  }

  changed(event) {
    // the plan is drawn twice, and again as the project changes: not while somebody types
    if (event.target.matches("[data-address]")) event.target.dataset.typed = "";
    const control = event.target.closest("[data-field]");
    if (!control) return;
    this.kept.values[control.dataset.field] = this.value(control);
    this.showOwn();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE_MS);
  }

  chosen(event) {
    const { target } = event;
    if (target.matches("[data-go]")) this.place.go(new URL(target.value, location.href));
    if (target.matches("[data-address]")) {
      delete target.dataset.typed;
      const url = new URL(location.href);
      url.searchParams.set(target.dataset.address, target.value.trim());
      if (!url.searchParams.has("goal")) url.searchParams.set("goal", "mean");
      this.place.go(url);
    }
    if (target.matches("[data-into]")) this.read(target);
    if (target.dataset.field === "gold_from") this.capGold(target.value);
  }

  /** No more gold images than the chosen source has. */
  capGold(source) {
    const most = JSON.parse(this.form.querySelector("[data-most]").dataset.most)[source];
    const number = this.control("gold_n");
    if (most === undefined || Number(number.value) <= most) return;
    number.value = String(most);
    this.kept.values.gold_n = number.value;
  }

  /** A file's text goes into a field; what is no text says so beside it. */
  async read(input) {
    const name = input.dataset.into;
    const file = input.files[0];
    if (!file) return;
    try {
      this.fill(name, new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
    } catch {
      this.say({ [name]: `${file.name} is not UTF-8 text.` });
      return;
    }
    this.kept.values[name] = this.value(this.control(name));
    this.check();
  }

  clicked(event) {
    const preset = event.target.closest("[data-preset]");
    if (preset) {
      this.kept.preset = preset.dataset.preset;
      for (const [name, value] of Object.entries(JSON.parse(preset.dataset.values))) {
        if (!this.control(name)) continue;
        this.fill(name, value);
        this.kept.values[name] = this.value(this.control(name));
      }
      for (const button of this.form.querySelectorAll("[data-preset]")) button.setAttribute("aria-pressed", String(button === preset));
      this.check();
      return;
    }
    const link = event.target.closest("a[data-step-link]");
    if (link) this.left(event, link.href);
    const shown = event.target.closest("a[data-preview]");
    if (shown && this.dirty) {
      event.preventDefault();
      event.stopPropagation();
      this.save().then((campaign) => campaign && window.open(shown.href, "_blank"));
    }
  }

  /** Another step: a draft is saved before, and what a new one has is kept until it is one. */
  async left(event, href) {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!this.dirty || !this.campaign) return;
    event.preventDefault();
    event.stopPropagation();
    if (await this.save()) this.place.go(new URL(href, location.href));
  }

  async submitted(event) {
    event.preventDefault();
    event.stopPropagation();
    if (event.submitter?.dataset.start || this.form.dataset.step === "invite") {
      await this.start();
      return;
    }
    const next = this.form.querySelector("[data-next]")?.dataset.next;
    const campaign = await this.save();
    if (!campaign || !next) return;
    const url = new URL(next, location.href);
    // the plan and a selection of images are in the draft now
    const step = url.searchParams.get("step") ?? "images";
    url.search = "";
    url.searchParams.set("step", step);
    url.searchParams.set("campaign", campaign);
    window.scrollTo({ top: 0, behavior: "instant" });
    this.place.go(url);
  }

  body() {
    return { campaign: this.campaign, values: { ...this.values(), ...this.kept.values }, preset: this.kept.preset };
  }

  async check() {
    const asked = ++this.asked;
    const { outcome, data } = await api.post("drafts/check", this.body());
    if (asked !== this.asked || !this.form.isConnected) return;
    if (outcome !== "ok") {
      this.say({ "": detail(data, UNREACHABLE) });
      return;
    }
    const summary = this.form.querySelector("[data-summary]");
    if (data.foot !== undefined) this.form.querySelector("[data-foot]").innerHTML = data.foot;
    if (data.summary !== undefined && summary) summary.innerHTML = data.summary;
    this.say(data.problems);
  }

  /** The draft's id, or null where it was refused: then what is wrong stands beside its field. */
  async save() {
    clearTimeout(this.timer);
    this.asked += 1;
    const buttons = [...this.form.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    const { outcome, data } = await api.post("drafts", this.body());
    for (const button of buttons) button.disabled = false;
    if (outcome === "ok") {
      unsaved.delete(this.campaign);
      this.campaign = data.campaign;
      this.form.dataset.campaign = data.campaign;
      this.kept = { values: {}, preset: "" };
      unsaved.set(this.campaign, this.kept);
      return data.campaign;
    }
    this.say(data.problems ?? { "": detail(data, UNREACHABLE) }, true);
    return null;
  }

  /** The link first, as it may be refused; then people are offered the images. */
  async start() {
    if (!(await this.invited())) return;
    const { outcome, data } = await api.post("drafts/start", { campaign: this.campaign });
    if (outcome !== "ok") {
      this.say(data.problems ? { "": Object.values(data.problems).join(" ") } : { "": detail(data, UNREACHABLE) });
      return;
    }
    location.href = at(`/studio/people?campaign=${encodeURIComponent(this.campaign)}&tab=links`);
  }

  /** Makes the link that is asked for, once; true if there is nothing (more) to make. */
  async invited() {
    const link = this.linked ? null : this.link();
    if (!link) return true;
    const ask = () => api.post("people/links", { campaign: this.campaign, ...link });
    let made = await ask();
    if (made.status === 401 && (await askName(detail(made.data, "Please give your name first.")))) made = await ask();
    this.linked = made.outcome === "ok";
    if (!this.linked) this.say({ "": detail(made.data, UNREACHABLE) });
    return this.linked;
  }

  link() {
    const field = (name) => this.form.querySelector(`[data-link="${name}"]`);
    if (!field("wanted")?.checked) return null;
    const uses = field("uses").value.trim();
    return { role: field("role").value, days: Number(field("days").value.replace(",", ".")) || 0, uses: uses ? Number(uses) : null, note: field("note").value, signed: field("signed").checked };
  }

  /** Sentences beside their fields; those of fields of other steps stand in the footer. `leads`: the first one gets the focus. */
  say(problems, leads = false) {
    const rest = { ...problems };
    let first = null;
    for (const place of this.form.querySelectorAll("[data-problem]")) {
      const name = place.dataset.problem;
      if (name === "") continue;
      place.textContent = rest[name] ?? "";
      const control = this.control(name);
      if (name in rest) control?.setAttribute("aria-invalid", "true");
      else control?.removeAttribute("aria-invalid");
      if (name in rest) {
        for (let folded = place.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
        first ??= control;
        delete rest[name];
      }
    }
    this.form.querySelector('[data-problem=""]').textContent = Object.values(rest).join(" ");
    if (leads && first) (first.matches("fieldset") ? first.querySelector("input") : first)?.focus();
  }

  /** The YAML of a questionnaire of one's own, and how many images are gold, stand there only where they are asked for. */
  showOwn() {
    const questionnaire = this.control("questionnaire");
    for (const part of this.form.querySelectorAll("[data-shown-for]")) part.hidden = !questionnaire || this.value(questionnaire) !== part.dataset.shownFor;
    for (const part of this.form.querySelectorAll("[data-needs]")) part.hidden = !this.value(this.control(part.dataset.needs));
  }
}
