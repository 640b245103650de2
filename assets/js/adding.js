// Adding, in every place of Studio: the whole window takes files, which are uploaded and read; forms with `data-send` send their
// fields to a JSON route; what is at work stands in the bar.

import { Api, detail } from "./api.js";
import { at } from "./base_path.js";
import { h } from "./dom.js";
import { filesIn } from "./adding/dropped_files.js";
import { NO_ANSWER, Upload } from "./adding/upload.js";
import { Work } from "./adding/work.js";
import { Toast } from "./toast.js";

const AGAIN_MS = 1000;
const SECOND_CLICK_MS = 1500;
const SAME_PLACE_PX = 6;
const toast = new Toast();

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
    new Upload("", go).send(files);
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!field.matches?.("input[type=file][data-upload]") || field.files.length === 0) return;
    const files = [...field.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    new Upload(field.dataset.upload, go).send(files);
    field.value = "";
  });
}

// What was stored

/** A receipt that was not there before comes into view, and whoever goes on by keys goes on from it. */
function listenToReceipts() {
  const seen = new Set();
  document.addEventListener("drawn", ({ target }) => {
    const receipt = target.querySelector?.("[data-arrived]");
    if (!receipt || seen.has(receipt.dataset.arrived)) return;
    seen.add(receipt.dataset.arrived);
    receipt.scrollIntoView({ block: "nearest", behavior: "instant" });
    receipt.focus({ preventScroll: true });
  }, true);
}

/** A second click where the first one sent a form does not hit what was drawn there meanwhile. */
function guardSecondClicks() {
  let first = null;
  document.addEventListener("submit", ({ target, submitter }) => target.matches("form[data-send]") && submitter && (first = { ...pointer, submitter, drawn: Infinity }), true);
  document.addEventListener("drawn", () => first && (first.drawn = performance.now()), true);
  const pointer = { x: 0, y: 0 };
  document.addEventListener("pointerdown", (event) => Object.assign(pointer, { x: event.clientX, y: event.clientY }), true);
  document.addEventListener("click", (event) => {
    // by a key: there is no place
    if (!first || event.detail === 0 || first.submitter.isConnected || performance.now() - first.drawn > SECOND_CLICK_MS) return;
    if (Math.hypot(event.clientX - first.x, event.clientY - first.y) > SAME_PLACE_PX) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

// Forms

/** A form's fields as JSON: a name that stands more than once, or is a list by its nature, is a list; what stands before a dot is a group. */
function bodyOf(form) {
  const body = {};
  const lists = new Set(["scorers", "profile", "generator", "number"].filter((name) => form.querySelectorAll(`[name="${name}"]`).length > 1 || form.querySelector(`.cc-add-generators [name="${name}"], [type=checkbox][name="${name}"]`) || name === "profile" || name === "number"));
  for (const [name, value] of new FormData(form)) {
    if (value instanceof File) continue;
    const [group, key] = name.split(".");
    if (key) (body[group] ??= {})[key] = value;
    else if (lists.has(name)) (body[name] ??= []).push(name === "number" ? Number(value) : value);
    else body[name] = value;
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
  // what was begun stands in the bar at once
  work.ask();
  if (data.said) say(data.said);
  if (data.go) return go(data.go);
  return drawAgain();
}

function say(text) {
  document.querySelector(".gradio-container").append(toast.element);
  toast.show(text);
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
  button.classList.toggle("cc-button--primary", body.scorers?.length > 0);
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

listenToDrops();
const work = new Work();
guardSecondClicks();
listenToReceipts();
listenToForms();
setInterval(() => !document.hidden && document.querySelector("main.cc-place [data-again]") && drawAgain(), AGAIN_MS);
