// The items that are here already: those put back (by an undo or a refusal) first, then the server's.

export class Queue {
  constructor() {
    this.kept = [];
    this.tasks = [];
    this.done = new Set();
    this.images = [];
  }

  get isEmpty() {
    return this.kept.length + this.tasks.length === 0;
  }

  /** Answers given while the server's list is on its way may still stand in it; older ones it knows about. */
  startFetch(isUnsaved) {
    this.done = new Set([...this.done].filter(isUnsaved));
  }

  handled(ticket) {
    this.done.add(ticket);
    this.tasks = this.tasks.filter((task) => task.ticket !== ticket);
  }

  fill(tasks, current) {
    const here = new Set([current?.ticket, ...this.kept.map((task) => task.ticket)]);
    this.tasks = tasks.filter((task) => !this.done.has(task.ticket) && !here.has(task.ticket));
    this.preload();
  }

  putBack(task) {
    if (!task.revises && !this.kept.some((other) => other.ticket === task.ticket)) this.kept.push(task);
  }

  take() {
    const task = this.kept.pop() ?? this.tasks.shift() ?? null;
    this.preload();
    return task;
  }

  preload() {
    const [next] = this.tasks;
    if (!next) return;
    this.images = next.images.map(({ image }) => {
      const ahead = new Image();
      ahead.src = image;
      return ahead;
    });
  }
}
