// Which places of a long list have elements, and that all of it can be reached.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, scaled } from "../../assets/js/images/virtual_list.js";

const WINDOW = 800;

/** The places of which a pixel is in the window. */
function inWindow({ count, columns, rowHeight }, real) {
  const first = Math.floor(real / rowHeight) * columns;
  const last = Math.min(count - 1, Math.ceil((real + WINDOW) / rowHeight) * columns - 1);
  return { first, last };
}

test("all that is in the window has an element, wherever one has scrolled, and few others have", () => {
  for (const list of [{ count: 7, columns: 4, rowHeight: 200 }, { count: 20_000, columns: 4, rowHeight: 200 }, { count: 1001, columns: 1, rowHeight: 33.3 }]) {
    const height = Math.ceil(list.count / list.columns) * list.rowHeight;
    for (let part = 0; part <= 1; part += 0.01) {
      const { real } = scaled(height, WINDOW, part * Math.max(0, height - WINDOW));
      const near = nearby(list, real, WINDOW);
      const seen = inWindow(list, real);
      assert.ok(near.first <= seen.first && near.last >= seen.last, `${part} of ${list.count}`);
      assert.ok(near.last - near.first < (WINDOW / list.rowHeight) * 4 * list.columns + 3 * list.columns);
    }
  }
});

test("a list that is no higher than a browser allows scrolls pixel by pixel", () => {
  assert.deepEqual(scaled(5_000, WINDOW, 1_234), { height: 5_000, shown: 5_000, scroll: 1_234, ratio: 1, real: 1_234 });
});

test("of millions of items the last can be reached, and the first", () => {
  const list = { count: 10_000_000, columns: 4, rowHeight: 200 };
  const height = (list.count / list.columns) * list.rowHeight;
  const { shown } = scaled(height, WINDOW, 0);
  assert.ok(shown < 16_000_000);
  assert.equal(nearby(list, scaled(height, WINDOW, 0).real, WINDOW).first, 0);
  const end = scaled(height, WINDOW, shown - WINDOW);
  assert.equal(end.real, height - WINDOW);
  assert.equal(nearby(list, end.real, WINDOW).last, list.count - 1);
});

test("an empty list has no places", () => {
  assert.deepEqual(nearby({ count: 0, columns: 3, rowHeight: 100 }, 0, WINDOW), { first: 0, last: -1 });
});
