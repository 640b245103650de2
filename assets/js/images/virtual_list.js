// A very long list in the page's own scrolling: of all its places only those near the window have elements.

const NEAR = 1.5; // windows kept above and below
const TALLEST = 12_000_000; // px; browsers end somewhere above: a longer list scrolls in larger steps
const STILL_MS = 60;

/** How a list of a height (px) scrolls in a page that has been scrolled `scroll` beyond its top: the height `shown` of its element,
 *  `real`, how far the list itself is scrolled, and `ratio`, how much of it passes for each pixel of the page. */
export function scaled(height, windowHeight, scroll) {
  const shown = Math.min(height, TALLEST);
  const room = Math.max(1, shown - windowHeight);
  const ratio = shown < height ? (height - windowHeight) / room : 1;
  return { height, shown, scroll, ratio, real: Math.min(scroll, room) * ratio };
}

/** The first and the last place of which there are elements: those in the window, and near it. */
export function nearby({ count, columns, rowHeight }, real, windowHeight) {
  const first = Math.max(0, Math.floor((real - NEAR * windowHeight) / rowHeight)) * columns;
  const last = Math.min(count, Math.ceil((real + (1 + NEAR) * windowHeight) / rowHeight) * columns) - 1;
  return { first, last };
}

export class VirtualList {
  /** `list` has count, columns, rowHeight (px), gap (px), draw(index) -> element and need(first, last). */
  constructor(track, list, signal) {
    this.track = track;
    this.list = list;
    this.nodes = new Map();
    const soon = () => this.soon();
    window.addEventListener("scroll", soon, { passive: true, signal });
    const observer = new ResizeObserver(soon);
    observer.observe(track.parentElement ?? track);
    observer.observe(document.body);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.render();
    });
  }

  get rows() {
    return Math.ceil(this.list.count / this.list.columns);
  }

  measure() {
    const top = this.track.getBoundingClientRect().top + window.scrollY;
    const scroll = Math.max(0, window.scrollY - top);
    return { top, ...scaled(this.rows * this.list.rowHeight, window.innerHeight, scroll) };
  }

  /** Draw what is near the window, and drop the rest; the one with the focus stays. */
  render({ anew = false } = {}) {
    const { list, track } = this;
    if (!track.isConnected || track.offsetParent === null) return;
    const { columns, rowHeight } = list;
    const at = this.measure();
    track.style.height = `${at.shown}px`;
    const { first, last } = nearby(list, at.real, window.innerHeight);
    for (const [index, node] of this.nodes) {
      const gone = index < first || index > last;
      if (index >= list.count || (gone && !node.contains(document.activeElement))) {
        node.remove();
        this.nodes.delete(index);
      }
    }
    for (let index = first; index <= last; index += 1) if (anew || !this.nodes.has(index) || this.nodes.get(index).dataset.waiting !== undefined) this.draw(index);
    const width = track.clientWidth;
    const shift = at.shown < at.height ? at.scroll - at.real : 0;
    for (const [index, node] of this.nodes) {
      const cell = (width - (columns - 1) * list.gap) / columns;
      node.style.width = `${cell}px`;
      node.style.height = `${rowHeight - list.gap}px`;
      node.style.transform = `translate(${(index % columns) * (cell + list.gap)}px, ${Math.floor(index / columns) * rowHeight + shift}px)`;
    }
    clearTimeout(this.waiting);
    if (list.count > 0) this.waiting = setTimeout(() => list.need(first, last), this.nodes.size ? STILL_MS : 0);
  }

  /** One place anew, its focus kept. */
  draw(index) {
    const old = this.nodes.get(index);
    const node = this.list.draw(index);
    if (old === node) return;
    const focused = old !== undefined && old === document.activeElement;
    if (old) {
      node.style.cssText = old.style.cssText;
      old.replaceWith(node);
    } else {
      // in order, so that a screen reader reads them as they stand
      const after = [...this.nodes.keys()].filter((other) => other > index);
      this.track.insertBefore(node, after.length ? this.nodes.get(Math.min(...after)) : null);
    }
    this.nodes.set(index, node);
    if (focused) node.focus({ preventScroll: true });
  }

  /** Something that may change the rows' height: what is at the top of the window stays there. */
  steady(change) {
    const { rowHeight } = this.list;
    const at = this.measure();
    change();
    const grown = this.list.rowHeight / rowHeight;
    if (grown === 1 || at.scroll === 0) return;
    this.track.style.height = `${this.measure().shown}px`;
    window.scrollTo({ top: at.top + at.scroll * grown, behavior: "instant" });
  }

  clear() {
    for (const node of this.nodes.values()) node.remove();
    this.nodes.clear();
  }

  /** Scroll so that a place is seen whole, where it is not yet. `above`, `below`: px covered in the window. */
  reveal(index, above = 0, below = 0) {
    const at = this.measure();
    const { rowHeight, columns } = this.list;
    const top = Math.floor(index / columns) * rowHeight;
    let real = at.real;
    const over = window.scrollY < at.top ? at.top - window.scrollY : 0; // what stands above the list, still in the window
    if (top < real + (over ? 0 : above)) real = top - above;
    else if (top + rowHeight > real + window.innerHeight - over - below) real = top + rowHeight + below - window.innerHeight;
    else return this.render();
    window.scrollTo({ top: at.top + Math.max(real, -at.top) / at.ratio, behavior: "instant" });
    return this.render();
  }

  /** The first place that is seen whole. */
  get firstSeen() {
    const at = this.measure();
    return Math.min(Math.max(0, this.list.count - 1), Math.ceil(at.real / this.list.rowHeight) * this.list.columns);
  }
}
