// A page's address follows its controls.

const NOTHING = ["", "all", "any"];

/** Writes the values under these names; `usual` values, and what stands for all, are left out. A list is written with commas, or
 * `repeated`, a value each. */
export function write(path, names, values, { usual, repeated }) {
  if (!location.pathname.endsWith(path)) return;
  const url = new URL(location.href);
  names.forEach((name, n) => {
    url.searchParams.delete(name);
    const given = Array.isArray(values[n]) ? values[n] : [values[n] ?? ""];
    for (const value of repeated ? given.map(String) : [given.join(",")])
      if (!NOTHING.includes(value) && value !== usual[name]) url.searchParams.append(name, value);
  });
  history.replaceState(history.state, "", url);
}
