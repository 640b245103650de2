// The picture to judge, or the pictures of an item of several, each with its name; where one does not load, the form says so.

import { button, h } from "../dom.js";
import { t } from "../texts.js";
import { IN_FORM, thumbnail } from "../thumbnails.js";

/** What the picture at a place is called, as the questions do: by its side or by its number; a single one has no name. */
export function pictureName(place, { images, questionnaire }) {
  if (images.length === 1) return "";
  const hasSides = questionnaire.questions.some(({ options }) => options.some(({ value }) => value === "left"));
  return hasSides ? [t("Left"), t("Right")][place] : t("Image {n}", { n: place + 1 });
}

/** Whether the picture stands above the questions, not beside them; as form.css says it. */
export const isStacked = () => window.matchMedia("(width < 560px), (width < 900px) and (aspect-ratio < 5/4)").matches;

/** A picture as the form shows it: small enough for a slow line. Enlarged it is the original (`image`). */
export const onScreen = (image) => thumbnail(image, IN_FORM);

export class Pictures {
  /** The task's `images` are {image, width, height}; `onZoom(place)` and `onChoose(place)` tell what was clicked; `onReport()`, if there is
   *  one, is offered where a picture does not load. */
  constructor(task, { onZoom, onChoose, onReport }) {
    const { images } = task;
    const several = images.length > 1;
    const onClick = several ? onChoose : onZoom;
    const made = images.map((one, place) => figure(one, pictureName(place, task), { onClick: () => onClick(place), onReport }));
    this.figures = made.map(({ element }) => element);
    this.loaded = Promise.all(made.map(({ loaded }) => loaded));
    const zoom = button(t("Zoom"), { key: "z", class: `cc-button cc-button--floating${several ? " cc-pictures__zoom" : ""}` }, () => onZoom(this.active ?? 0));
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
    this.figures.forEach((one, k) => {
      one.classList.toggle("is-active", k === place);
      one.classList.toggle("is-aside", place !== null && k !== place);
    });
    if (isStacked() && place !== null) this.figures[place].scrollIntoView({ block: "nearest", inline: "center", behavior: "auto" });
  }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const columns = (n) => (n <= 4 ? 2 : 3);

/** {element, loaded}: a promise that waits for "load again", too. */
function figure({ image, width, height }, name, { onClick, onReport }) {
  const alt = name ? t("{name}: a picture to judge", { name }) : t("The picture to judge");
  const picture = h("img", { class: "cc-picture__image", alt, width, height, draggable: "false" });
  picture.style.setProperty("--cc-picture-width", `max(${2 * width}px, 480px)`);
  const failure = h("p", { class: "cc-picture__failure", role: "alert", hidden: true });
  const load = (again) => {
    failure.hidden = true;
    picture.src = again ? `${onScreen(image)}#${Date.now()}` : onScreen(image);
  };
  picture.addEventListener("error", () => {
    failure.hidden = false;
  });
  picture.addEventListener("click", onClick);
  const again = button(t("Load again"), { kind: "primary" }, () => load(true));
  const report = onReport ? button(t("Report"), { key: "!" }, onReport) : null;
  const ways = h("span", { class: "cc-row" }, again, report);
  failure.append(h("span", {}, t("The picture did not load, so it cannot be judged.")), ways);
  const arrived = new Promise((resolve) => picture.addEventListener("load", resolve, { once: true }));
  // a picture that has arrived is not drawn before it is decoded
  const loaded = arrived.then(() => picture.decode().catch(() => {}));
  load(false);
  const caption = name ? h("figcaption", { class: "cc-picture__name" }, name) : null;
  return { element: h("figure", { class: "cc-picture" }, picture, failure, caption), loaded };
}
