// Plane geometry of drawings: y points down, as in SVG.

/** @typedef {[number, number]} Point */

/** @param {number} number */
export const round = (number) => Math.round(number * 100) / 100;
/** @param {number[]} place */
export const point = ([x, y]) => `${round(x)} ${round(y)}`;
/** @type {(one: number[], other: number[]) => number} */
export const apart = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
/** @param {number[][]} points */
export const polygon = (points) => `M${points.map(point).join("L")}Z`;

// The point at a distance from the centre; the angle runs from the right clockwise.
/** @type {(angle: number, far: number) => Point} */
export const around = (angle, far) => [Math.cos(angle) * far, Math.sin(angle) * far];

/**
 * The point at distance `on` from one point towards another, and `aside` to the side.
 * @param {number[]} from
 * @param {number[]} to
 * @param {number} on
 * @param {number} aside
 * @returns {Point}
 */
export function beside([x, y], [u, v], on, aside) {
  const length = apart([x, y], [u, v]) || 1;
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  return [x + dx * on - dy * aside, y + dy * on + dx * aside];
}

// An arc around the centre from one angle to a larger one.
export function arc(from, to, radius) {
  const wide = to - from > Math.PI ? 1 : 0;
  return `M${point(around(from, radius))}A${round(radius)} ${round(radius)} 0 ${wide} 1 ${point(around(to, radius))}`;
}

// The convex polygon around all points, moved outwards by a distance.
/**
 * @param {Point[]} points
 * @param {number} far
 * @returns {Point[]}
 */
export function wideHull(points, far) {
  const corners = hull(points);
  return corners.map((corner, at) => {
    const [before, after] = [corners.at(at - 1), corners[(at + 1) % corners.length]];
    const [one, other] = [[before, corner], [corner, after]].map(([from, to]) => beside([0, 0],
      [to[1] - from[1], from[0] - to[0]], 1, 0)); // Both sides' directions outwards.
    const share = far / (1 + one[0] * other[0] + one[1] * other[1]);
    return [corner[0] + (one[0] + other[0]) * share, corner[1] + (one[1] + other[1]) * share];
  });
}

function hull(points) {
  const sorted = [...points].sort(([x, y], [u, v]) => x - u || y - v);
  const half = (list) => {
    const found = [];
    for (const one of list) {
      while (found.length > 1 && turn(found.at(-2), found.at(-1), one) <= 0.01) found.pop();
      found.push(one);
    }
    return found.slice(0, -1);
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}

// Above 0 where the way turns to the right (y points down).
const turn = ([x, y], [u, v], [p, q]) => (u - x) * (q - v) - (v - y) * (p - u);
