// Texts of the form in the language of the browser. English texts are their own names: t("Submit"); another language is a
// file in assets/texts/ that has a translation of each. The server says which there are (ui/web/texts.py).

import { at } from "./base_path.js";

let translations = {};
let language = "en";

/** The first language among these that the reader wants, by ?lang= or else by the browser; English is always there. */
function chosen(known) {
  const wanted = [new URLSearchParams(location.search).get("lang"), ...navigator.languages].filter(Boolean);
  return wanted.map((one) => one.toLowerCase().split("-")[0]).find((one) => one === "en" || one in known);
}

/** Read the language that is asked for by ?lang=, or else that of the browser, of these {code: direction}; English needs nothing. */
export async function loadTexts(root, languages = {}) {
  const code = chosen(languages);
  if (!(code in languages)) return;
  const answer = await fetch(at(`/assets/texts/${code}.json`)).catch(() => null);
  if (!answer?.ok) return;
  translations = await answer.json();
  language = code;
  root.lang = code;
  root.dir = languages[code];
}

/** The languages that the page can be in: {code, name, href, isCurrent}, each named in itself. */
export function languageLinks(languages) {
  return ["en", ...Object.keys(languages)].map((code) => {
    const address = new URL(location.href);
    address.searchParams.set("lang", code);
    return { code, name: new Intl.DisplayNames([code], { type: "language" }).of(code), href: address.href, isCurrent: code === language };
  });
}

/** The language that the page is in. */
export const pageLanguage = () => language;

/** A text in the reader's language; `{name}` in it stands for a value. */
export function t(text, values = {}) {
  const said = translations[text] ?? text;
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A questionnaire in the reader's language, where it has been translated: {language, questionnaire}. Values stay as they are. */
export function inLanguage(questionnaire) {
  const translated = questionnaire.translations ?? {}; // an answer that waited in the browser may be of an older server
  const language = chosen(translated);
  const texts = translated[language];
  if (!texts) return { language: null, questionnaire };
  const say = (text) => texts[text] ?? text;
  const label = (one) => ({ ...one, label: say(one.label) });
  const questions = questionnaire.questions.map((one) => ({ ...one, text: say(one.text), help: say(one.help), options: one.options.map(label) }));
  const instructions = questionnaire.instructions.map(({ title, lines }) => ({ title: say(title), lines: lines.map(say) }));
  return { language, questionnaire: { ...questionnaire, questions, instructions, blanks: questionnaire.blanks.map(label) } };
}

/** Marks a text that t() gets when it is shown. */
export const later = (text) => text;
