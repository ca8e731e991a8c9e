// The one drawing of a board, for every page: phones, the big screen, replays, puzzles, rules, and the virtual board.
//
// A page describes what is to be seen as plain data, a scene, and calls `show`; the drawing changes what has changed.
// It knows no rules and takes no taps: board.js adds nodes to pick, the virtual board adds hands. What looks how is in
// board.css, by class; here are shapes and places alone. The view that the table sends is a scene.
import { arrowShapes } from "./arrows.js";
import { allOf, svg, textOf } from "./elements.js";
import { polygon } from "./geometry.js";
import { bands, cells, cellShape, corners, grooves, homesOf, rimNames, STYLES, styleOf, wood } from "./ground.js";
import { drawLamp, seatHue } from "./lamps.js";
import { tileOf, Ways } from "./lines.js";
import { slide } from "./motion.js";
import { made, shade, STONE, stones } from "./pieces.js";
import { corner, octagon, printedPaths, TILE, tileShapes, trail } from "./tiles.js";
import { listOf, say } from "./words.js";

/** @import { Point } from "./geometry.js" */

/**
 * @typedef {object} Layout Places with y up, neighbours 1 apart.
 * @property {Record<string, Point>} nodes Where each node is, by its name.
 * @property {number[]} circles Radii of printed circles.
 * @property {[string, string][]} lines Printed lines, each between two nodes.
 * @property {string} [style] What a place is: "holes" (without it), "crossings" of lines, or "cells".
 * @property {string[]} [wells] The nodes that hold tiles.
 * @property {Point[][]} [paths] Printed paths from one well to another.
 * @property {Record<string, [number, number][]>} [tiles] Each tile's lines, from edge to edge, by its name.
 *
 * @typedef {object} Lamp
 * @property {string} [meaning] A key of LAMPS; a lamp that only shines has a colour instead.
 * @property {number} [seat] Whose lamp it is, where its meaning has a seat's colour.
 * @property {string} [colour] Any colour of CSS.
 * @property {{meaning: string, seat?: number}} [means] What a lamp that only shines means; its sign says so.
 * @property {string} words What it says.
 *
 * @typedef {object} Scene
 * @property {Layout} layout
 * @property {Record<string, string[]>} board The pieces on each node, the lowest first.
 * @property {Record<string, string>} tints The colour of each piece, which is its class.
 * @property {Record<string, string>} pieces What each piece is called.
 * @property {Record<string, Lamp>} lights
 * @property {{seat: number, homes: string[], colour?: number, team?: number}[]} seats
 * @property {{kind: string, nodes: string[]}[]} arrows
 * @property {any[]} [tasks] Pieces to put, drawn as ghosts with their seat's number.
 * @property {{seat: number} | null} [you] Whose device this is.
 * @property {string[]} [brought] Nodes whose pieces have just come there.
 *
 * @typedef {object} Extras
 * @property {"watching" | "choosing" | "picking"} [use] What a person does: look, choose one node, or tap several.
 * @property {{well: string, piece: string, possible: boolean} | null} [ghost] A tile that is not laid yet.
 * @property {{nodes: string[], kind: string}[]} [trails] Lines over tiles, the ghost among them.
 * @property {{node: string, piece: string, seat: number | null} | null} [choice] A piece chosen, but not yet put.
 */

const REACH = 30; // A tap beside a node picks the nearest one within this distance.
const ROLES = { watching: "img", choosing: "radiogroup", picking: "group" };
const MAX_NAMED = 12; // More names than these at once hide the board.
const ROUND_MS = 3000; // A loop's lamps go round in it.
const PALE = 0.92; // A piece that is not there yet is so much smaller.

function stackWords(stack, { pieces }) {
  return stack.length ? listOf(stack.map((piece) => pieces[piece] ?? piece)) : say("empty");
}

// -- size -------------------------------------------------------------------------------------------------------------

const SMALL = 480; // Pixels; a smaller drawing shows the names of homes and those at the rim only,
const TINY = 300; // and one that is smaller still no signs.
let allNames = false;

// Show the names of all places on small drawings, too.
export function setNames(on) {
  allNames = on;
  allOf(".board > svg").forEach(fit);
}

function fit(root) {
  const width = root.getBoundingClientRect().width;
  if (!width) return;
  const { classList } = root.querySelector(".art");
  classList.toggle("small", width < SMALL);
  classList.toggle("nameless", width < SMALL && !allNames);
  classList.toggle("signless", width < TINY);
}

const sizes = globalThis.ResizeObserver
  && new ResizeObserver((changed) => changed.forEach(({ target }) => fit(target)));

// -- the drawing ------------------------------------------------------------------------------------------------------

export class Drawing {
  constructor(host) {
    host.classList.add("board"); // Its styles count on that.
    this.host = host;
    this.key = "";
    this.places = {};
    /** @type {any} */
    this.scene = null; // What is shown,
    /** @type {Ways | null} */
    this.ways = null; // the course of lines over its tiles,
    this.style = STYLES.holes; // how its places are drawn,
    this.unit = this.style.unit; // the distance of neighbours,
    /** @type {number[]} */
    this.rings = []; // its printed circles,
    /** @type {Point[] | null} */
    this.cell = null; // the corners of its cells,
    this.use = ""; // what a person does with it,
    this.ringed = false; // and whether it has the marks for that.
    /** @type {any[]} */
    this.texts = []; // The elements whose places are named.
  }

  /**
   * Draw a scene, or change the drawing to it.
   * @param {Scene} scene
   * @param {Extras} extras
   */
  show(scene, { use = "watching", ghost = null, trails = [], choice = null } = {}) {
    this.scene = scene;
    const sides = scene.seats.map((seat) => [seatHue(scene, seat.seat), seat.team, seat.homes]);
    const key = JSON.stringify([scene.layout, sides]);
    if (key !== this.key) {
      this.key = key;
      this.build(scene);
    }
    this.serve(use);
    this.lying = ghost ? { ...scene.board, [ghost.well]: [ghost.piece] } : scene.board;
    const places = Object.entries(this.places);
    const before = new Map(places.map(([name, { drawn }]) => [name, drawn]));
    const planned = new Map(scene.tasks?.filter((task) => task.do === "put").map((task) => [task.node, task]));
    if (choice) planned.set(choice.node, { ...choice, chosen: true });
    for (const [name, place] of places) {
      if (place.well) this.drawWell(place, this.lying[name] ?? [], ghost?.well === name ? ghost : null);
      else this.drawStones(place, scene.board[name] ?? [], planned.get(name), Boolean(scene.lights[name]));
      place.group.classList.toggle("bare", !place.drawn);
      this.drawNews(place, Boolean(scene.brought?.includes(name)));
      drawLamp(place, scene.lights[name], scene);
    }
    const won = allOf(".glow.won", this.art);
    won.forEach((glow, at) => { glow.style.animationDelay = `${at * 120}ms`; });
    this.goRound(places.filter(([name]) => scene.lights[name]?.meaning === "loop").map(([, place]) => place));
    if (this.ways) this.drawTrails(trails);
    this.drawArrows(scene.arrows);
    slide(this, before, scene.arrows);
    this.root.setAttribute("aria-label", summary(scene));
    this.nameAll();
  }

  // On a small drawing, which hides most names: show those of the places that these elements name, on an empty place
  // and beside what lies there, now and whenever their text changes. They are in order: one whose names would be too
  // many with those before it has none drawn.
  nameFrom(...texts) {
    this.texts = texts;
    const watch = new MutationObserver(() => this.scene && this.nameAll());
    for (const one of texts) watch.observe(one, { childList: true, characterData: true, subtree: true });
  }

  nameAll() {
    const all = Object.values(this.places).filter(({ name }) => /\p{L}/u.test(name));
    const named = this.texts.reduce((before, one) => {
      const said = new Set(textOf(one).match(/[\p{L}\p{N}]+/gu));
      const both = all.filter((place) => before.includes(place) || said.has(place.name));
      return both.length > MAX_NAMED ? before : both;
    }, /** @type {any[]} */ ([]));
    const key = named.map(({ name, drawn }) => (drawn ? `${name}+` : name)).join(" ");
    if (key === this.named.dataset.names) return;
    this.named.dataset.names = key;
    this.named.replaceChildren(...named.map(({ name, x, y, well, drawn }) =>
      svg("text", { x, y: y + 4 - (drawn && !well ? STONE * this.style.times + 9 : 0) }, name)));
  }

  // The lamps of a loop light up one after the other, once round their middle.
  goRound(loop) {
    const middle = (way) => loop.reduce((sum, place) => sum + place[way], 0) / loop.length;
    const [x, y] = [middle("x"), middle("y")];
    const turn = (place) => Math.atan2(place.y - y, place.x - x);
    loop.sort((one, other) => turn(one) - turn(other)).forEach((place, at) => {
      for (const part of place.lamp) part.style.animationDelay = `${Math.round((at * ROUND_MS) / loop.length)}ms`;
    });
  }

  build(scene) {
    const { kind, style, ways, circled, points, ground, homes, cell } = groundOf(scene);
    this.trailed = this.arrowed = "";
    Object.assign(this, { ways, style, cell, unit: style.unit, rings: circled, use: "", ringed: false });
    const [, , width, height] = ground.box;
    // It has the shape of its picture, and fills what it is given.
    this.root = svg("svg", { viewBox: ground.box.join(" "), class: kind, width: 9 * width, height: 9 * height });
    // Everything that is styled by what surrounds it is inside: the magnified copy (<use>) has nothing further up.
    this.art = svg("g", { id: `${this.host.id}-art`, class: `art ${kind}${circled.length ? " round" : ""}` });
    const layer = (name, ...shapes) => svg("g", { class: name, "aria-hidden": "true" }, ...shapes);
    const [wells, rest] = [svg("g", {}), svg("g", {})];
    this.layers = { floor: layer("blooms"), blooms: layer("blooms"), signs: layer("signs") };
    this.trails = layer("trails");
    this.arrows = layer("arrows");
    this.named = layer("named");
    this.captions = layer("captions"); // Outside the wells' groups: their labels say it in words.
    this.places = {};
    const named = Object.entries(points).map(([name, [x, y]]) => ({ name, x, y }));
    const names = kind === "crossings" || kind === "cells" ? rimNames(kind, named) : null;
    for (const [name, where] of Object.entries(points)) {
      const group = this.place(kind, name, where, homes[name], Boolean(names));
      (this.places[name].well ? wells : rest).append(group);
    }
    this.art.append(layer("ground", ...ground.shapes, ...names ?? []), this.layers.floor, wells, this.captions,
      this.trails, this.layers.blooms, rest, this.arrows, this.layers.signs, this.named);
    this.root.append(this.art);
    shade();
    sizes?.observe(this.root);
    this.host.replaceChildren(this.root);
    fit(this.root);
  }

  place(kind, name, [x, y], home, namedAtRim) {
    const { style, unit } = this;
    const well = Boolean(this.ways?.wells.has(name));
    const transform = `translate(${x} ${y})`;
    const group = svg("g", { class: well ? "node well" : "node", transform, "data-node": name });
    const side = unit * TILE;
    const outline = (r, looks) => (well ? svg("path", { d: octagon(r), class: looks })
      : svg("circle", { r, class: looks }));
    const title = svg("title", {});
    group.append(title);
    if (home) group.append(...homeRing(kind, style, home));
    if (well) {
      group.append(outline(side, "spot"), svg("path", { d: octagon(side), fill: "url(#hollow)", class: "well-shade" }));
    } else if (style.empty < 10) group.append(svg("circle", { r: style.empty, class: "spot point" }));
    else group.append(made("empty-hole", 10.5, style.empty / 10.5, "spot"));
    if (!namedAtRim) {
      const narrow = !well && name.length > 3 && { textLength: 17, lengthAdjust: "spacingAndGlyphs" };
      group.append(svg("text", { y: 3.4, class: "label", ...narrow }, name));
    }
    const caption = svg("g", { transform });
    if (well) this.captions.append(caption);
    this.places[name] = {
      name, x, y, well, group, title, caption, outline, base: group.lastChild, layers: this.layers,
      reach: { full: style.full, bare: style.bare, well: side - 1 },
      stack: null, lamp: [], news: null, drawn: null, words: say("empty"),
    };
    return group;
  }

  // What a person does with the drawing. Marks for what may be picked are made when they are first needed.
  serve(use) {
    if (use === this.use) return;
    for (const part of [this.root, this.art]) {
      if (this.use) part.classList.remove(this.use);
      part.classList.add(use);
    }
    this.use = use;
    this.root.setAttribute("role", ROLES[use]);
    if (use === "watching" || this.ringed) return;
    this.ringed = true;
    for (const { base, well, outline } of Object.values(this.places)) {
      const may = well || this.style.empty < 10 ? [] : [svg("circle", { r: 3.3, class: "may" })];
      const ring = this.cell ? svg("path", { d: polygon(this.cell), class: "ring" })
        : outline(well ? this.unit * TILE : Math.max(this.style.empty + 3.5, 13), "ring");
      base.after(...may, ring);
    }
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
    const side = this.unit * TILE;
    place.caption.replaceChildren(...lines ? [corner(place.name, tile.turn + 3.5, side, "well-name")] : []);
    const dashed = ["plan-case", "plan"].map((looks) => svg("path", { d: octagon(side * 0.92), class: looks }));
    const shapes = [...this.shapes(stack), ...ghost ? dashed : []];
    this.pile(place, stack.length ? svg("g", { class: "stones" }, ...shapes) : null);
    place.words = stackWords(stack, this.scene);
  }

  // `planned` is the task to put a piece here; until then it is drawn as a ghost: with the seat's number, or, where a
  // lamp burns, with that alone.
  drawStones(place, stack, planned, lit) {
    const plan = planned && `${planned.piece} ${planned.seat} ${planned.chosen} ${lit}`;
    const key = `${stack.join("")} ${plan ?? ""}`;
    if (place.key === key) return;
    place.key = key;
    const lying = planned && !stack.length ? [planned.piece] : stack;
    place.drawn = lying.join("");
    place.group.classList.toggle("planned", Boolean(planned));
    const shape = lying.length ? stones(lying, this.scene, this.style.times * (planned ? PALE : 1)) : null;
    if (shape && planned) {
      this.pile(place, svg("g", { class: "stones pale" }, shape, ...this.plan(planned, lit)));
    } else {
      shape?.classList.add("stones");
      this.pile(place, shape);
    }
    place.words = stackWords(stack, this.scene);
  }

  plan({ seat, chosen }, lit) {
    const hue = seat ? seatHue(this.scene, seat) : "";
    const r = STONE * this.style.times + 1;
    if (lit) return [];
    const ring = [svg("circle", { r, class: "plan-case" }), svg("circle", { r, class: `plan ${hue}` })];
    if (!seat || chosen) return ring;
    const far = r * 0.8;
    return [...ring, svg("g", { transform: `translate(${far} ${-far})` },
      svg("circle", { r: 6.8, class: `badge ${hue}` }), svg("text", { y: 3.3, class: "letter owner" }, seat))];
  }

  // What lies on a node.
  pile(place, shape) {
    place.stack?.remove();
    place.stack = shape;
    if (shape) place.group.append(shape);
    if (place.news) place.group.append(place.news);
  }

  // A piece that is picked rises from the board: it is larger, and its shadow lies further away.
  lift({ group, stack, well }, is) {
    const shadow = group.querySelector(".lift");
    if (!stack || well || !is) shadow?.remove();
    else if (!shadow) stack.before(svg("ellipse", { cx: 5, cy: 9, rx: 21, ry: 19, fill: "url(#cast)", class: "lift" }));
    group.classList.toggle("lifted", Boolean(is && stack && !well));
  }

  // A ring on a piece that has just come to the board.
  drawNews(place, is) {
    if (Boolean(place.news) === is) return;
    place.group.classList.toggle("brought", is);
    place.news?.remove();
    place.news = is ? svg("g", { class: "news" }, svg("circle", { r: 8, class: "news-case" }), svg("circle", { r: 8 }))
      : null;
    if (is) place.group.append(place.news);
  }

  // The shapes of a stack, or of a tile on top of it.
  shapes(stack) {
    const tile = tileOf(stack.at(-1));
    const lines = tile && this.scene.layout.tiles?.[tile.name];
    if (lines) return tileShapes(tile.name, lines, tile.turn, this.unit * TILE);
    return stack.length ? [stones(stack, this.scene, this.style.times)] : [];
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

// What lies under the pieces of a scene, and how its places are drawn.
export function groundOf(scene) {
  const { layout } = scene;
  const kind = styleOf(layout);
  const style = STYLES[kind];
  const ways = kind === "wells" ? new Ways(layout) : null;
  const homes = homesOf(scene.seats, (seat) => seatHue(scene, seat));
  const { at, radius } = placing(scene, style.unit);
  const points = Object.fromEntries(Object.entries(layout.nodes).map(([name, where]) => [name, at(where)]));
  const { box, shapes } = wood(kind, Object.values(points), layout.circles.length ? radius : 0);
  const cell = kind === "cells" ? cellShape(layout, style.unit) : null;
  const printed = cell ? cells(layout, points, cell) : ways ? [printedPaths(ways, style.unit)] : grooves(layout, at);
  const places = Object.fromEntries(Object.entries(points).map(([name, [x, y]]) => [name, { name, x, y }]));
  const tinted = layout.circles.length ? bands(places, homes, radius)
    : kind === "crossings" ? corners(places, homes, style.unit) : [];
  return { kind, style, ways, homes, cell, points, circled: layout.circles.map((one) => Math.abs(at([one, 0])[0])),
    ground: { box, shapes: [...shapes, ...tinted, ...printed] } };
}

// Where a place of the layout lies on the drawing, and the radius of the outermost circle. An outermost circle of homes
// only, which nobody picks, moves in: so the others' targets fit a thumb on a phone 360 px wide.
const TUCKED = 12;

/**
 * @param {Scene} scene
 * @param {number} unit
 * @returns {{at: (place: Point) => Point, radius: number}}
 */
function placing(scene, unit) {
  const { nodes, circles } = scene.layout;
  const reach = Math.max(...Object.values(nodes).map(([x, y]) => Math.hypot(x, y)), ...circles, 1);
  const radius = reach * unit - (rimIsHomes(scene) ? TUCKED : 0);
  /** @type {(place: Point) => Point} */
  const at = ([x, y]) => {
    const scale = circles.length && Math.hypot(x, y) > reach - 0.5 ? radius / reach : unit;
    return [x * scale, -y * scale];
  };
  return { at, radius };
}

function rimIsHomes({ layout: { nodes, circles }, seats }) {
  const outermost = Math.max(...circles);
  const homes = new Set(seats.flatMap((seat) => seat.homes));
  const inside = ([name, [x, y]]) => homes.has(name) || Math.hypot(x, y) < outermost - 0.5;
  return circles.length > 1 && Object.entries(nodes).every(inside);
}

const FLAG = "M-4 7V-7L6-3.5L-4 0";

// The ring of a home, in a dark recess; it stays visible around a stone. On crossings it has a flag.
function homeRing(kind, { empty, times }, { hue, at }) {
  const dashed = kind === "holes" ? "" : `place-${at}`;
  if (kind === "crossings") {
    return [svg("circle", { r: 15, class: "home-well" }), svg("circle", { r: 13, class: `home ring-of ${hue}` }),
      svg("path", { d: FLAG, class: `home flag ${hue}` })];
  }
  const r = kind === "cells" ? STONE * times + 1.6 : empty + (kind === "wells" ? 3.2 : 1.5);
  return [svg("circle", { r: r + 2, class: "home-well" }),
    svg("circle", { r, class: `home ring-of ${hue} ${dashed}` })];
}

function summary(view) {
  const lying = Object.entries(view.board).map(([node, stack]) => `${node} ${stackWords(stack, view)}`);
  return say("Board. {pieces}", { pieces: lying.length ? lying.join(", ") : say("empty") });
}
