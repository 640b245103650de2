// Seconds at work: a pause counts for its first 30 seconds, a hidden tab not at all (GenEval stops its clock likewise).

const IDLE_MS = 30_000;
const ACTIVITY = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

export class ActivityTimer {
  constructor(signal, now = () => performance.now()) {
    this.now = now;
    this.counted = 0;
    this.last = now();
    this.running = !document.hidden;
    const options = { signal, passive: true, capture: true };
    for (const event of ACTIVITY) document.addEventListener(event, () => this.touch(), options);
    document.addEventListener("visibilitychange", () => this.show(!document.hidden), { signal });
  }

  touch() {
    this.counted += this.pending();
    this.last = this.now();
  }

  show(isShown) {
    this.touch();
    this.running = isShown;
  }

  pending() {
    return this.running ? Math.min(this.now() - this.last, IDLE_MS) : 0;
  }

  get seconds() {
    return (this.counted + this.pending()) / 1000;
  }
}
