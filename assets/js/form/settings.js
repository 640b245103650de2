// What a person has chosen for themselves on this computer.

import * as store from "../store.js";
import { later } from "../texts.js";

export const ADVANCE = [
  ["submit", later("go on to the next question, and submit after the last one")],
  ["question", later("go on to the next question; Enter submits")],
  ["off", later("stay; Enter goes on")],
];

/** What happens when a question has been answered: "submit", "question" or "off". */
export function advance() {
  const chosen = store.read("advance");
  return ADVANCE.some(([name]) => name === chosen) ? chosen : "submit";
}

/** Whether each image gets the one question of the quick form, where no campaign has chosen other questions. */
export const isQuick = () => store.read("quick") !== false;

export const setQuick = (quick) => store.write("quick", quick);

export const setAdvance = (name) => store.write("advance", name);
