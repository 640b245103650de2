// The picture to judge, or the pictures of an item of several, each with its name and its own "load again".

import { button, h } from "./dom.js";

/** What the picture at a place is called: a pair has sides, more pictures have numbers, one has no name. */
export function pictureName(place, of) {
  if (of === 2) return place === 0 ? "Left" : "Right";
  return of === 1 ? "" : `Image ${place + 1}`;
}

export class Pictures {
  /** `images` are {image, width, height}; `onZoom(place)` and `onChoose(place)` tell what was clicked. */
  constructor(images, { onZoom, onChoose }) {
    const several = images.length > 1;
    this.figures = images.map((one, place) => figure(one, pictureName(place, images.length), () => (several ? onChoose : onZoom)(place)));
    const zoom = button("Zoom", { key: "z", kind: "floating" }, () => onZoom(this.active ?? 0));
    this.active = null;
    if (!several) {
      [this.element] = this.figures;
      this.element.append(zoom);
    } else {
      this.element = h("div", { class: "cc-pictures", "data-count": images.length }, ...this.figures, zoom);
      this.element.style.setProperty("--cc-rows", String(Math.ceil(images.length / columns(images.length))));
      this.element.style.setProperty("--cc-columns", String(columns(images.length)));
    }
  }

  /** Mark the picture that the active question is about; null: it is about all of them. */
  setActive(place) {
    this.active = place;
    if (this.figures.length === 1) return;
    this.figures.forEach((one, k) => {
      one.classList.toggle("is-active", k === place);
      one.classList.toggle("is-aside", place !== null && k !== place);
    });
    const narrow = window.matchMedia("(width < 900px)").matches;
    if (narrow && place !== null) this.figures[place].scrollIntoView({ block: "nearest", inline: "center", behavior: "auto" });
  }
}

const columns = (n) => (n <= 4 ? 2 : 3);

function figure({ image, width, height }, name, onClick) {
  const alt = name ? `${name}: a picture to judge` : "The picture to judge";
  const picture = h("img", { class: "cc-picture__image", alt, width, height, draggable: "false" });
  picture.style.setProperty("--cc-picture-width", `max(${2 * width}px, 480px)`);
  const failure = h("p", { class: "cc-picture__failure", role: "alert", hidden: true });
  const load = (again) => {
    failure.hidden = true;
    picture.src = again ? `${image}#${Date.now()}` : image;
  };
  picture.addEventListener("error", () => {
    failure.hidden = false;
  });
  picture.addEventListener("click", onClick);
  failure.append("The picture could not be loaded. ", button("Load again", {}, () => load(true)));
  load(false);
  const caption = name ? h("figcaption", { class: "cc-picture__name" }, name) : null;
  return h("figure", { class: "cc-picture" }, picture, failure, caption);
}
