// Words that a person has typed in a campaign before, on this computer: offered again after their first letters.

import * as store from "../store.js";

const OFFERED = 5;
const KEPT = 300;
const LONGEST = 40;

const keyOf = ({ person, campaign }) => `typed.${person}.${campaign}`;
const words = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);
const plain = (word) => word.toLocaleLowerCase();

/** Keep the words of an answer; `whose` is {person, campaign}. */
export function remember(whose, text) {
  const counts = new Map(store.read(keyOf(whose)) ?? []);
  for (const word of new Set(words(text))) {
    if (word.length > LONGEST) continue;
    const before = counts.get(word) ?? 0;
    counts.delete(word); // the latest stands last, and stays longest
    counts.set(word, before + 1);
  }
  store.write(keyOf(whose), [...counts].slice(-KEPT));
}

/** Those that begin as the last word of a text does, the most frequent first; none of those that it has already. */
export function matching(whose, text) {
  const begun = plain(text.split(",").at(-1).trimStart());
  if (begun.trim() === "") return [];
  const there = new Set(words(text).map(plain));
  const known = (store.read(keyOf(whose)) ?? []).filter(([word]) => plain(word).startsWith(begun) && !there.has(plain(word)));
  return known.sort(([, a], [, b]) => b - a).slice(0, OFFERED).map(([word]) => word);
}

/** The text with a word in the place of its last one. */
export function completed(text, word) {
  return [...text.split(",").slice(0, -1).map((one) => one.trim()), word].join(", ");
}
