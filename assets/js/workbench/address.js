// The Workbench's address: the image, the listing that it was opened from (as in Browse), and whose values that had shown.

const LISTING = ["suite", "task", "generator", "rater", "by", "order"];

/** {id, listing, shown}; `shown` is null where nobody came from a grid, "" where the grid said nothing of this image. */
export function parse(query) {
  const given = new URLSearchParams(query);
  const listing = new URLSearchParams();
  for (const name of LISTING) for (const value of given.getAll(name)) if (value) listing.append(name, value);
  return { id: given.get("id") ?? "", listing, shown: given.get("shown") };
}

/** The address of an image among those of a listing. */
export function workbench(id, listing, shown = null) {
  const query = new URLSearchParams({ id });
  for (const name of LISTING) for (const value of listing.getAll(name)) query.append(name, value);
  if (shown !== null) query.set("shown", shown);
  return `/studio/workbench?${query}`;
}

/** Whose values the grid of this listing shows. */
export function judge(listing) {
  return listing.get("rater") ?? "people";
}

/** The grid that a listing comes from. */
export function grid(listing) {
  const query = listing.toString();
  return query ? `/studio/browse?${query}` : "/studio/browse";
}
