// Adding, in every place of Studio: the whole window takes files, which are uploaded and read; forms with `data-send` send their
// fields to a JSON route; what is at work stands in the bar.

import { Api, detail } from "./api.js";
import { at } from "./base_path.js";
import { h } from "./dom.js";
import { filesIn } from "./dropped_files.js";

const api = new Api(at("/"));
const BATCH_BYTES = 40 * 1024 * 1024;
const BATCH_FILES = 200;
const AGAIN_MS = 1000;
const WORK_MS = 5000;
const IDLE_MS = 20_000;
const NO_ANSWER = "The server does not answer. Try again.";
const WANTED = /\.(png|jpe?g|webp|bmp|gif|tiff?|avif|csv|tsv|jsonl?|parquet|xlsx?|ods|txt|zip)$/i;

/** Goes to an address of Studio: in place where a live place is shown. */
function go(address) {
  const root = document.querySelector("main.cc-place")?.parentElement;
  const url = new URL(address, location.href);
  if (root && url.pathname.startsWith(at("/studio/add")) && location.pathname.startsWith(at("/studio/add"))) {
    root.dispatchEvent(new CustomEvent("place:go", { detail: url.href }));
  } else location.assign(url);
}

function drawAgain() {
  document.querySelector("main.cc-place")?.parentElement.dispatchEvent(new CustomEvent("place:draw"));
}

// Files

class Upload {
  constructor(kind) {
    this.kind = kind;
    this.status = h("div", { class: "cc-upload-status", role: "status" });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Upload" });
  }

  async send(files) {
    const wanted = files.filter(({ path, file }) => WANTED.test(path) && file.size > 0 && !path.split("/").some((part) => part.startsWith(".")));
    document.querySelector(".gradio-container").append(this.status);
    if (wanted.length === 0) return this.failed("There is no image, table or zip among these files.");
    let upload = "";
    let done = 0;
    for (const batch of batches(wanted)) {
      this.say(`Uploading ${done.toLocaleString("en")} of ${wanted.length.toLocaleString("en")} files`, done / wanted.length);
      const names = await sent(batch.map(({ file }) => file));
      if (names.error) return this.failed(names.error);
      const body = { upload, files: batch.map(({ path }, n) => ({ name: names[n], path })) };
      const { outcome, data } = await api.post("api/studio/add/files", body);
      if (outcome !== "ok") return this.failed(detail(data, NO_ANSWER));
      ({ upload } = data);
      done += batch.length;
    }
    const { outcome, data } = await api.post("api/studio/add/read", this.kind ? { upload, kind: this.kind } : { upload });
    if (outcome !== "ok") return this.failed(detail(data, NO_ANSWER));
    this.status.remove();
    return go(data.go);
  }

  say(text, share) {
    this.bar.value = share;
    this.status.replaceChildren(h("span", {}, text), this.bar);
  }

  failed(text) {
    const close = h("button", { type: "button", class: "cc-button", on: { click: () => this.status.remove() } }, "Close");
    this.status.replaceChildren(h("span", { role: "alert" }, text), close);
  }
}

function* batches(files) {
  let batch = [];
  let bytes = 0;
  for (const each of files) {
    if (batch.length && (bytes + each.file.size > BATCH_BYTES || batch.length === BATCH_FILES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(each);
    bytes += each.file.size;
  }
  if (batch.length) yield batch;
}

/** The names under which the server has the files, or {error}. */
async function sent(files) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  try {
    const response = await fetch(at("/studio/gradio_api/upload"), { method: "POST", body: form, credentials: "same-origin" });
    if (response.ok) return await response.json();
    if (response.status === 413) return { error: "A file is larger than 50 MB. A larger folder that lies on the server’s machine is read there, by its path." };
    const text = await response.text();
    return { error: text.startsWith("{") || text.startsWith("<") ? NO_ANSWER : text };
  } catch {
    return { error: NO_ANSWER };
  }
}

function listenToDrops() {
  const veil = h("div", { class: "cc-drop-veil", hidden: true, "aria-hidden": "true" }, h("p", {}, "Drop to read it. Nothing is stored before you confirm."));
  let inside = 0;
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (on) => {
    if (!veil.isConnected) document.querySelector(".gradio-container")?.append(veil);
    veil.hidden = !on;
  };
  window.addEventListener("dragenter", (event) => holdsFiles(event) && ++inside && show(true));
  window.addEventListener("dragleave", (event) => holdsFiles(event) && --inside <= 0 && show(false));
  window.addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  window.addEventListener("drop", async (event) => {
    inside = 0;
    show(false);
    // a field of Gradio's takes its own files
    if (!holdsFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    const files = await filesIn(event.dataTransfer);
    new Upload("").send(files);
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!field.matches?.("input[type=file][data-upload]") || field.files.length === 0) return;
    const files = [...field.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    new Upload(field.dataset.upload).send(files);
    field.value = "";
  });
}

// Forms

/** A form's fields as JSON: a name that stands more than once, or is a list by its nature, is a list; `a.b` is b of a. */
function bodyOf(form) {
  const body = {};
  const lists = new Set(["scorers", "profile", "generator"].filter((name) => form.querySelectorAll(`[name="${name}"]`).length > 1 || form.querySelector(`.cc-add-generators [name="${name}"], [type=checkbox][name="${name}"]`) || name === "profile"));
  for (const [name, value] of new FormData(form)) {
    if (value instanceof File) continue;
    const [group, key] = name.split(".");
    if (key) (body[group] ??= {})[key] = value;
    else if (lists.has(name)) (body[name] ??= []).push(value);
    else body[name] = ["number"].includes(name) ? Number(value) : value;
  }
  return body;
}

async function send(form, route) {
  const buttons = [...form.querySelectorAll("button")].filter((button) => !button.disabled);
  for (const button of buttons) button.disabled = true;
  const refusal = form.querySelector(":scope > .cc-add-refusal");
  refusal.textContent = "";
  const { outcome, data } = await new Api("/").post(route.slice(1), bodyOf(form));
  for (const button of buttons) button.disabled = false;
  if (outcome !== "ok") {
    refusal.textContent = detail(data, NO_ANSWER);
    return;
  }
  form.closest("[popover]")?.hidePopover();
  for (const typed of document.querySelectorAll("[data-typed]")) delete typed.dataset.typed;
  if (data.go) return go(data.go);
  if (data.said) toast(data.said);
  return drawAgain();
}

function toast(text) {
  const said = h("div", { class: "cc-upload-status", role: "status" }, h("span", {}, text));
  document.querySelector(".gradio-container").append(said);
  setTimeout(() => said.remove(), 6000);
}

function listenToForms() {
  document.addEventListener("submit", (event) => {
    const form = event.target.closest?.("form[data-send]");
    if (!form) return;
    event.preventDefault();
    send(form, event.submitter?.dataset.send ?? form.dataset.send);
  });
  const typed = ({ target }) => {
    const form = target.closest?.("form[data-send]");
    if (form && target.type !== "hidden") form.dataset.typed = "";
    const plan = form?.querySelector("[data-plan]");
    if (plan) planned(form, plan);
  };
  document.addEventListener("input", typed);
}

/** What the chosen scorers would do, below them and on the button. */
async function planned(form, plan) {
  const body = bodyOf(form);
  const button = form.querySelector(".cc-add-score");
  const asked = (plan.asked = JSON.stringify(body));
  if (!body.scorers?.length) {
    plan.textContent = "";
    button.textContent = "Score images";
    return;
  }
  const { outcome, data } = await new Api("/").post(plan.dataset.plan.slice(1), body);
  if (plan.asked !== asked) return;
  plan.textContent = outcome === "ok" ? data.text : detail(data, NO_ANSWER);
  if (outcome === "ok") button.textContent = data.label;
}

// What is at work

class Work {
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
    setTimeout(() => this.ask(), this.link.hidden ? IDLE_MS : WORK_MS);
  }

  show({ text, share, waiting }) {
    this.link.hidden = !text && !waiting;
    if (this.link.hidden) return;
    const rest = waiting ? `${text ? ", " : ""}${waiting} waiting` : "";
    this.link.replaceChildren(h("progress", { max: 1, value: share, "aria-label": "Work at hand" }), h("span", {}, text + rest));
  }
}

listenToDrops();
listenToForms();
new Work();
setInterval(() => !document.hidden && document.querySelector("main.cc-place [data-again]") && drawAgain(), AGAIN_MS);
