// The items that are here already: those put back (by an undo or a refusal) first, then the server's.

import { onScreen } from "./pictures.js";

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
  }

  putBack(task) {
    if (!task.revises && !this.kept.some((other) => other.ticket === task.ticket)) this.kept.push(task);
  }

  take() {
    return this.kept.pop() ?? this.tasks.shift() ?? null;
  }

  /** Load the pictures of all items that are here, once the one on the screen needs the line no more. */
  preload() {
    this.images = [...this.kept, ...this.tasks].flatMap(({ images }) => images).map(({ image }) => {
      const ahead = new Image();
      ahead.src = onScreen(image);
      return ahead;
    });
  }
}
