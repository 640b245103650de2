// A picture enlarged where it stands: wheel or two fingers enlarge, a drag moves it, one image pixel can be one screen pixel.

const MOST = 16;
const TAP_PX = 6; // a finger that moves less than this has not dragged
const WHEEL = 0.0016;
const PINCHED_WHEEL = 0.012; // a trackpad's pinch comes as small steps of a wheel with Ctrl

export class ZoomPan {
  /** `frame` clips the `image`, which fills it or less; `pixels` is the image's own width, `onLarger` is called when it is first
   *  enlarged (a finer file may be wanted then), `onTap` where somebody points at it without dragging. */
  constructor(frame, image, { pixels, onLarger = () => {}, onTap = () => {} }) {
    Object.assign(this, { frame, image, pixels, onLarger, onTap });
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.pointers = new Map();
    this.dragged = false;
    this.controller = new AbortController();
    const { signal } = this.controller;
    frame.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
    frame.addEventListener("pointerdown", (event) => this.down(event), { signal });
    frame.addEventListener("pointermove", (event) => this.move(event), { signal });
    for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, (event) => this.up(event), { signal });
    frame.addEventListener("click", (event) => this.click(event), { signal });
  }

  destroy() {
    this.controller.abort();
    this.frame.classList.remove("is-larger");
  }

  /** The scale at which one pixel of the image is one of the page. */
  get actual() {
    const { offsetWidth } = this.image;
    return offsetWidth > 0 ? Math.min(Math.max(this.pixels / offsetWidth, 1), MOST) : 1;
  }

  get isLarger() {
    return this.scale > 1.001;
  }

  reset() {
    this.to(1, 0, 0);
  }

  /** One to one around the middle, or back to the whole picture. */
  toggleActual(at = null) {
    if (this.isLarger) return this.reset();
    return this.zoom(Math.max(this.actual, 2), at);
  }

  /** Multiply the size; `at` (of the page; the frame's middle without one) stays where it is. */
  zoom(factor, at = null) {
    const box = this.frame.getBoundingClientRect();
    const x = (at?.x ?? box.left + box.width / 2) - box.left - this.image.offsetLeft;
    const y = (at?.y ?? box.top + box.height / 2) - box.top - this.image.offsetTop;
    const scale = Math.min(Math.max(this.scale * factor, 1), MOST);
    const kept = scale / this.scale;
    this.to(scale, x - (x - this.x) * kept, y - (y - this.y) * kept);
  }

  to(scale, x, y) {
    this.scale = scale < 1.001 ? 1 : scale;
    this.x = this.within(x, this.image.offsetLeft, this.image.offsetWidth, this.frame.clientWidth);
    this.y = this.within(y, this.image.offsetTop, this.image.offsetHeight, this.frame.clientHeight);
    const { style } = this.image;
    style.transformOrigin = "0 0";
    style.transform = this.isLarger ? `translate(${this.x}px, ${this.y}px) scale(${this.scale})` : "";
    this.frame.classList.toggle("is-larger", this.isLarger);
    if (this.isLarger) this.onLarger();
  }

  /** A shift that leaves no gap where the picture could fill it, and keeps what is smaller than the frame in its middle. */
  within(shift, before, size, room) {
    if (!this.isLarger) return 0;
    const large = size * this.scale;
    if (large <= room) return (room - large) / 2 - before;
    return Math.min(Math.max(shift, room - before - large), -before);
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? PINCHED_WHEEL : WHEEL)), { x: event.clientX, y: event.clientY });
  }

  down(event) {
    if (event.target.closest("button")) return;
    if (this.pointers.size === 0) this.dragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, from: { x: event.clientX, y: event.clientY } });
    if (!this.isLarger && this.pointers.size < 2) return;
    try {
      this.frame.setPointerCapture(event.pointerId);
    } catch {
      /* the finger is gone already */
    }
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const before = [...this.pointers.values()].map(({ x, y }) => ({ x, y }));
    const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
    const after = [...this.pointers.values()];
    if (Math.hypot(pointer.x - pointer.from.x, pointer.y - pointer.from.y) > TAP_PX || after.length > 1) this.dragged = true;
    if (after.length === 2) {
      const middle = { x: (after[0].x + after[1].x) / 2, y: (after[0].y + after[1].y) / 2 };
      const apart = ([one, other]) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
      this.zoom(apart(after) / apart(before), middle);
      this.to(this.scale, this.x + dx / 2, this.y + dy / 2);
    } else if (this.isLarger && this.dragged) {
      this.to(this.scale, this.x + dx, this.y + dy);
    }
  }

  up(event) {
    this.pointers.delete(event.pointerId);
  }

  click(event) {
    if (event.target.closest("button")) return;
    if (!this.dragged) this.onTap({ x: event.clientX, y: event.clientY });
    this.dragged = false;
  }
}
