// A long listing of which only what is looked at is fetched: pages by number, the last used are kept.

const KEPT = 40;

export class PageCache {
  /** `fetchPage(number)` resolves to {rows, total, size}, or throws an Error that says why; `onChange(error or null)` is told of each. */
  constructor(fetchPage, onChange) {
    this.fetchPage = fetchPage;
    this.onChange = onChange;
    this.reset();
  }

  /** Another listing. */
  reset() {
    this.turn = (this.turn ?? 0) + 1;
    this.pages = new Map();
    this.coming = new Map();
    this.stale = new Set();
    this.total = null;
    this.size = 60;
  }

  /** The project has moved: what is there is shown until it is there anew. */
  age() {
    this.stale = new Set(this.pages.keys());
    this.coming.clear();
    this.turn += 1;
  }

  get(index) {
    return this.pages.get(Math.floor(index / this.size))?.[index % this.size] ?? null;
  }

  /** Have all from `first` to `last`; resolves when they are there, or have failed. */
  need(first, last) {
    const numbers = [];
    for (let page = Math.floor(Math.max(0, first) / this.size); page <= Math.floor(last / this.size); page += 1) numbers.push(page);
    return Promise.all(numbers.map((page) => this.page(page)));
  }

  page(number) {
    if (this.pages.has(number) && !this.stale.has(number)) {
      const rows = this.pages.get(number);
      this.pages.delete(number); // the last used stand last
      this.pages.set(number, rows);
      return Promise.resolve();
    }
    if (!this.coming.has(number)) this.coming.set(number, this.load(number));
    return this.coming.get(number);
  }

  async load(number) {
    const { turn } = this;
    let answer;
    try {
      answer = await this.fetchPage(number);
    } catch (error) {
      if (turn === this.turn) {
        this.coming.delete(number);
        this.onChange(error);
      }
      return;
    }
    if (turn !== this.turn) return;
    this.coming.delete(number);
    this.stale.delete(number);
    this.total = answer.total;
    this.size = answer.size;
    this.pages.set(number, answer.rows);
    for (const old of [...this.pages.keys()].slice(0, Math.max(0, this.pages.size - KEPT))) this.pages.delete(old);
    this.onChange(null);
  }

  /** All rows that are here, with their places. */
  *known() {
    for (const [page, rows] of this.pages) for (const [k, row] of rows.entries()) yield [page * this.size + k, row];
  }
}
