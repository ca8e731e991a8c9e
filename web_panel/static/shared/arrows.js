// Moves as arrows: from rim to rim, hiding no piece. For sighted people only: words beside the drawing say the same.
import { svg } from "./elements.js";
import { apart, arc, around, beside, point, round } from "./geometry.js";
import { STONE } from "./pieces.js";
import { TILE, trail } from "./tiles.js";

const ARROWS = { made: { shaft: 2.4, head: 10, half: 5.3 }, asked: { shaft: 4.4, head: 12, half: 7.4 } };
const CASE = 3.2; // Width added for an arrow's outline in the board's colour, which sets it off from lights and lines.
const GAP = 1.6; // Between a stone and an arrow, for the outline.
const BEGUN = 2.4; // From an empty place to the dashed ring where a move began.
const spot = ({ x, y }) => [x, y];

// Return the arrows' SVG elements. `board` is the drawing, `lying` maps nodes to their pieces.
export function arrowShapes(board, arrows, lying) {
  return arrows.flatMap(({ kind, nodes }) => {
    const shape = ARROWS[kind];
    const course = board.ways && nodes.length > 2 ? overTiles : curved(board, nodes, lying) ? bent : straight;
    const found = course(board, nodes, lying, shape);
    const begun = kind === "made" && !lying[nodes[0]]?.length ? [begin(board, nodes[0])] : [];
    return found ? [...begun, arrowShape(kind, nodes, shape, found, board.style.times * STONE)] : begun;
  });
}

// The ring where a stone lay before it moved.
function begin({ places, style }, node) {
  const { x, y } = places[node];
  return svg("circle", { cx: x, cy: y, r: begunRim(style) - 1.2, class: "was" });
}

const begunRim = ({ empty }) => Math.max(empty, 6) + BEGUN + 1;

function arrowShape(kind, nodes, { shaft, head, half }, { d, base, tip }, stone) {
  const narrow = apart(base, tip) < head - 0.01;
  const thick = narrow ? shaft : 0; // Stroke width of the head.
  const end = narrow ? chevron(base, tip, thick, stone) : pointed(base, tip, half);
  const path = (line, kind, width) => svg("path", { d: line, class: kind, "stroke-width": round(width) });
  return svg("g", { class: `arrow ${kind}`, "data-way": nodes.join(" "), "data-tip": point(tip) },
    path(d, "case", shaft + CASE), path(end, "case", thick + CASE), path(d, "shaft", shaft),
    path(end, narrow ? "shaft" : "tip", thick));
}

function pointed(base, tip, half) {
  const [side, other] = [half, -half].map((far) => beside(base, tip, -1.4, far));
  const notch = beside(base, tip, 2, 0);
  return `M${point(tip)}L${point(side)}L${point(notch)}L${point(other)}Z`;
}

// A head where two rims leave little room: two strokes from the tip back around the rim.
function chevron(base, tip, thick, rim) {
  const out = (rim + thick / 2 + GAP) * Math.SQRT1_2;
  const peak = beside(tip, base, thick * 0.6, 0);
  const [side, other] = [out, -out].map((far) => beside(base, tip, out - rim, far));
  return `M${point(side)}L${point(peak)}L${point(other)}`;
}

// Whether two nodes are neighbours on one printed circle, with no other node between them.
function curved({ places, rings = [] }, nodes, _lying) {
  if (nodes.length !== 2) return false;
  const [from, to] = nodes.map((node) => places[node]);
  const far = Math.hypot(from.x, from.y);
  if (Math.abs(far - Math.hypot(to.x, to.y)) > 0.5 || !rings.some((ring) => Math.abs(ring - far) < 0.5)) return false;
  const same = Object.values(places).filter(({ x, y }) => Math.abs(Math.hypot(x, y) - far) < 0.5);
  return Math.abs(swing(from, to)) < (2 * Math.PI) / same.length + 0.05;
}

// By how much a circle turns from one node to the other, the shorter way.
function swing(from, to) {
  const turn = Math.atan2(to.y, to.x) - Math.atan2(from.y, from.x);
  return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
}

// Along the circle on which both nodes lie.
function bent(board, nodes, lying, { head }) {
  const [from, to] = nodes.map((node) => board.places[node]);
  const far = Math.hypot(from.x, from.y);
  const way = swing(from, to);
  const sign = Math.sign(way);
  const start = Math.atan2(from.y, from.x);
  // The chord, not the arc, keeps clear of a round piece.
  const clear = (place) => 2 * Math.asin(rim(board, place, lying) / (2 * far));
  const [first, last] = [start + sign * clear(from), start + way - sign * clear(to)];
  if ((last - first) * sign * far < 2) return null;
  const reach = 2 * Math.asin(Math.min(1, head / (2 * far)));
  const back = last - sign * reach;
  const narrow = (back - first) * sign * far < 1;
  const end = narrow ? last : back;
  const [low, high] = sign > 0 ? [first, end] : [end, first];
  const d = sign > 0 ? arc(low, high, far)
    : `M${point(around(first, far))}A${round(far)} ${round(far)} 0 0 0 ${point(around(end, far))}`;
  return { d, base: around(narrow ? first : back, far), tip: around(last, far) };
}

// Straight from node to node, interrupted at every node: a long arrow passes behind the pieces between its ends.
function straight(board, nodes, lying, { head }) {
  const { places } = board;
  const between = Object.values(places).filter((place) => !place.well || nodes.includes(place.name));
  const rims = between.map((place) => [place, rim(board, place, lying)]);
  const [start, next] = nodes.map((node) => rims.find(([place]) => place.name === node));
  const room = apart(spot(start[0]), spot(next[0])) - next[1];
  // Where rims leave too little of it, an arrow from an empty place begins in that.
  if (room > head && room - start[1] < head + 1 && !lying[nodes[0]]?.length && !start[0].well) start[1] = 0;
  const seen = nodes.slice(1).flatMap((to, at) => visibleParts(spot(places[nodes[at]]), spot(places[to]), rims));
  if (!seen.length) return null;
  const [begin, tip] = seen.pop();
  const base = apart(begin, tip) > head + 1 ? beside(tip, begin, head, 0) : begin;
  if (base !== begin) seen.push([begin, base]);
  return { d: seen.map(([from, to]) => `M${point(from)}L${point(to)}`).join(""), base, tip };
}

function rim({ style }, place, lying) {
  if (place.well) return 20;
  const count = lying[place.name]?.length ?? 0;
  return count ? (STONE + (count > 1 ? 2.6 : 0.6)) * style.times + GAP : begunRim(style);
}

// The parts of a straight line outside all nodes' rims.
function visibleParts(from, to, rims) {
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
function overTiles(board, nodes, lying, { head }) {
  const { ways, style: { unit } } = board;
  const line = ways.along(nodes, lying);
  if (!line?.end) return null;
  const at = ([x, y]) => [x * unit, -y * unit];
  const [first, last] = [line.legs[0], line.legs.at(-1)];
  const reach = (node) => rim(board, { name: node }, lying) / unit;
  const begin = beside(ways.layout.nodes[nodes[0]], ways.middle(first.well, first.enter), reach(nodes[0]), 0);
  const tip = at(beside(ways.layout.nodes[line.end], ways.middle(last.well, last.leave), reach(line.end), 0));
  const base = beside(tip, at(ways.middle(last.well, last.leave, TILE / 2)), head, 0);
  return { d: trail(ways, { ...line, end: null }, unit, begin), base, tip };
}

