// Where somebody was when they opened an image: Back, and the Workbench's way back, lead to the same place.

const KEY = "concord.browse.place";

export function keep(place) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    /* without storage the list begins at its top */
  }
}

/** The place that was kept of this address, once. */
export function take(query) {
  try {
    const place = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
    return place?.query === query ? place : null;
  } catch {
    return null;
  }
}
