// The Workbench's address: the image, the listing that it was opened from (as in Browse), and whose values that had shown.

import { at } from "../base_path.js";

// only images of which two sides say this, among these judgements
const CROSSED = ["about", "a", "a_says", "b", "b_says", "way", "target", "campaign", "certainty", "among", "since", "until"];
// only images behind a mark of a failure picture
const MARKED = ["picture", "seen_by", "asked", "found"];
// only images of which somebody says this on `correct`, or whose score is within a range
const SAID = ["says", "people", "differs", "range"];
// what the prompt asks for, tags, and words of its text
const ASKED = ["object", "color", "count", "relation", "tag", "q", "like"];
// who was wrong by a verdict of somebody, or "none"
const RULED = ["verdict"];
// how Browse shows them
const SHOWN = ["show", "left", "right", "of"];
// only images inside a line on a map
const LASSOED = ["map", "lasso"];
/** All names of a listing's address, in the order in which Browse writes them. */
export const LISTING = ["suite", "task", "generator", ...ASKED, ...SAID, ...RULED, "rater", "by", "order", ...SHOWN, ...CROSSED, ...MARKED, ...LASSOED];

/** {id, listing, shown}; `shown` is null where nobody came from a grid, "" where the grid said nothing of this image. */
export function parse(query) {
  const given = new URLSearchParams(query);
  const listing = new URLSearchParams();
  for (const name of LISTING) for (const value of given.getAll(name)) if (value) listing.append(name, value);
  // the address itself tells what is said of images that it lists by that
  return { id: given.get("id") ?? "", listing, shown: given.get("shown") ?? (tells(listing) ? judge(listing) : null) };
}

/** The address of an image among those of a listing. */
export function workbenchAddress(id, listing, shown = null) {
  const query = new URLSearchParams({ id });
  for (const name of LISTING) for (const value of listing.getAll(name)) query.append(name, value);
  if (shown !== null) query.set("shown", shown);
  return at(`/studio/images/one?${query}`);
}

/** Whether a listing is of images of which two sides say something. */
export function crosses(listing) {
  return listing.has("about");
}

/** Whether a listing alone tells what somebody says of its images. */
export function tells(listing) {
  return ["about", "picture", "certainty", ...SAID].some((name) => listing.has(name)) || isRuled(listing);
}

/** Whose values the grid of this listing shows. */
export function judge(listing) {
  const sides = [...(crosses(listing) ? [listing.get("a"), listing.get("b")] : []), ...listing.getAll("seen_by"), ...sayers(listing)];
  const [first, ...more] = [...new Set(sides.filter(Boolean))];
  return first ? [first, ...more].join(" and ") : (listing.get("rater") ?? "people");
}

/** Of whom the facets of a listing tell something. */
function sayers(listing) {
  const named = ["says", "range"].flatMap((name) => listing.getAll(name)).map(raterOf);
  const differ = listing.getAll("differs").flatMap((value) => (["people", "scorers"].includes(value) ? [value] : [raterOf(value), "people"]));
  const people = (["people", "certainty"].some((name) => listing.has(name)) && !crosses(listing)) || isRuled(listing) ? ["people"] : [];
  const told = [...named, ...differ, ...people];
  return told.length ? [...told, listing.get("rater") ?? "people"] : [];
}

/** Whether a listing is of images with verdicts, which tell what was said. */
function isRuled(listing) {
  return listing.getAll("verdict").some((value) => value !== "none");
}

/** The scorers that a listing names: whose disagreements it lists, or whose values it shows. */
export function scorers(listing) {
  const named = ["differs", "says"].flatMap((name) => listing.getAll(name)).map(raterOf);
  return [...named, ...["a", "b", "rater"].map((name) => listing.get(name))].filter(Boolean);
}

/** The name before the last colon: names may hold colons themselves. */
export function raterOf(value) {
  return value.slice(0, Math.max(0, value.lastIndexOf(":")));
}

/** The queue of a listing: what of it has no verdict yet, one image after the other. */
export function queue(listing) {
  const open = new URLSearchParams(listing);
  open.set("verdict", "none");
  return at(`/studio/images/one?${open}`);
}

/** The grid that a listing comes from. */
export function browseAddress(listing) {
  const query = listing.toString();
  return at(query ? `/studio/images?${query}` : "/studio/images");
}
