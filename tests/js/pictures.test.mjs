// How pictures share a space: as large as they can be.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { bestGrid } from "../../assets/js/form/pictures.js";

test("as many columns as make the pictures largest", () => {
  assert.deepEqual(bestGrid(5, 1, { width: 1232, height: 260 }), { columns: 5, cell: 240 });
  assert.deepEqual(bestGrid(5, 1, { width: 600, height: 600 }), { columns: 2, cell: 194 });
  assert.deepEqual(bestGrid(2, 1, { width: 358, height: 500 }), { columns: 1, cell: 246 });
});

test("left and right stand side by side, however narrow the screen", () => {
  assert.deepEqual(bestGrid(2, 1, { width: 358, height: 500 }, 2), { columns: 2, cell: 175 });
});
