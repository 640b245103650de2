// The picture to judge, or the pictures of an item of several, each with its name; where one does not load, the form says so.

import { button, h, kbd } from "../dom.js";
import { t } from "../texts.js";
import { IN_FORM, thumbnail } from "../thumbnails.js";
import { ZoomPan } from "./zoom_pan.js";

const GAP = 8; // px between pictures, as picture.css has it

/** What the picture at a place is called, as the questions do: by its side or by its number; a single one has no name. */
export function pictureName(place, { images, questionnaire }) {
  if (images.length === 1) return "";
  const hasSides = questionnaire.questions.some(({ options }) => options.some(({ value }) => value === "left"));
  return hasSides ? [t("Left"), t("Right")][place] : t("Image {n}", { n: place + 1 });
}

/** A picture as the form shows it: small enough for a slow line. Enlarged it is the original (`image`). */
export const onScreen = (image) => thumbnail(image, IN_FORM);

/** {columns, cell}: in how many columns `n` pictures of these proportions (width / height) are largest in a space, and how wide
 *  each is then; at least `fewest` columns. */
export function bestGrid(n, ratio, { width, height }, fewest = 1) {
  const cell = (columns) => {
    const rows = Math.ceil(n / columns);
    return Math.min((width - GAP * (columns - 1)) / columns, ((height - GAP * (rows - 1)) / rows) * ratio);
  };
  const grids = Array.from({ length: n - fewest + 1 }, (_, k) => ({ columns: fewest + k, cell: Math.floor(cell(fewest + k)) }));
  return grids.reduce((best, one) => (one.cell > best.cell ? one : best));
}

export class Pictures {
  /** The task's `images` are {image, width, height}; `onZoom(place)` and `onChoose(place)` tell what was clicked; `onSkip()` and
   *  `onReport()`, if there are, are offered where a picture does not load. */
  constructor(task, { onZoom, onChoose, onSkip, onReport }) {
    const { images } = task;
    const several = images.length > 1;
    this.made = images.map((one, place) => figure(one, pictureName(place, task), { onTap: () => (several ? onChoose : onZoom)(place), onZoom: () => onZoom(place), onSkip, onReport }));
    this.figures = this.made.map(({ element }) => element);
    this.loaded = Promise.all(this.made.map(({ loaded }) => loaded));
    this.active = null;
    this.element = h("div", { class: "cc-pictures", "data-count": images.length }, ...this.figures);
    if (several) this.fit(images, pictureName(0, task) === t("Left") ? 2 : 1);
  }

  /** Let the pictures be as large as the space allows; `fewest` columns, as left and right must be that. */
  fit(images, fewest) {
    const { style } = this.element;
    const ratio = Math.max(...images.map(({ width, height }) => width / height));
    style.setProperty("--cc-count", String(images.length));
    const measure = ([{ contentRect }]) => {
      const { columns, cell } = bestGrid(images.length, ratio, contentRect, fewest);
      style.setProperty("--cc-columns", String(columns));
      style.setProperty("--cc-cell", `${Math.max(cell, 1)}px`);
    };
    new ResizeObserver(measure).observe(this.element);
  }

  /** Resolves when all pictures stand on the screen; never while one of them does not load, or the tab is hidden. */
  async painted() {
    await this.loaded;
    // the frame that comes has them, and the one after it follows when it has been painted
    await nextFrame();
    await nextFrame();
  }

  get failed() {
    return this.figures.some((one) => !one.querySelector(".cc-picture__failure").hidden);
  }

  /** Mark the picture that the active question is about; null: it is about all of them. */
  setActive(place) {
    this.active = place;
    if (this.figures.length === 1) return;
    this.element.classList.toggle("has-active", place !== null);
    this.figures.forEach((one, k) => one.classList.toggle("is-active", k === place));
  }

  /** Write what was answered about a picture beside its name. */
  tell(place, words) {
    const answer = this.figures[place].querySelector(".cc-picture__answer");
    if (answer) answer.textContent = words;
  }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** {element, loaded}: a promise that waits for "load again", too. */
function figure({ image, width, height }, name, { onTap, onZoom, onSkip, onReport }) {
  const alt = name ? t("{name}: a picture to judge", { name }) : t("The picture to judge");
  const picture = h("img", { class: "cc-picture__image", alt, width, height, draggable: "false" });
  const failure = h("div", { class: "cc-picture__failure", role: "alert", hidden: true });
  const load = (again) => {
    failure.hidden = true;
    picture.src = again ? `${onScreen(image)}#${Date.now()}` : onScreen(image);
  };
  picture.addEventListener("error", () => {
    failure.hidden = false;
  });
  const again = button(t("Load again"), { kind: "primary" }, () => load(true));
  const skip = onSkip ? button(t("Skip"), { key: "s", "aria-label": t("Skip this picture") }, onSkip) : null;
  const report = onReport ? button(t("Picture is broken"), { key: "!" }, onReport) : null;
  failure.append(h("span", {}, t("The picture did not load, so it cannot be judged.")), h("span", { class: "cc-row cc-picture__acts" }, again, skip, report));
  const arrived = new Promise((resolve) => picture.addEventListener("load", resolve, { once: true }));
  // a picture that has arrived is not drawn before it is decoded
  const loaded = arrived.then(() => picture.decode().catch(() => {}));
  load(false);
  const caption = name ? h("figcaption", { class: "cc-picture__name" }, name, " ", h("b", { class: "cc-picture__answer" })) : null;
  const larger = h("button", { type: "button", class: "cc-button cc-button--floating cc-picture__zoom", "aria-label": name ? t("Zoom: {name}", { name }) : t("Zoom"), on: { click: onZoom } }, h("span", {}, t("Zoom")), name ? null : kbd("z"));
  const element = h("figure", { class: "cc-picture" }, picture, failure, caption, larger);
  element.style.setProperty("--cc-ratio", String(width / height));
  // enlarging further blurs what realism is judged by
  element.style.setProperty("--cc-picture-width", `max(${2 * width}px, 720px)`);
  new ZoomPan(element, picture, { pixels: width, onTap, onLarger: finer(picture, image) });
  return { element, loaded };
}

/** A function that, called the first time, loads the original and shows it in the place of the small file. */
function finer(picture, image) {
  let original = null;
  return () => {
    if (original) return;
    original = new Image();
    original.addEventListener("load", () => {
      picture.src = image;
    });
    original.src = image;
  };
}
