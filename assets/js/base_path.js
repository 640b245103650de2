// Where the app stands below its host, told from where this file came from: a proxy may serve it at /concord, say.

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A path of ours ("/studio/", "/img/...") as the browser is to ask for it. */
export function at(path) {
  return ROOT + path;
}
