// What the modules take from a browser, for tests without one: events of the window, and localStorage.

class Storage {
  constructor() {
    this.entries = new Map();
  }

  get length() {
    return this.entries.size;
  }

  key(place) {
    return [...this.entries.keys()][place] ?? null;
  }

  getItem(key) {
    return this.entries.get(key) ?? null;
  }

  setItem(key, value) {
    this.entries.set(key, String(value));
  }

  removeItem(key) {
    this.entries.delete(key);
  }
}

globalThis.window = new EventTarget();
Object.defineProperty(globalThis, "localStorage", { value: new Storage(), configurable: true, writable: true });

/** A browser in which nothing has been stored yet. */
export function emptyStorage() {
  globalThis.localStorage = new Storage();
}

/** All that is under way without waiting for a timer comes to its end. */
export async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
}
