// Which keys are down: one that is still held when the next picture comes was meant for the one before.

const LONGEST_MS = 1_000;

export class HeldKeys {
  constructor(signal) {
    this.down = new Set();
    this.waiting = [];
    const options = { signal, capture: true };
    document.addEventListener("keydown", (event) => this.down.add(event.code), options);
    document.addEventListener("keyup", (event) => this.up(event.code), options);
    // what is released elsewhere is never heard of
    window.addEventListener("blur", () => this.up(null), { signal });
  }

  up(code) {
    if (code === null) this.down.clear();
    else this.down.delete(code);
    if (this.down.size > 0) return;
    for (const done of this.waiting.splice(0)) done();
  }

  /** Resolves when no key is down; after a second whatever is. */
  released() {
    if (this.down.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      setTimeout(resolve, LONGEST_MS);
    });
  }
}
