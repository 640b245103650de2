// The address of Images: what is listed, how it is shown, and the image in the drawer.

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
// these images alone, as a page that shows some of them lists them
const LISTED = ["item"];
// how the images are shown
const SHOWN = ["show", "left", "right", "of", "paint"];
// whether answers, scores and verdicts stay hidden until one has answered
const BLIND = "blind";
// only images inside a line on a map
const LASSOED = ["map", "lasso"];
/** All names of a listing's address, in the order in which every address has them. */
export const LISTING = ["suite", "task", "generator", ...ASKED, ...SAID, ...RULED, "rater", "by", "order", ...SHOWN, ...CROSSED, ...MARKED, ...LISTED, ...LASSOED, BLIND];

/** {id, listing}: the image in the drawer ("" for none), and the listing that it is one of. */
export function parse(query) {
  const given = new URLSearchParams(query);
  const listing = new URLSearchParams();
  for (const name of LISTING) for (const value of given.getAll(name)) if (value) listing.append(name, value);
  return { id: given.get("image") ?? "", listing };
}

/** The address of an image among those of a listing. */
export function imageAddress(id, listing) {
  const query = new URLSearchParams(listing);
  query.set("image", id);
  return at(`/studio/images?${query}`);
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

/** Names in an address that tell by themselves what somebody says of the images that it lists. */
export const TELLING = [...CROSSED, ...MARKED, ...SAID, ...RULED, "of"];

/** Whose values a grid of this listing shows of an image with (or without) such a value; "" for nobody's. */
export function shownOf(listing, hasValue) {
  if (listing.has(BLIND)) return tells(listing) || (listing.get("order") ?? "prompt") !== "prompt" ? judge(listing) : "";
  return hasValue || tells(listing) ? judge(listing) : "";
}

/** The grid that a listing comes from. */
export function imagesAddress(listing) {
  const query = listing.toString();
  return at(query ? `/studio/images?${query}` : "/studio/images");
}
