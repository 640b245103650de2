// How the classes of a map's points look: each has a colour and a shape, so that they are told apart without colour, too.

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f6bd6", "#b5651d", "#3f7f3f", "#c2385a", "#7a8a00", "#5b6f8f"];
const VERDICTS = { yes: 0, no: 1, tie: 4, failed: 8 };
const NOBODY = "none";
const GREY = "#9aa1ae";
// Viridis, from the lowest score to the highest
const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
// shapes around 0, about 2 wide
const CIRCLE = "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z";
const SHAPES = [
  CIRCLE,
  "M0-1.3 1.3 0 0 1.3-1.3 0Z",
  "M-.9-.9H.9V.9H-.9Z",
  "M0-1.2 1.15.9H-1.15Z",
  "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
  "M0 1.2 1.15-.9H-1.15Z",
  "M0-1.15 1.1-.36.68.93H-.68L-1.1-.36Z",
  "M0-1.3.35-.4 1.25-.4.55.2.8 1.1 0 .55-.8 1.1-.55.2-1.25-.4-.35-.4Z",
  "M-1-.5-.5-1 0-.5.5-1 1-.5.5 0 1 .5.5 1 0 .5-.5 1-1 .5-.5 0Z",
  "M-.55-1H.55L1.1 0 .55 1H-.55L-1.1 0Z",
];

/** {color, shape (the data of a path), hollow} of the k-th class; nobody's word and what has no class of its own are hollow. */
export function markOf({ value, rest }, k, bySpeaker) {
  if (rest || value === NOBODY) return { color: GREY, shape: CIRCLE, hollow: true };
  const n = bySpeaker ? (VERDICTS[value] ?? k) : k;
  return { color: COLORS[n % COLORS.length], shape: SHAPES[n % SHAPES.length], hollow: false };
}

/** The mark of a score; null: there is none. */
export function markOfScore(score, low, high) {
  if (score === null) return { color: GREY, shape: CIRCLE, hollow: true };
  const at = (high > low ? (score - low) / (high - low) : 0.5) * (SCALE.length - 1);
  const from = Math.min(SCALE.length - 2, Math.floor(at));
  const color = SCALE[from].map((part, k) => Math.round(part + (at - from) * (SCALE[from + 1][k] - part)));
  return { color: `rgb(${color})`, shape: CIRCLE, hollow: false };
}

/** The scale of scores as a background. */
export const SCALE_IMAGE = `linear-gradient(90deg, ${SCALE.map((color) => `rgb(${color})`).join(", ")})`;
