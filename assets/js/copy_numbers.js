// A button "Copy numbers" at every table and every figure of the studio: tab-separated values with a header, for a spreadsheet.
//
// Gradio draws and redraws both, so the buttons are put where they are missing whenever the page has changed.

import { button, h } from "./dom.js";

const TABLE = "table.cc-table";
const FIGURE = ".js-plotly-plot";
const SHOWN_MS = 2000;
const RISKY = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** One cell: no tabs or line breaks, and nothing that a spreadsheet would compute (as data/tables.py has it). */
function cell(value) {
  const text = String(value ?? "").replace(/\s+/g, " ").trim();
  return RISKY.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const lines = (rows) => rows.map((row) => row.map(cell).join("\t")).join("\n") + "\n";

/** A table's cells as they are shown; a cell that spans several leaves the others empty. */
export function fromTable(table) {
  const shown = (one) => [...one.childNodes].map((node) => node.textContent).join(" ");
  return lines([...table.rows].map((row) => [...row.cells].flatMap((one) => [shown(one), ...Array(Math.max(one.colSpan - 1, 0)).fill("")])));
}

const plain = (text) => new DOMParser().parseFromString(String(text ?? "").replace(/<br\s*\/?>/gi, " "), "text/html").body.textContent;
const at = (list, n) => (Array.isArray(list) || ArrayBuffer.isView(list) ? list[n] : undefined);

/** A figure's points: a row each, with what it is called and how far its bars go. */
export function fromFigure(figure) {
  const names = { x: title(figure, "xaxis", "x"), y: title(figure, "yaxis", "y") };
  const rows = [["series", "label", names.x, names.y, "low", "high", "z"]];
  for (const trace of figure._fullData ?? figure.data ?? []) {
    if (trace.z) rows.push(...grid(trace));
    else for (let n = 0; n < (trace.x?.length ?? trace.y?.length ?? 0); n += 1) rows.push(point(figure, trace, n));
  }
  const used = rows[0].map((_, k) => k < 4 || rows.slice(1).some((row) => row[k] !== undefined && row[k] !== ""));
  return lines(rows.map((row) => row.filter((_, k) => used[k])));
}

function title(figure, axis, otherwise) {
  const told = figure._fullLayout?.[axis]?.title?.text ?? "";
  return /^Click to enter/.test(told) ? otherwise : plain(told) || otherwise;
}

function point(figure, trace, n) {
  const bars = trace.error_x?.visible ? trace.error_x : trace.error_y?.visible ? trace.error_y : null;
  const value = bars === trace.error_x ? at(trace.x, n) : at(trace.y, n);
  const up = bars && at(bars.array, n);
  const down = bars && (at(bars.arrayminus, n) ?? up);
  const ticks = figure._fullLayout?.yaxis;
  const place = at(trace.y, n);
  const label = at(trace.text, n) ?? at(ticks?.ticktext, [...(ticks?.tickvals ?? [])].indexOf(place));
  const bar = (by) => (bars && Number.isFinite(by) ? value + by : "");
  return [plain(trace.name), plain(label), at(trace.x, n), place, bar(-down), bar(up), ""];
}

function grid(trace) {
  const rows = [];
  trace.z.forEach((line, r) => [...line].forEach((value, c) => rows.push([plain(trace.name), "", at(trace.x, c) ?? c, at(trace.y, r) ?? r, "", "", value])));
  return rows;
}

async function copy(event, read) {
  const pressed = event.currentTarget;
  const text = read();
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard without https, or it was refused
    said = "Downloaded";
    const file = URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" }));
    h("a", { href: file, download: "numbers.tsv" }).click();
    setTimeout(() => URL.revokeObjectURL(file), SHOWN_MS);
  }
  pressed.textContent = said;
  setTimeout(() => (pressed.textContent = "Copy numbers"), SHOWN_MS);
}

function offer(place, of, read) {
  const made = button("Copy numbers", { kind: "quiet", "aria-live": "polite", title: "As tab-separated values, for a spreadsheet" }, (event) => copy(event, read));
  made.classList.add("cc-copy");
  made.copies = of;
  place.after(made);
}

/** Whether the button of this table or figure stands right after its place. */
const has = (place, of) => place.nextElementSibling?.copies === of;

function place() {
  // what was drawn anew is another element: the button of the old one goes
  for (const old of document.querySelectorAll(".cc-copy")) if (!old.copies?.isConnected) old.remove();
  for (const table of document.querySelectorAll(TABLE)) {
    const around = table.closest(".cc-table-wrap") ?? table;
    if (!has(around, table) && table.rows.length > 1) offer(around, table, () => fromTable(table));
  }
  for (const figure of document.querySelectorAll(FIGURE)) {
    if (!has(figure, figure)) offer(figure, figure, () => fromFigure(figure));
  }
}

let waiting = false;
function later() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    place();
  });
}

new MutationObserver(later).observe(document.documentElement, { childList: true, subtree: true });
later();
