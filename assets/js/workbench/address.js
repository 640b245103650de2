// The Workbench's address: the image, the listing that it was opened from (as in Browse), and whose values that had shown.

import { at } from "../root.js";

// only images of which two sides say this, among these judgements
const CROSSED = ["about", "a", "a_says", "b", "b_says", "way", "target", "campaign", "certainty", "among", "since", "until"];
// only images behind a mark of a failure picture
const MARKED = ["picture", "seen_by", "asked", "found"];
// only images inside a line on a map
const LASSOED = ["map", "lasso"];
const LISTING = ["suite", "task", "generator", "rater", "by", "order", ...CROSSED, ...MARKED, ...LASSOED];

/** {id, listing, shown}; `shown` is null where nobody came from a grid, "" where the grid said nothing of this image. */
export function parse(query) {
  const given = new URLSearchParams(query);
  const listing = new URLSearchParams();
  for (const name of LISTING) for (const value of given.getAll(name)) if (value) listing.append(name, value);
  // the address itself tells what is said of images that it lists by that
  return { id: given.get("id") ?? "", listing, shown: given.get("shown") ?? (tells(listing) ? judge(listing) : null) };
}

/** The address of an image among those of a listing. */
export function workbench(id, listing, shown = null) {
  const query = new URLSearchParams({ id });
  for (const name of LISTING) for (const value of listing.getAll(name)) query.append(name, value);
  if (shown !== null) query.set("shown", shown);
  return at(`/studio/workbench?${query}`);
}

/** Whether a listing is of images of which two sides say something. */
export function crosses(listing) {
  return listing.has("about");
}

/** Whether a listing alone tells what somebody says of its images. */
export function tells(listing) {
  return crosses(listing) || listing.has("picture");
}

/** Whose values the grid of this listing shows. */
export function judge(listing) {
  const sides = [...(crosses(listing) ? [listing.get("a"), listing.get("b")] : []), ...listing.getAll("seen_by")];
  return sides.length ? sides.join(" and ") : (listing.get("rater") ?? "people");
}

/** The grid that a listing comes from. */
export function grid(listing) {
  const query = listing.toString();
  return at(query ? `/studio/browse?${query}` : "/studio/browse");
}
