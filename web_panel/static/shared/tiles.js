// Tiles and the wells that hold them, with the lines on both.
import { svg } from "./elements.js";
import { point, round } from "./geometry.js";
import { direction } from "./lines.js";
import { shade } from "./pieces.js";

export const TILE = 0.46; // From a tile's centre to its edge, in distances of neighbouring wells.
// Control points of a line's curve, as parts of the tile's size, by the distance of its ends in eighths.
const BEND = [0, 0.55, 0.42, 0.3, 0.33];

// The point at distance `far` from the centre through the middle of an edge; y points down, as in SVG.
function out(edge, far) {
  const [x, y] = direction(edge);
  return [x * far, -y * far];
}

// The path of an octagon standing on an edge; `size` is the distance of its edges from the centre.
export function octagon(size) {
  return `M${[...Array(8).keys()].map((edge) => point(out(edge + 0.5, size / Math.cos(Math.PI / 8)))).join("L")}Z`;
}

function bend(one, other, size, [x, y] = [0, 0]) {
  const apart = Math.min((one - other + 8) % 8, (other - one + 8) % 8);
  const at = (edge, far) => { const [dx, dy] = out(edge, far); return point([x + dx, y + dy]); };
  return `C${at(one, size * BEND[apart])} ${at(other, size * BEND[apart])} ${at(other, size)}`;
}

const PART = 0.945; // Of a well's size: a dark slit parts tiles from each other.

// A tile: each line has a rim in the tile's colour, so that a line crosses another like a bridge.
export function tileShapes(name, lines, turn, well) {
  const size = well * PART;
  const body = (attributes) => svg("path", { d: octagon(size), ...attributes });
  const shapes = [body({ class: "tile-shadow", transform: "translate(1.2 2.6)" }), body({ class: "tile" })];
  for (const line of lines) {
    const [one, other] = line.map((end) => (end + turn) % 8);
    const d = `M${point(out(one, size))}${bend(one, other, size)}`;
    const along = (kind, width) => svg("path", { d, class: kind, "stroke-width": round(size * width) });
    shapes.push(along("tile-rim", 0.25), along("track", 0.145), along("track-light", 0.035));
  }
  // Rims cover the tile's edge, which is drawn again.
  shapes.push(body({ fill: "url(#ivory)", opacity: 0.55 }), body({ class: "tile-edge" }),
    corner(name, turn - 0.5, size, "tile-number"));
  return shapes;
}

// A tile as it is seen in a small picture: its body and the course of its lines.
export function plainTile(lines, turn, well) {
  const size = well * PART;
  const d = lines.map((line) => {
    const [one, other] = line.map((end) => (end + turn) % 8);
    return `M${point(out(one, size))}${bend(one, other, size)}`;
  }).join("");
  const track = svg("path", { d, class: "track", "stroke-width": size * 0.16 });
  return [svg("path", { d: octagon(size), class: "tile" }), track,
    svg("path", { d: octagon(size), class: "tile-edge" })];
}

// A short text in a corner; a tile's number turns with the tile.
export function corner(words, at, size, kind) {
  const [x, y] = out(at, size * 0.82);
  return svg("text", { x: round(x), y: round(y + size * 0.09), class: kind, "font-size": round(size * 0.32) }, words);
}

// A single tile, for a card or a button with words beside it.
export function tilePicture(name, lines, turn = 0) {
  shade();
  return svg("svg", { viewBox: "-31 -31 62 62", class: "tile-picture", "aria-hidden": "true" },
    ...tileShapes(name, lines, turn, 29.6));
}

// The lines printed between wells: every edge leads to a neighbour, along a path, or to a node.
export function printedPaths(ways, unit) {
  const at = ([x, y]) => point([x * unit, -y * unit]);
  const drawn = [];
  for (const [key, { node }] of ways.beyond) {
    const [well, edge] = key.split(" ");
    const end = node ? ways.layout.nodes[node] : ways.middle(well, Number(edge));
    drawn.push(`M${at(ways.middle(well, Number(edge), TILE - 0.02))}L${at(end)}`);
  }
  for (const path of ways.layout.paths) drawn.push(`M${path.map(at).join("L")}`);
  return svg("path", { d: drawn.join(""), class: "printed" });
}

// The path of a line over the board from node to node, or from `begin` near its first node.
export function trail(ways, line, unit, begin = ways.layout.nodes[line.nodes[0]]) {
  const at = ([x, y]) => point([x * unit, -y * unit]);
  let d = `M${at(begin)}`;
  for (const { well, enter, leave } of line.legs) {
    const [x, y] = ways.layout.nodes[well];
    d += `L${at(ways.middle(well, enter))}L${at(ways.middle(well, enter, TILE))}`;
    d += `${bend(enter, leave, TILE * unit, [x * unit, -y * unit])}L${at(ways.middle(well, leave))}`;
    const points = ways.beyond.get(`${well} ${leave}`)?.points;
    if (points) d += `L${points.map(at).join("L")}`;
  }
  return line.end ? `${d}L${at(ways.layout.nodes[line.end])}` : d;
}

