// Moves as arrows on the board's drawing: from rim to rim, hiding no piece. For sighted people only: the words beside the
// drawing say the same.
import { svg } from "./pieces.js";
import { TILE, trail } from "./tiles.js";

const SHAPES = { made: { shaft: 3, head: 8, half: 5.5 }, asked: { shaft: 4.6, head: 11, half: 7.4 } };
const CASE = 3; // Width added for an arrow's outline in the board's colour, which sets it off from lights and lines.
const GAP = 1.6; // Between a stone and an arrow, for the outline.
const RIMS = { empty: 12.4, stone: 13.4, stack: 15 }; // Radius of a node's drawing.
const round = (number) => Math.round(number * 100) / 100;
const point = ([x, y]) => `${round(x)} ${round(y)}`;

const apart = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
const spot = ({ x, y }) => [x, y];

// Return the arrows' SVG elements. `board` is the drawing, `lying` maps nodes to their pieces.
export function arrowShapes(board, arrows, lying) {
  return arrows.flatMap(({ kind, nodes }) => {
    const shape = Object.fromEntries(Object.entries(SHAPES[kind]).map(([name, size]) => [name, size * board.scale]));
    const found = board.ways && nodes.length > 2 ? along(board, nodes, lying, shape) : through(board, nodes, lying, shape);
    return found ? [drawn(kind, nodes, shape, found, board.scale)] : [];
  });
}

function drawn(kind, nodes, { shaft, head, half }, { d, base, tip }, scale) {
  const narrow = apart(base, tip) < head - 0.01;
  const thick = narrow ? shaft / scale : 0; // Stroke width of the head.
  const end = narrow ? chevron(base, tip, thick, RIMS.stone * scale) : triangle(base, tip, half);
  const path = (line, kind, width) => svg("path", { d: line, class: kind, "stroke-width": round(width) });
  return svg("g", { class: `arrow ${kind}`, "data-way": nodes.join(" "), "data-tip": point(tip) },
    path(d, "case", shaft + CASE), path(end, "case", thick + CASE), path(d, "shaft", shaft), path(end, narrow ? "shaft" : "head", thick));
}

function triangle(base, tip, half) {
  const [side, other] = [half, -half].map((far) => beside(base, tip, 0, far));
  return `M${point(tip)}L${point(side)}L${point(other)}Z`;
}

// A head where two rims leave little room: two strokes from the tip back around the rim.
function chevron(base, tip, thick, rim) {
  const out = (rim + thick / 2 + GAP) * Math.SQRT1_2;
  const peak = beside(tip, base, thick * 0.6, 0);
  const [side, other] = [out, -out].map((far) => beside(base, tip, out - rim, far));
  return `M${point(side)}L${point(peak)}L${point(other)}`;
}

// The point at distance `on` from one point towards another, and `aside` to the side.
function beside([x, y], [u, v], on, aside) {
  const length = apart([x, y], [u, v]) || 1;
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  return [x + dx * on - dy * aside, y + dy * on + dx * aside];
}

// Straight from node to node, interrupted at every node: a long arrow passes behind the pieces between its ends.
function through({ places, scale }, nodes, lying, { head }) {
  const rims = Object.values(places).filter((place) => !place.well || nodes.includes(place.name)).map((place) => [place, rim(place, lying, scale)]);
  const seen = nodes.slice(1).flatMap((to, at) => open(spot(places[nodes[at]]), spot(places[to]), rims));
  if (!seen.length) return null;
  const [begin, tip] = seen.pop();
  const base = apart(begin, tip) > head + 1 ? beside(tip, begin, head, 0) : begin;
  if (base !== begin) seen.push([begin, base]);
  return { d: seen.map(([from, to]) => `M${point(from)}L${point(to)}`).join(""), base, tip };
}

function rim(place, lying, scale) {
  if (place.well) return 20;
  const count = lying[place.name]?.length ?? 0;
  return count ? (count > 1 ? RIMS.stack : RIMS.stone) * scale + GAP : RIMS.empty * scale;
}

// The parts of a straight line outside all nodes' rims.
function open(from, to, rims) {
  const length = apart(from, to);
  const [dx, dy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const shut = rims.map(([{ x, y }, reach]) => {
    const far = (x - from[0]) * dx + (y - from[1]) * dy;
    const half = Math.sqrt(Math.max(0, reach ** 2 - ((x - from[0]) * dy - (y - from[1]) * dx) ** 2));
    return [far - half, far + half];
  }).filter(([one, other]) => other > one && other > 0 && one < length).sort(([one], [other]) => one - other);
  const found = [];
  let at = 0;
  for (const [one, other] of [...shut, [length, length]]) {
    if (one - at > 1) found.push([at, one]);
    at = Math.max(at, other);
  }
  return found.map((ends) => ends.map((far) => [from[0] + dx * far, from[1] + dy * far]));
}

// Along a line over tiles, if they still lie as they did; the head is where the line leaves the last tile.
function along({ ways, unit, scale }, nodes, lying, { head }) {
  const line = ways.along(nodes, lying);
  if (!line?.end) return null;
  const at = ([x, y]) => [x * unit, -y * unit];
  const [first, last] = [line.legs[0], line.legs.at(-1)];
  const reach = (node) => rim({ name: node }, lying, scale) / unit;
  const begin = beside(ways.layout.nodes[nodes[0]], ways.middle(first.well, first.enter), reach(nodes[0]), 0);
  const tip = at(beside(ways.layout.nodes[line.end], ways.middle(last.well, last.leave), reach(line.end), 0));
  const base = beside(tip, at(ways.middle(last.well, last.leave, TILE / 2)), head, 0);
  return { d: trail(ways, { ...line, end: null }, unit, begin), base, tip };
}
