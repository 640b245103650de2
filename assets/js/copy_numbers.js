// Copy as CSV, Markdown or LaTeX at every table of Studio; an SVG or a PNG at every figure.
//
// Gradio draws and redraws both, so the buttons are put where they are missing whenever the page has changed.

import { button, h } from "./dom.js";

const TABLE = "table.cc-table:not(.cc-fits), table.cc-board, table.cc-leaderboard, table.cc-crowd, table.cc-trust-table, table.cc-trust-matrix";
const FIGURE = ".cc-place svg:is([role=img], [role=group])";
const SHOWN_MS = 2000;
const RISKY = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INTERVAL = /(?:^|interval )([+-]?[\d.]+) to ([+-]?[\d.]+)/;

const clean = (value) => String(value ?? "").replace(/\s+/g, " ").trim();

/** One cell as CSV: quoted where it must be, and nothing that a spreadsheet would compute (as data/tables.py has it). */
function csvCell(value) {
  const text = clean(value);
  const safe = RISKY.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";

/** A table as rows of cells: what each says, its 95 % interval if it has one, and whether it is a number. */
function cellsOf(table) {
  const read = (one) => {
    const detail = one.querySelector(".cc-detail")?.textContent ?? "";
    const bounds = INTERVAL.exec(detail) ?? INTERVAL.exec(one.title);
    const whole = clean([...one.childNodes].filter((node) => node.ariaHidden !== "true").map((node) => node.textContent).join(" "));
    const text = bounds && detail ? clean(whole.replace(clean(detail), "")) : whole;
    return { text, whole, bounds: bounds && bounds.slice(1, 3), value: NUMBER.test(text) ? Number(text) : null };
  };
  const blank = { text: "", whole: "", bounds: null, value: null };
  return [...table.rows].map((row) => [...row.cells].flatMap((one) => [read(one), ...Array(Math.max(one.colSpan - 1, 0)).fill(blank)]));
}

/** Of each column that has intervals the highest value; a single one is not the best of anything. */
function bestOf(rows) {
  return (rows[0] ?? []).map((_, k) => {
    const values = rows.map((row) => row[k]).filter((cell) => cell?.bounds && cell.value !== null).map((cell) => cell.value);
    return values.length > 1 ? Math.max(...values) : null;
  });
}

const MARKDOWN = {
  escape: (text) => text.replaceAll("|", "\\|"),
  bold: (text) => `**${text}**`,
  interval: ([low, high]) => ` [${low}, ${high}]`,
};
const LATEX = {
  escape: (text) => text.replace(/[\\{}&%$#_~^]/g, (sign) => ({ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" })[sign] ?? `\\${sign}`),
  bold: (text) => `\\textbf{${text}}`,
  interval: ([low, high]) => ` {\\scriptsize [${low}, ${high}]}`,
};

function printed(rows, style) {
  const best = bestOf(rows);
  return rows.map((row) =>
    row.map((cell, k) => {
      const text = style.escape(cell.text);
      return (cell.bounds && cell.value === best[k] ? style.bold(text) : text) + (cell.bounds ? style.interval(cell.bounds) : "");
    }),
  );
}

/** A table's cells as they are shown; a cell that spans several leaves the others empty. */
export function asCsv(table) {
  return csv(cellsOf(table).map((row) => row.map((cell) => cell.whole)));
}

export function asMarkdown(table) {
  const [first, ...rest] = printed(cellsOf(table), MARKDOWN).map((row) => `| ${row.join(" | ")} |`);
  return [first, `|${" --- |".repeat(cellsOf(table)[0].length)}`, ...rest].join("\n") + "\n";
}

/** A float with booktabs; the caption says how the intervals are made and where the numbers come from. */
export function asLatex(table) {
  const [first, ...rest] = printed(cellsOf(table), LATEX).map((row) => `    ${row.join(" & ")} \\\\`);
  const caption = LATEX.escape(clean(table.caption?.textContent ?? "Numbers"));
  return [
    "\\begin{table}",
    "  \\centering",
    `  \\caption{${caption}. In brackets: 95\\,\\% intervals by prompt.}`,
    `  \\begin{tabular}{l${"r".repeat(Math.max(cellsOf(table)[0].length - 1, 0))}}`,
    "    \\toprule",
    first,
    "    \\midrule",
    ...rest,
    "    \\bottomrule",
    "  \\end{tabular}",
    "\\end{table}",
  ].join("\n") + "\n";
}

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor", "dominant-baseline", "display"];

/** A figure as a file of its own: its look comes from style sheets, which do not go along. */
function svgOf(figure) {
  const alone = figure.cloneNode(true);
  const copies = [alone, ...alone.querySelectorAll("*")];
  [figure, ...figure.querySelectorAll("*")].forEach((element, n) => {
    const style = getComputedStyle(element);
    for (const name of LOOK) copies[n].style.setProperty(name, style.getPropertyValue(name));
  });
  const { width, height } = figure.getBoundingClientRect();
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height, "font-family": "sans-serif" })) alone.setAttribute(name, value);
  return new XMLSerializer().serializeToString(alone);
}

async function pngOf(figure) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(figure))}`;
  await image.decode();
  const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(blob, name) {
  const file = URL.createObjectURL(blob);
  h("a", { href: file, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(file), SHOWN_MS);
}

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    // no clipboard without https, or it was refused
    save(new Blob([text], { type: "text/plain" }), name);
    return "Downloaded";
  }
}

const TABLE_FORMATS = {
  CSV: (table) => copy(asCsv(table), "numbers.csv"),
  Markdown: (table) => copy(asMarkdown(table), "numbers.md"),
  LaTeX: (table) => copy(asLatex(table), "numbers.tex"),
};
const FIGURE_FORMATS = {
  SVG: async (figure) => (save(new Blob([svgOf(figure)], { type: "image/svg+xml" }), "figure.svg"), "Downloaded"),
  PNG: async (figure) => (save(await pngOf(figure), "figure.png"), "Downloaded"),
};

function offer(after, of, formats, label) {
  const buttons = Object.entries(formats).map(([name, run]) =>
    button(name, { kind: "quiet", "aria-label": `${label} as ${name}`, "aria-live": "polite" }, async (event) => {
      const pressed = event.currentTarget;
      pressed.textContent = await run(of);
      setTimeout(() => (pressed.textContent = name), SHOWN_MS);
    }),
  );
  const made = h("div", { class: "cc-copy" }, h("span", {}, label), ...buttons);
  made.copies = of;
  after.after(made);
}

/** Whether the buttons of this table or figure stand right after it. */
const has = (element, of) => element.nextElementSibling?.copies === of;

function offerAll() {
  // what was drawn anew is another element: the buttons of the old one go
  for (const old of document.querySelectorAll(".cc-copy")) if (!old.copies?.isConnected) old.remove();
  for (const table of document.querySelectorAll(TABLE)) {
    const around = table.closest(".cc-table-wrap") ?? table;
    if (!has(around, table) && table.rows.length > 1) offer(around, table, TABLE_FORMATS, "Copy table");
  }
  for (const figure of document.querySelectorAll(FIGURE)) {
    if (!has(figure, figure)) offer(figure, figure, FIGURE_FORMATS, "Download figure");
  }
}

let waiting = false;
function later() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    offerAll();
  });
}

new MutationObserver(later).observe(document.documentElement, { childList: true, subtree: true });
later();
