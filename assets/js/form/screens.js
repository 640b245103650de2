// What stands in the form's place when there is no picture to judge.

import { button, h, uniqueId } from "../dom.js";
import { rich } from "../rich_text.js";
import { later, t } from "../texts.js";

function screen(kind, title, ...children) {
  const heading = typeof title === "string" ? h("h2", { class: "cc-title" }, title) : title;
  return h("section", { class: "cc-empty", "data-screen": kind }, heading, ...children);
}

const WHY_A_NAME = later("Your answers are stored under this name. Use the same name every time.");

/** Asks once for a name; `onName(name)` resolves to null, or to a sentence that says what is wrong. */
export function nameScreen(onName, { title = t("Who is judging?"), why = t(WHY_A_NAME) } = {}) {
  const id = uniqueId("cc-name");
  const error = h("p", { class: "cc-field-error", id: `${id}-error`, role: "alert" });
  const field = h("input", { class: "cc-input", id, type: "text", maxlength: 60, autocomplete: "name", "aria-describedby": `${id}-error` });
  const go = h("button", { type: "submit", class: "cc-button cc-button--primary" }, t("Start"));
  const submit = async (event) => {
    event.preventDefault();
    const name = field.value.trim();
    error.textContent = "";
    if (name === "") {
      error.textContent = t("Please enter a name.");
      field.focus();
      return;
    }
    go.disabled = true;
    error.textContent = (await onName(name)) ?? "";
    go.disabled = false;
    if (error.textContent) field.focus();
  };
  const label = h("label", { class: "cc-label", for: id }, t("Your name"));
  const form = h("form", { class: "cc-stack", novalidate: true, on: { submit } }, label, h("div", { class: "cc-row" }, field, go), error);
  return { element: screen("name", title, h("p", { class: "cc-muted" }, why), form), focus: () => field.focus() };
}

/** The campaigns that somebody may work in; `onChoose(id)`. */
export function chooseScreen(campaigns, onChoose) {
  const rows = campaigns.map(({ id, title }, k) => h("li", {}, button(title, { class: "cc-button cc-choices__choice", "data-campaign": id, "data-focus": k === 0 }, () => onChoose(id))));
  return screen("choose", t("What do you want to work on?"), h("ul", { class: "cc-choices" }, ...rows));
}

/** What must be agreed to before any picture is shown: `asked` is {consent, warning, campaign}. */
export function consentScreen(asked, onAgree, onDecline) {
  const warning = asked.warning.length > 0 ? h("div", { class: "cc-notice cc-notice--warn" }, rich(asked.warning)) : null;
  const [yes, no] = asked.consent.length > 0 ? [t("I have read this and agree"), t("I do not agree")] : [t("I understand, continue"), t("I want to stop")];
  // Enter leads on everywhere else, and would agree to what nobody has read
  const agree = button(yes, { kind: "primary" }, onAgree);
  agree.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  return screen(
    "consent",
    asked.campaign.title || t("Before you start"),
    h("div", { class: "cc-stack cc-consent", tabindex: -1, "data-focus": true }, rich(asked.consent), warning),
    h("div", { class: "cc-row" }, agree, button(no, {}, onDecline)),
  );
}

/** `left` has the code and the address for whoever does not agree, if the campaign has any. */
export function declinedScreen(left = {}, onAgain) {
  const words = t("No image is shown, and no answer is stored. You can close this page, or return the task on its platform.");
  const again = h("div", { class: "cc-row" }, button(t("Read it again"), {}, onAgain));
  return screen("declined", t("You declined"), h("p", { class: "cc-muted" }, words), completion(left), again);
}

/** Where somebody stops: `left` has the code and the address with which they leave, if there are any; `results` is for researchers. */
export function exitScreen({ title, answered = 0, results = null, ...left }, onGoOn) {
  const thanks = answered === 1 ? t("1 answer, thank you") : answered > 0 ? t("{n} answers, thank you", { n: answered.toLocaleString("en") }) : t("Thank you");
  const words = t("Your answers and your draft are saved. Pictures reserved for you may go to others in the meantime.");
  const leaving = completion(left);
  const lead = leaving ? h("p", {}, t("If you want to stop for good:")) : null;
  const onward = results ? h("a", { class: "cc-button", href: results }, t("See the results")) : null;
  return screen(
    "paused",
    title || thanks,
    title && answered > 0 ? h("p", {}, thanks) : null,
    h("p", { class: "cc-muted" }, words),
    lead,
    leaving,
    h("div", { class: "cc-row" }, button(t("Go on"), { key: "Enter", kind: "primary", "data-focus": true }, onGoOn), onward),
  );
}

export function closedScreen({ title, message, ...left }, onAgain) {
  const again = h("div", { class: "cc-row" }, button(t("Look again"), {}, onAgain));
  return screen("closed", t(title), h("p", { class: "cc-muted" }, t(message)), completion(left), again);
}

/** What a crowd platform wants back; or whom to contact, where the campaign has no code for leaving so. */
function completion({ code, url, contact }) {
  if (contact) return h("p", { "data-contact": true }, t(contact));
  if (!code && !url) return null;
  const words = code ? h("p", {}, t("Your completion code: "), h("code", { class: "cc-code cc-completion" }, code), " ", copyButton(code)) : null;
  const link = url ? h("p", {}, h("a", { class: "cc-button cc-button--primary", href: url, rel: "noreferrer" }, t("Finish"))) : null;
  return h("div", { class: "cc-stack" }, words, link);
}

/** `results` is where a researcher who labels goes on. */
export function doneScreen({ title, message, results, ...left }, { onUndo, onAgain }) {
  const onward = results ? h("a", { class: "cc-button cc-button--primary", href: results }, t("See the results")) : null;
  return screen(
    "done",
    t(title),
    h("p", { class: "cc-muted" }, message ? t(message) : t("There is nothing left for you to label at the moment.")),
    left.pay ? h("p", { class: "cc-muted" }, left.pay) : null,
    completion(left),
    h("div", { class: "cc-row" }, onward, button(t("Look for more"), { kind: onward || left.code || left.url ? "" : "primary" }, onAgain), button(t("Revise my last answer"), { key: "u" }, onUndo)),
  );
}

export function emptyScreen(message, commands, onAgain) {
  const lines = (commands ?? []).map((command) => h("li", {}, h("code", { class: "cc-code" }, command), copyButton(command)));
  return screen(
    "empty",
    t("No pictures yet"),
    h("p", { class: "cc-muted" }, message ? t(message) : t("This project has no pictures to label.")),
    lines.length > 0 ? h("ul", { class: "cc-commands" }, ...lines) : null,
    h("div", { class: "cc-row" }, button(t("Look again"), { kind: "primary" }, onAgain)),
  );
}

export function waitingScreen(message) {
  return h("section", { class: "cc-empty", "data-screen": "waiting", "aria-busy": "true" }, h("p", { class: "cc-muted" }, message));
}

export function troubleScreen(title, message, label, onClick) {
  return screen("trouble", title, h("p", { class: "cc-muted" }, message), button(label, { kind: "primary" }, onClick));
}

function copyButton(text) {
  const copy = button(t("Copy"), { "aria-label": t("Copy: {text}", { text }) }, async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = t("Copied");
    } catch {
      copy.textContent = t("Select and copy"); // clipboards are closed on plain http
    }
  });
  return copy;
}
