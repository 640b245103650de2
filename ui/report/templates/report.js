"use strict";
// Sorts tables by a click on a heading, hides the boxes, and saves the numbers as JSON: all from what is in this file.
const value = (row, n) => {
  const cell = row.cells[n];
  const exact = cell.querySelector("data");
  const text = exact ? exact.value : cell.firstChild ? cell.firstChild.textContent.replaceAll(",", "") : "";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};
const before = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
const sort = (heading) => {
  const table = heading.closest("table");
  const down = heading.getAttribute("aria-sort") !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  const order = rows.map((row) => [value(row, heading.cellIndex), row]);
  order.sort(([a], [b]) => (down ? before(b, a) : before(a, b)));
  table.tBodies[0].append(...order.map(([, row]) => row));
};
for (const heading of document.querySelectorAll("main .table thead th")) {
  heading.tabIndex = 0;
  heading.addEventListener("click", () => sort(heading));
  heading.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      sort(heading);
    }
  });
}
// on paper nothing opens
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
const boxes = document.getElementById("boxes");
if (boxes) boxes.addEventListener("change", () => document.body.classList.toggle("no-boxes", !boxes.checked));
const save = document.getElementById("save-data");
if (save)
  save.addEventListener("click", async () => {
    const packed = atob(document.getElementById("concord-data").textContent);
    const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await new Response(stream).arrayBuffer()], { type: "application/json" }));
    link.download = "report.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
