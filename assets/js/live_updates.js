// A page that follows the project asks for a version every few seconds, and is told when it is not the one that it shows.
// All parts of a page that follow the same ask once; a page that nobody sees does not ask. What is asked for, and how often, comes
// from `poll` in ui/shell/followed_versions.py.

import { at } from "./base_path.js";

const TIMEOUT_MS = 15_000;
const liveUpdates = new Map();

/**
 * Calls `moved(version)` whenever the version `of` differs from `shown()`, until `signal` aborts or `element` has left the page:
 * then `gone()`. `shown()` is "" while nothing is.
 */
export function follow(element, { of, seconds, shown, moved, gone, signal }) {
  const key = `${of} ${seconds}`;
  if (!liveUpdates.has(key)) liveUpdates.set(key, new LiveUpdates(of, 1000 * seconds));
  liveUpdates.get(key).add({ element, shown, moved, gone, signal });
}

class LiveUpdates {
  constructor(of, pause) {
    this.url = at(`/api/studio/version?of=${encodeURIComponent(of)}`);
    this.pause = pause;
    this.followers = [];
    this.timer = null;
    this.asking = false;
    document.addEventListener("visibilitychange", () => !document.hidden && this.ask());
  }

  add(follower) {
    this.followers.push(follower);
    this.timer ??= setTimeout(() => this.ask(), this.pause);
  }

  async ask() {
    if (this.asking) return;
    clearTimeout(this.timer);
    this.timer = null;
    const following = this.followers.filter(({ signal }) => !signal?.aborted);
    this.followers = following.filter(({ element }) => element.isConnected);
    for (const { element, gone } of following) if (!element.isConnected) gone?.();
    if (this.followers.length === 0) return;
    // whoever comes back to the tab is shown what is new at once
    if (document.hidden) return;
    this.asking = true;
    const version = await asked(this.url);
    this.asking = false;
    this.timer = setTimeout(() => this.ask(), this.pause);
    if (version === null) return;
    for (const { shown, moved, signal } of this.followers) {
      const seen = shown();
      if (seen && seen !== version && !signal?.aborted) moved(version);
    }
  }
}

/** null: not to be had now. */
async function asked(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), credentials: "same-origin", cache: "no-store" });
    return response.ok ? ((await response.json()).version ?? null) : null;
  } catch {
    return null;
  }
}
