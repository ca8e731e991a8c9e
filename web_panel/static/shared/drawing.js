// The one drawing of a board, for every page: phones, the big screen, replays, puzzles, rules, and the virtual board.
//
// A page describes what is to be seen as plain data, a scene, and calls `show`; the drawing changes what has changed.
// It knows no rules and takes no taps: board.js adds nodes to pick, the virtual board adds hands. What looks how is in
// board.css, by class; here are shapes and places alone. The view that the table sends is a scene.
import { byId, element, svg } from "./elements.js";
import { direction, tileOf, Ways } from "./lines.js";
import { slide } from "./motion.js";
import { listOf, say } from "./words.js";

/**
 * @typedef {[number, number]} Point A place in the layout (y up, neighbours 1 apart) or on the drawing (y down).
 *
 * @typedef {object} Layout
 * @property {Record<string, Point>} nodes Where each node is, by its name.
 * @property {number[]} circles Radii of printed circles.
 * @property {[string, string][]} lines Printed lines, each between two nodes.
 * @property {string[]} [wells] The nodes that hold tiles.
 * @property {Point[][]} [paths] Printed paths from one well to another.
 * @property {Record<string, [number, number][]>} [tiles] Each tile's lines, from edge to edge, by its name.
 *
 * @typedef {object} Lamp
 * @property {string} [meaning] A key of MEANINGS; a lamp that only shines has a colour instead.
 * @property {number} [seat] Whose lamp it is, where its meaning has a seat's colour.
 * @property {string} [colour] Any colour of CSS.
 * @property {string} words What it says.
 *
 * @typedef {object} Scene
 * @property {Layout} layout
 * @property {Record<string, string[]>} board The pieces on each node, the lowest first.
 * @property {Record<string, string>} tints The colour of each piece, which is its class.
 * @property {Record<string, string>} pieces What each piece is called.
 * @property {Record<string, Lamp>} lights
 * @property {{seat: number, homes: string[], colour?: number}[]} seats
 * @property {{kind: string, nodes: string[]}[]} arrows
 * @property {any[]} [tasks] Pieces to put, drawn as ghosts with their seat's number.
 * @property {string[]} [brought] Nodes whose pieces have just come there.
 *
 * @typedef {object} Extras
 * @property {"watching" | "choosing" | "picking"} [use] What a person does: look, choose one node, or tap several.
 * @property {{well: string, piece: string, possible: boolean} | null} [ghost] A tile that is not laid yet.
 * @property {{nodes: string[], kind: string}[]} [trails] Lines over tiles, the ghost among them.
 */

const UNIT = 44;
const HOLE = 9.8; // Radius of an empty node; a piece is a third larger.
const WELL_UNIT = 64; // The unit with wells, which lie nearer to the nodes between them.
const MANY = 60; // Boards with more nodes draw them larger in proportion, as a phone shows the whole board smaller.
const REACH = 30; // A tap beside a node picks the nearest one within this distance.
const ROLES = { watching: "img", choosing: "radiogroup", picking: "group" };

const round = (number) => Math.round(number * 100) / 100;
/** @param {number[]} place */
const point = ([x, y]) => `${round(x)} ${round(y)}`;

// -- pieces -----------------------------------------------------------------------------------------------------------

// The colour of a piece, which is also its CSS class.
export function tint(piece, { tints }) {
  return tints[piece] ?? "plain";
}

// The gradients for light from the upper left and for a piece's shadow, drawn over and under the flat colours. They are
// added once to the page, outside any part that may be hidden.
function shade() {
  if (document.getElementById("piece-sheen")) return;
  const stop = (offset, colour, opacity) => svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  document.body.append(svg("svg", { class: "unseen", "aria-hidden": "true" }, svg("defs", {},
    svg("radialGradient", { id: "piece-sheen", cx: 0.36, cy: 0.28, r: 0.82 },
      stop(0, "#fff", 0.5), stop(0.4, "#fff", 0), stop(0.65, "#000", 0), stop(1, "#000", 0.34)),
    svg("radialGradient", { id: "piece-cast" }, stop(0.55, "#120903", 0.55), stop(1, "#120903", 0)))));
}

// What tells coloured pieces apart without their colour, on pieces and beside names.
const SHAPES = {
  blue: "M0-5L5.6 4.6H-5.6Z", red: "M-4.5-4.5H4.5V4.5H-4.5Z", yellow: "M-5 0A5 5 0 0 1 5 0A5 5 0 0 1-5 0Z",
  green: "M0-5.4V5.4M-5.4 0H5.4",
};
const SIGNS = { blue: "▲", red: "■", yellow: "●", green: "✚" };

// The drawing of a stack. One piece: a disc, plain if white or black, with a shape if coloured, else with its letter.
// More: an edge below; two different pieces have a pip in both colours, two equal ones or a higher stack their number.
function stones(stack, view) {
  const [top, bottom] = [stack.at(-1), stack.at(-2)];
  const y = bottom ? -2 : 0;
  const drawn = [cast(bottom ? 4 : 0)];
  if (bottom) drawn.push(svg("circle", { cy: 3.5, r: 12.5, class: `stone ${tint(bottom, view)}` }));
  const mark = svg("text", { y: y + 4, class: `letter ${tint(top, view)}` }, top.toUpperCase());
  drawn.push(svg("circle", { cy: y, r: 12.5, class: `stone ${tint(top, view)}` }), sheen(12.5, y), mark);
  const shape = SHAPES[tint(top, view)];
  if (shape) drawn.push(svg("path", { d: shape, transform: `translate(0 ${y})`, class: `shape ${tint(top, view)}` }));
  if (bottom && bottom !== top) {
    drawn.push(svg("circle", { cy: y, r: 5, class: `pip ${tint(bottom, view)}` }),
      svg("path", { d: `M-5 ${y}A5 5 0 0 0 5 ${y}Z`, class: `pip ${tint(top, view)}` }));
  }
  if (stack.length > 2 || (bottom && bottom === top)) {
    drawn.push(svg("circle", { cx: 12, cy: 10.5, r: 7, class: "badge" }),
      svg("text", { x: 12, y: 14, class: "letter count" }, stack.length));
  }
  return drawn;
}

function sheen(r, cy) {
  return svg("circle", { cy, r, class: "sheen", fill: "url(#piece-sheen)" });
}

function cast(down) {
  return svg("ellipse", { cx: 1.4, cy: 3.4 + down, rx: 15.4, ry: 14.6, class: "cast", fill: "url(#piece-cast)" });
}

// A piece in a line of text, beside its name.
export function chip(piece, view) {
  const sign = SIGNS[tint(piece, view)] ?? piece.toUpperCase();
  return element("span", { class: `chip ${tint(piece, view)}`, "aria-hidden": "true" }, sign);
}

function stackWords(stack, { pieces }) {
  return stack.length ? listOf(stack.map((piece) => pieces[piece] ?? piece)) : say("empty");
}

// -- lamps ------------------------------------------------------------------------------------------------------------

const WIDER = 2.15; // So much wider than its lamp light falls on the wood.

// Meaning → hue, words, sign. A hue `seat` is the colour of the light's seat.
const MEANINGS = {
  put: ["seat", say("put your stone here"), "M0-3.4V2.6M-2.6 0L0 2.8L2.6 0"],
  movable: ["white", say("may be moved")],
  target: ["cyan", say("may go here")],
  best: ["cyan", say("this way"), "M-3 .2L-.8 2.4L3-2.4"],
  interact: ["amber", say("pick one of these"), "M-3.2-1.6H2.4M.6-3.2L2.4-1.6M3.2 1.6H-2.4M-.6 3.2L-2.4 1.6"],
  wrong: ["red", say("does not belong here"), "M-2.4-2.4L2.4 2.4M2.4-2.4L-2.4 2.4"],
  return: ["red", say("a stone belongs here"), "M2.6-2.6V.2A2.6 2.6 0 0 1-2.6 .2V-.8M-4.2 .6L-2.6-1.2L-1 .6"],
  remove: ["red", say("lift this one"), "M0 3.4V-2.6M-2.6 0L0-2.8L2.6 0"],
  confirm: ["magenta", say("tap the stack"), "M-1.8-1.6A1.9 1.9 0 1 1 .4 .6V1.2M.4 3.2V3.3"],
  loop: ["violet", say("take off: part of the loop"), "M0 0C-1.4-2.6-4-2.2-4 0S-1.4 2.6 0 0S4-2.2 4 0S1.4 2.6 0 0"],
  won: ["seat", say("has won"), "M-3.2 2.4L-3.4-2L-1.4 0L0-2.8L1.4 0L3.4-2L3.2 2.4Z"],
  line: ["cyan", say("these move together"), "M-3.2 0H2.8M.2-2.6L2.8 0L.2 2.6"],
  stone: ["seat", say("lies here")],
  time: ["seat", say("the last seconds")],
};

// The CSS class of a seat's colour; it has the colour's number, as players choose their colours.
export function seatHue(view, number) {
  return `seat-${view.seats.find((seat) => seat.seat === number)?.colour ?? number}`;
}

const meaningOf = (light) => MEANINGS[light.meaning] ?? ["white", light.meaning];

export const lampWords = (light) => meaningOf(light)[1];

export function lampColour(light, view) {
  const [hue] = meaningOf(light);
  return hue === "seat" ? seatHue(view, light.seat) : hue;
}

// Where light falls on the wood: once a page for each hue that a lamp has shone in, as a gradient of it.
function bloomFill(kind, colour = null) {
  const id = `bloom-${kind}`;
  if (!document.getElementById(id)) {
    const stop = (offset, opacity) => svg("stop", { offset, "stop-opacity": opacity });
    const fill = svg("radialGradient", { id, class: `bloom ${kind}` }, stop(0.3, 0.85), stop(0.55, 0.42), stop(1, 0));
    byId("piece-sheen").before(fill);
  }
  if (colour) byId(id).style.setProperty("--glow", colour);
  return `url(#${id})`;
}

// A ring of light on the wood round a lamp, below all nodes.
function drawBloom(place, light, kind) {
  const r = place.group.classList.contains("bare") && !place.well ? 13 : place.reach;
  const key = light ? `${light.meaning} ${kind} ${light.colour} ${r}` : "";
  if (place.bloomed === key) return;
  place.bloomed = key;
  place.bloom?.remove();
  place.bloom = light ? svg("circle", {
    cx: place.x, cy: place.y, r: r * WIDER * place.scale, fill: bloomFill(kind, light.colour),
    class: `halo ${light.meaning ?? ""}`,
  }) : null;
  if (light) place.blooms.append(place.bloom);
}

// A light: a ring in a dark recess, with a sign for its meaning. Recess and sign exist only while it is on. The legend
// gives meanings and colours in words as well.
function drawLamp(place, light, view) {
  const { glow, group, well } = place;
  // A lamp of any colour has its own gradient, whose colour follows the lamp's.
  const kind = light && (light.colour ? `at-${place.name}` : lampColour(light, view));
  drawBloom(place, light, kind);
  const words = `${place.name}: ${place.words}${light ? `; ${light.words}` : ""}`;
  if (place.title.textContent !== words) place.title.textContent = words;
  glow.style.setProperty("--glow", light?.colour ?? "");
  const shines = light ? `glow lit ${light.meaning ?? ""} ${kind}` : "glow";
  if (glow.getAttribute("class") === shines) return;
  glow.setAttribute("class", shines);
  glow.style.animationDelay = "";
  group.classList.toggle("burns", Boolean(light));
  for (const old of group.querySelectorAll(".lampwell, .sign")) old.remove();
  if (!light) return;
  const dark = glow.cloneNode();
  dark.setAttribute("class", "lampwell");
  if (well) glow.before(dark);
  else group.prepend(dark);
  const path = light.meaning && meaningOf(light)[2];
  if (path && !well) {
    group.append(svg("g", { class: `sign ${kind}`, transform: "translate(12.5 -12.5)" },
      svg("circle", { r: 6.2 }), svg("path", { d: path })));
  }
}

// -- tiles and wells --------------------------------------------------------------------------------------------------

const TILE = 0.46; // From a tile's centre to its edge, in distances of neighbouring wells.
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

// A tile: each line has a rim in the tile's colour, so that a line crosses another like a bridge.
export function tileShapes(name, lines, turn, size) {
  const shapes = [svg("path", { d: octagon(size), class: "tile" })];
  for (const line of lines) {
    const [one, other] = line.map((end) => (end + turn) % 8);
    const d = `M${point(out(one, size))}${bend(one, other, size)}`;
    shapes.push(svg("path", { d, class: "rim", "stroke-width": round(size * 0.24) }),
      svg("path", { d, class: "track", "stroke-width": round(size * 0.13) }));
  }
  // Rims cover the tile's edge, which is drawn again.
  shapes.push(svg("path", { d: octagon(size), class: "tile-edge" }), corner(name, turn - 0.5, size, "tile-number"));
  return shapes;
}

// A short text in a corner; a tile's number turns with the tile.
function corner(words, at, size, kind) {
  const [x, y] = out(at, size * 0.82);
  return svg("text", { x: round(x), y: round(y + size * 0.09), class: kind, "font-size": round(size * 0.33) }, words);
}

// A single tile, for a card or a button with words beside it.
export function tilePicture(name, lines, turn = 0) {
  return svg("svg", { viewBox: "-31 -31 62 62", class: "tile-picture", "aria-hidden": "true" },
    ...tileShapes(name, lines, turn, 28));
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

// -- arrows -----------------------------------------------------------------------------------------------------------

// Moves as arrows: from rim to rim, hiding no piece. For sighted people only: words beside the drawing say the same.
const ARROWS = { made: { shaft: 3, head: 8, half: 5.5 }, asked: { shaft: 4.6, head: 11, half: 7.4 } };
const CASE = 3; // Width added for an arrow's outline in the board's colour, which sets it off from lights and lines.
const GAP = 1.6; // Between a stone and an arrow, for the outline.
const RIMS = { empty: 12.4, stone: 13.4, stack: 15 }; // Radius of a node's drawing.
const apart = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
const spot = ({ x, y }) => [x, y];

// Return the arrows' SVG elements. `board` is the drawing, `lying` maps nodes to their pieces.
export function arrowShapes(board, arrows, lying) {
  return arrows.flatMap(({ kind, nodes }) => {
    const { shaft, head, half } = ARROWS[kind];
    const shape = { shaft: shaft * board.scale, head: head * board.scale, half: half * board.scale };
    const course = board.ways && nodes.length > 2 ? overTiles : straight;
    const found = course(board, nodes, lying, shape);
    return found ? [arrowShape(kind, nodes, shape, found, board.scale)] : [];
  });
}

function arrowShape(kind, nodes, { shaft, head, half }, { d, base, tip }, scale) {
  const narrow = apart(base, tip) < head - 0.01;
  const thick = narrow ? shaft / scale : 0; // Stroke width of the head.
  const end = narrow ? chevron(base, tip, thick, RIMS.stone * scale) : triangle(base, tip, half);
  const path = (line, kind, width) => svg("path", { d: line, class: kind, "stroke-width": round(width) });
  return svg("g", { class: `arrow ${kind}`, "data-way": nodes.join(" "), "data-tip": point(tip) },
    path(d, "case", shaft + CASE), path(end, "case", thick + CASE), path(d, "shaft", shaft),
    path(end, narrow ? "shaft" : "head", thick));
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

/**
 * The point at distance `on` from one point towards another, and `aside` to the side.
 * @param {number[]} from
 * @param {number[]} to
 * @returns {Point}
 */
function beside([x, y], [u, v], on, aside) {
  const length = apart([x, y], [u, v]) || 1;
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  return [x + dx * on - dy * aside, y + dy * on + dx * aside];
}

// Straight from node to node, interrupted at every node: a long arrow passes behind the pieces between its ends.
function straight({ places, scale }, nodes, lying, { head }) {
  const between = Object.values(places).filter((place) => !place.well || nodes.includes(place.name));
  const rims = between.map((place) => [place, rim(place, lying, scale)]);
  const seen = nodes.slice(1).flatMap((to, at) => visibleParts(spot(places[nodes[at]]), spot(places[to]), rims));
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
function overTiles({ ways, unit, scale }, nodes, lying, { head }) {
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

// -- the drawing ------------------------------------------------------------------------------------------------------

export class Drawing {
  constructor(host) {
    this.host = host;
    this.key = "";
    this.places = {};
    /** @type {any} */
    this.scene = null; // What is shown,
    /** @type {Ways | null} */
    this.ways = null; // the course of lines over its tiles,
    this.unit = UNIT; // and the sizes it is drawn in.
    this.scale = 1;
  }

  /**
   * Draw a scene, or change the drawing to it.
   * @param {Scene} scene
   * @param {Extras} extras
   */
  show(scene, { use = "watching", ghost = null, trails = [] } = {}) {
    this.scene = scene;
    const key = JSON.stringify([scene.layout, use, scene.seats.map((seat) => seatHue(scene, seat.seat))]);
    if (key !== this.key) {
      this.key = key;
      this.build(scene, use);
    }
    this.lying = ghost ? { ...scene.board, [ghost.well]: [ghost.piece] } : scene.board;
    const places = Object.entries(this.places);
    const before = new Map(places.map(([name, { drawn }]) => [name, drawn]));
    const planned = new Map(scene.tasks?.filter((task) => task.do === "put").map((task) => [task.node, task]));
    for (const [name, place] of places) {
      if (place.well) this.drawWell(place, this.lying[name] ?? [], ghost?.well === name ? ghost : null);
      else drawStones(place, scene.board[name] ?? [], scene, planned.get(name));
      place.group.classList.toggle("bare", !place.drawn);
      place.group.classList.toggle("brought", Boolean(scene.brought?.includes(name)));
      drawLamp(place, scene.lights[name], scene);
    }
    const won = Object.values(this.places).filter(({ glow }) => glow.classList.contains("won"));
    won.forEach(({ glow }, at) => { glow.style.animationDelay = `${at * 120}ms`; });
    if (this.ways) this.drawTrails(trails);
    this.drawArrows(scene.arrows);
    slide(this, before, scene.arrows);
    this.root.setAttribute("aria-label", summary(scene));
  }

  build(scene, use) {
    const { nodes, circles, lines } = scene.layout;
    this.trailed = this.arrowed = "";
    this.ways = scene.layout.wells?.length ? new Ways(scene.layout) : null;
    this.unit = this.ways ? WELL_UNIT : UNIT;
    const reach = Math.max(...Object.values(nodes).map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))), 1);
    // An outermost circle of homes only, which nobody picks, moves in: so 44 px targets fit a 360 px wide phone.
    const tucked = rimIsHomes(scene);
    const rim = reach * this.unit - (tucked ? 10 : 0);
    /** @returns {Point} */
    const at = ([x, y]) => {
      const scale = tucked && Math.hypot(x, y) > reach - 0.5 ? rim / reach : this.unit;
      return [x * scale, -y * scale];
    };
    const many = Object.keys(nodes).length > MANY;
    this.scale = many ? 1.35 : 1;
    const box = frame(Object.values(nodes).map(at), circles.length ? rim : 0, tucked ? 14 : 20 * this.scale);
    const kinds = [use, many && "many", this.ways && "welled", circles.length && "round"].filter(Boolean).join(" ");
    this.root = svg("svg", { viewBox: box.join(" "), class: this.ways ? `${use} welled` : use, role: ROLES[use] });
    // The classes are repeated here: styles do not reach further up from the magnified copy (<use>).
    this.art = svg("g", { id: `${this.host.id}-art`, class: kinds });
    this.art.append(circles.length ? svg("circle",
      { r: rim + (tucked ? 13.5 : 19.5), class: "disc", "aria-hidden": "true" })
      : plate(box));
    this.art.append(this.ways ? printedPaths(this.ways, this.unit) : drawLines(nodes, circles, lines, at));
    this.blooms = svg("g", { "aria-hidden": "true" });
    this.art.append(this.blooms);
    const owner = {};
    for (const seat of scene.seats) for (const home of seat.homes) owner[home] ??= seatHue(scene, seat.seat);
    this.places = {};
    this.trails = svg("g", { class: "trails", "aria-hidden": "true" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.captions = svg("g", { "aria-hidden": "true" }); // Outside the wells' groups: their labels say it in words.
    const [wells, rest] = [svg("g", {}), svg("g", {})];
    for (const [name, where] of Object.entries(nodes)) {
      const well = Boolean(this.ways?.wells.has(name));
      (well ? wells : rest).append(this.place(name, at(where), owner[name], well, use));
    }
    this.art.append(wells, this.captions, this.trails, rest, this.arrows);
    this.root.append(this.art);
    shade();
    this.host.replaceChildren(this.root);
  }

  place(name, [x, y], owner, well, use) {
    const { scale, unit } = this;
    const group = svg("g", {
      class: well ? "node well" : "node", transform: `translate(${x} ${y}) scale(${scale})`, "data-node": name,
    });
    const shape = (r, kind) => (well ? svg("path", { d: octagon((unit * TILE * r) / 14), class: kind })
      : svg("circle", { r, class: kind }));
    const spot = shape(well ? 14 : HOLE, owner ? `spot ${owner}` : "spot");
    const lamp = well ? 13.9 : scale > 1 ? 14.5 : this.ways ? 18.5 : 17;
    const glow = shape(lamp, "glow");
    const stack = svg("g", { class: "stones" });
    const narrow = !well && name.length > 2
      && { textLength: scale > 1 ? 17 : 16.4, lengthAdjust: "spacingAndGlyphs" };
    const label = svg("text", { y: 3.6, class: "label", ...narrow }, name);
    const title = svg("title", {});
    if (well) group.append(title, spot, label, stack, glow); // The light is visible around a tile.
    else group.append(title, glow, spot, label, stack);
    if (this.ways && owner) group.insertBefore(shape(15, `goal ${owner}`), spot); // Visible around a piece, too.
    if (use === "picking") group.append(shape(well ? 14 : 13.5, "ring"));
    const caption = svg("g", { transform: `translate(${x} ${y})` });
    if (well) this.captions.append(caption);
    const reach = well ? unit * TILE * 0.6 : lamp; // From where on its light falls on the wood.
    this.places[name] = {
      name, x, y, well, reach, scale, group, glow, stack, label, title, caption, blooms: this.blooms,
      drawn: null, words: say("empty"),
    };
    return group;
  }

  // Draw a well: empty, or with a tile and the well's name in the corner opposite to the tile's number.
  drawWell(place, stack, ghost) {
    const tile = tileOf(stack.at(-1));
    const key = `${stack.join("")}${ghost ? ` ${ghost.possible}` : ""}`;
    if (place.drawn === key) return;
    place.drawn = key;
    place.group.classList.toggle("ghost", Boolean(ghost));
    place.group.classList.toggle("impossible", ghost?.possible === false);
    const lines = tile && this.scene.layout.tiles?.[tile.name];
    place.caption.replaceChildren(...lines ? [corner(place.name, tile.turn + 3.5, this.unit * TILE, "well-name")] : []);
    place.stack.replaceChildren(...this.shapes(stack));
    place.label.style.display = stack.length ? "none" : "";
    place.words = stackWords(stack, this.scene);
  }

  // The shapes of a stack, or of a tile on top of it.
  shapes(stack) {
    const tile = tileOf(stack.at(-1));
    const lines = tile && this.scene.layout.tiles?.[tile.name];
    if (lines) return tileShapes(tile.name, lines, tile.turn, this.unit * TILE);
    return stack.length ? stones(stack, this.scene) : [];
  }

  drawTrails(trails) {
    const key = JSON.stringify([trails, trails.length && this.lying]);
    if (key === this.trailed) return;
    this.trailed = key;
    const found = trails.map(({ nodes, kind }) => ({ kind, line: this.ways?.along(nodes, this.lying) }));
    this.trails.replaceChildren(...found.filter(({ line }) => line).flatMap(({ line, kind }) => {
      const d = trail(this.ways, line, this.unit);
      return [svg("path", { d, class: "trail-rim" }), svg("path", { d, class: `trail ${kind}` })];
    }));
  }

  drawArrows(arrows) {
    const key = JSON.stringify([arrows, arrows.length && this.lying]);
    if (key === this.arrowed) return;
    this.arrowed = key;
    this.arrows.replaceChildren(...arrowShapes(this, arrows, this.lying));
  }

  // Where a pointer is on the drawing.
  point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
  }

  // The nearest of some nodes to a point within reach; null if there is none.
  nearest(point, names = Object.keys(this.places)) {
    let best = null;
    for (const name of names) {
      const distance = Math.hypot(this.places[name].x - point.x, this.places[name].y - point.y);
      if (distance < REACH && (!best || distance < best.distance)) best = { name, distance };
    }
    return best?.name ?? null;
  }

  // The nearest of some nodes in a direction; null if there is none.
  towards(name, dx, dy, names = Object.keys(this.places)) {
    const from = this.places[name];
    let best = null;
    for (const other of names) {
      const place = this.places[other];
      const ahead = (place.x - from.x) * dx + (place.y - from.y) * dy;
      const aside = Math.abs((place.x - from.x) * dy - (place.y - from.y) * dx);
      if (ahead < this.unit / 4 || aside > ahead * 1.8) continue;
      const cost = Math.hypot(ahead, aside) + 0.6 * aside;
      if (!best || cost < best.cost) best = { name: other, cost };
    }
    return best?.name ?? null;
  }

  // A magnified copy of a node and its neighbours, which a thumb may cover; of a well only itself.
  echo(name) {
    const { x, y, well } = this.places[name];
    const [across, down] = (well ? [0.72, 0.72] : [1.7, 1.3]).map((one) => one * this.unit);
    return svg("svg", {
      viewBox: [x - across, y - down, 2 * across, 2 * down].join(" "), class: "echo", "aria-hidden": "true",
    }, svg("use", { href: `#${this.art.id}` }));
  }
}

// The box around all points and a disc, as [left, top, width, height].
function frame(points, radius, margin) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs, -radius) - margin;
  const top = Math.min(...ys, -radius) - margin;
  const [right, bottom] = [Math.max(...xs, radius) + margin, Math.max(...ys, radius) + margin];
  return [left, top, right - left, bottom - top].map(round);
}

// The wood under a board without circles.
/** @param {number[]} box */
function plate([x, y, width, height]) {
  const size = { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: 16 };
  return svg("rect", { ...size, class: "plate", "aria-hidden": "true" });
}

function rimIsHomes({ layout: { nodes, circles }, seats }) {
  const outermost = Math.max(...circles);
  const homes = new Set(seats.flatMap((seat) => seat.homes));
  const inside = ([name, [x, y]]) => homes.has(name) || Math.hypot(x, y) < outermost - 0.5;
  return circles.length > 1 && Object.entries(nodes).every(inside);
}

function drawLines(nodes, circles, lines, at) {
  const drawn = svg("g", { class: "lines", "aria-hidden": "true" });
  for (const radius of circles) drawn.append(svg("circle", { r: Math.abs(at([radius, 0])[0]) }));
  const rings = new Set(circles.map((radius) => radius.toFixed(2)));
  for (const [one, other] of lines) {
    const [a, b] = [nodes[one], nodes[other]];
    const ring = Math.hypot(...a).toFixed(2);
    if (ring === Math.hypot(...b).toFixed(2) && rings.has(ring)) continue;
    const [[x1, y1], [x2, y2]] = [at(a), at(b)];
    drawn.append(svg("line", { x1, y1, x2, y2 }));
  }
  return drawn;
}

// `planned` is the task to put a piece here; until then it is drawn as a ghost with the seat's number.
function drawStones(place, stack, view, planned) {
  const key = `${stack.join("")}${planned ? ` ${planned.piece} ${planned.seat}` : ""}`;
  if (place.key === key) return;
  place.key = key;
  const lying = planned && !stack.length ? [planned.piece] : stack;
  place.drawn = lying.join("");
  const hue = planned?.seat ? seatHue(view, planned.seat) : "";
  place.group.classList.toggle("planned", Boolean(planned));
  place.stack.replaceChildren(...place.drawn ? stones(lying, view) : [], ...planned ? plan(planned, hue) : []);
  place.label.style.display = place.drawn ? "none" : "";
  place.words = stackWords(stack, view);
}

function plan({ seat }, hue) {
  const ring = svg("circle", { r: 14.4, class: `plan ${hue}` });
  if (!seat) return [ring];
  return [ring, svg("circle", { cx: 12, cy: -11.4, r: 6.4, class: `badge ${hue}` }),
    svg("text", { x: 12, y: -8, class: "letter count" }, seat)];
}

function summary(view) {
  const lying = Object.entries(view.board).map(([node, stack]) => `${node} ${stackWords(stack, view)}`);
  return say("Board. {pieces}", { pieces: lying.length ? lying.join(", ") : say("empty") });
}
