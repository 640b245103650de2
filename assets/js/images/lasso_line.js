// A line drawn by hand, made short enough for an address.

const MOST = 60;
const DIGITS = 1; // the map is 100 wide

/** At most MOST corners of [x, y], those that matter most (Ramer, Douglas and Peucker). */
export function simplified(points, most = MOST) {
  let kept = points;
  for (let apart = 0.05; kept.length > most; apart *= 1.5) kept = thinned(points, apart);
  return kept;
}

/** As an address has it: "x,y;x,y". */
export function written(points) {
  const texts = points.map((point) => point.map((value) => Number(value.toFixed(DIGITS)) + 0).join(","));
  return texts.filter((text, n) => text !== texts[n - 1]).join(";");
}

function thinned(points, apart) {
  const keep = new Set([0, points.length - 1]);
  const stack = [[0, points.length - 1]];
  while (stack.length) {
    const [first, last] = stack.pop();
    let far = 0, place = -1;
    for (let n = first + 1; n < last; n += 1) {
      const away = distance(points[n], points[first], points[last]);
      if (away > far) [far, place] = [away, n];
    }
    if (far > apart) {
      keep.add(place);
      stack.push([first, place], [place, last]);
    }
  }
  return points.filter((_, n) => keep.has(n));
}

/** From a point to the stretch between two others. */
function distance([x, y], [x0, y0], [x1, y1]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const along = length ? Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
  return Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
}
