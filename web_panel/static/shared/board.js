// The board as a drawing: lines, pieces with letters, lights with their meaning in words; and nodes to pick.
import { arrowShapes } from "./arrows.js";
import { drawLamp, lampColour, seatHue } from "./lamps.js";
import { parted, Ways } from "./lines.js";
import { slide } from "./motion.js";
import { shade, stackWords, stones, svg, tint } from "./pieces.js";
import { corner, octagon, printed, TILE, tileShapes, trail } from "./tiles.js";
import { say } from "./words.js";

const UNIT = 44;
const HOLE = 9.8; // Radius of an empty node; a piece is a third larger.
const WELL_UNIT = 64; // The unit with wells, which lie nearer to the nodes between them.
const MANY = 60; // Boards with more nodes draw them larger in proportion, as a phone shows the whole board smaller.
export const THUMB = 40; // Screen pixels between neighbours that a thumb can tell apart; nearer ones are magnified first.
const REACH = 30; // A tap beside a node picks the nearest one within this distance.
const ARROWS = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
const WINDS = [
  say("north"), say("north-north-east"), say("north-east"), say("east-north-east"), say("east"),
  say("east-south-east"), say("south-east"), say("south-south-east"), say("south"), say("south-south-west"),
  say("south-west"), say("west-south-west"), say("west"), say("west-north-west"), say("north-west"),
  say("north-north-west"),
];
const NOTHING = { role: null, offered: [], chosen: null, colour: null, marked: null, aims: [], ghost: null, trails: [] };

function wind([x, y]) {
  if (Math.hypot(x, y) < 0.1) return say("centre");
  return WINDS[(Math.round((Math.atan2(x, y) / Math.PI) * 8) + 16) % 16];
}

export class Board {
  // `choose(node, fine, aside)` is called with a picked node; `fine`: the drawing is large enough for a thumb, or a key
  // was used; `aside`: the finger's distance to the right of the node's middle, in units of the layout, null for a key.
  // `keys(event, node)` may handle a key and return true. `deny(node)` is called for a tapped node that can't be picked.
  constructor(host, { choose = null, keys = null, deny = null } = {}) {
    this.host = host;
    this.deny = deny;
    this.choose = choose;
    this.keys = keys;
    this.key = "";
    this.picks = NOTHING;
    this.focus = null;
  }

  // `picks.role` is null (display only), "radio" (one of the `offered` nodes is chosen) or "button" (nodes are tapped one
  // after the other: `chosen` is the start, `aims` are possible targets, `marked` the last tapped node). `picks.ghost` is
  // a tile not laid yet, `{well, piece, possible}`; `picks.trails` are lines `{nodes, kind}` on the board with that tile.
  show(view, picks = {}) {
    this.picks = { ...NOTHING, ...picks };
    this.view = view;
    const key = JSON.stringify([view.layout, this.picks.role, view.seats.map((seat) => seatHue(view, seat.seat))]);
    if (key !== this.key) {
      this.key = key;
      this.build(view);
    }
    const open = new Set(this.picks.offered);
    const aims = new Set(this.picks.aims);
    if (!open.has(this.focus)) this.focus = this.picks.chosen ?? this.picks.offered[0] ?? null;
    const { ghost, trails } = this.picks;
    this.lying = ghost ? { ...view.board, [ghost.well]: [ghost.piece] } : view.board;
    const before = this.drawn();
    const planned = new Map(view.tasks?.filter((task) => task.do === "put").map((task) => [task.node, task]));
    for (const [name, place] of Object.entries(this.places)) {
      if (place.well) this.drawWell(place, this.lying[name] ?? [], ghost?.well === name ? ghost : null, view);
      else drawStones(place, view.board[name] ?? [], view, planned.get(name));
      place.group.classList.toggle("bare", !place.drawn);
      place.group.classList.toggle("brought", Boolean(view.brought?.includes(name)));
      drawLight(place, view.lights[name], view);
      if (this.picks.role) this.drawPick(place, open.has(name), aims.has(name));
    }
    Object.values(this.places).filter(({ glow }) => glow.classList.contains("won")).forEach(({ glow }, at) => { glow.style.animationDelay = `${at * 120}ms`; });
    if (this.ways) this.drawTrails(trails);
    this.drawArrows(view.arrows);
    slide(this, before, view.arrows);
    this.root.setAttribute("aria-label", summary(view));
  }

  // Node → its drawn pieces as text; null if nothing was drawn there yet.
  drawn() {
    return new Map(Object.entries(this.places).map(([name, { drawn }]) => [name, drawn]));
  }

  build(view) {
    const { nodes, circles, lines } = view.layout;
    const role = this.picks.role;
    this.layout = view.layout;
    this.trailed = this.arrowed = "";
    this.ways = view.layout.wells?.length ? new Ways(view.layout) : null;
    this.unit = this.ways ? WELL_UNIT : UNIT;
    const reach = Math.max(...Object.values(nodes).map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))), 1);
    // If the outermost circle holds homes only, which nobody picks, it moves in: so 44 px targets fit a 360 px wide phone.
    const tucked = rimIsHomes(view);
    const rim = reach * this.unit - (tucked ? 10 : 0);
    const at = ([x, y]) => {
      const scale = tucked && Math.hypot(x, y) > reach - 0.5 ? rim / reach : this.unit;
      return [x * scale, -y * scale];
    };
    const many = Object.keys(nodes).length > MANY;
    this.scale = many ? 1.35 : 1;
    const kind = { null: "watching", radio: "choosing", button: "picking" }[role];
    const box = frame(Object.values(nodes).map(at), circles.length ? rim : 0, tucked ? 14 : 20 * this.scale);
    this.root = svg("svg", {
      viewBox: box.join(" "),
      class: this.ways ? `${kind} welled` : kind, role: { null: "img", radio: "radiogroup", button: "group" }[role],
    });
    // The classes are repeated here: styles do not reach further up from the magnified copy (<use>).
    this.art = svg("g", { id: `${this.host.id}-art`, class: `${kind}${many ? " many" : ""}${this.ways ? " welled" : ""}${circles.length ? " round" : ""}` });
    if (circles.length) this.art.append(svg("circle", { r: rim + (tucked ? 13.5 : 19.5), class: "disc", "aria-hidden": "true" }));
    else this.art.append(plate(box));
    this.art.append(this.ways ? printed(this.ways, this.unit) : drawLines(nodes, circles, lines, at));
    this.blooms = svg("g", { "aria-hidden": "true" });
    this.art.append(this.blooms);
    const owner = {};
    for (const seat of view.seats) for (const home of seat.homes) owner[home] ??= seatHue(view, seat.seat);
    this.places = {};
    this.trails = svg("g", { class: "trails", "aria-hidden": "true" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.captions = svg("g", { "aria-hidden": "true" }); // Outside the wells' groups: their labels say it in words.
    const [wells, rest] = [svg("g", {}), svg("g", {})];
    for (const [name, where] of Object.entries(nodes)) {
      const well = Boolean(this.ways?.wells.has(name));
      (well ? wells : rest).append(this.place(name, at(where), owner[name], well));
      this.places[name].spoken = `${name}, ${wind(where)}`;
    }
    this.art.append(wells, this.captions, this.trails, rest, this.arrows);
    this.root.append(this.art);
    shade();
    if (role) this.root.addEventListener("click", (event) => this.snap(event));
    this.host.replaceChildren(this.root);
  }

  place(name, [x, y], owner, well) {
    const group = svg("g", { class: well ? "node well" : "node", transform: `translate(${x} ${y}) scale(${this.scale})`, "data-node": name });
    const round = (r, kind) => (well ? svg("path", { d: octagon((this.unit * TILE * r) / 14), class: kind }) : svg("circle", { r, class: kind }));
    const spot = round(well ? 14 : HOLE, owner ? `spot ${owner}` : "spot");
    const lamp = well ? 13.9 : this.scale > 1 ? 14.5 : this.ways ? 18.5 : 17;
    const glow = round(lamp, "glow");
    const stack = svg("g", { class: "stones" });
    const narrow = !well && name.length > 2 ? { textLength: this.scale > 1 ? 17 : 16.4, lengthAdjust: "spacingAndGlyphs" } : {};
    const label = svg("text", { y: 3.6, class: "label", ...narrow });
    label.textContent = name;
    const title = svg("title", {});
    if (well) group.append(title, spot, label, stack, glow); // The light is visible around a tile.
    else group.append(title, glow, spot, label, stack);
    if (this.ways && owner) group.insertBefore(round(15, `goal ${owner}`), spot); // Visible around a piece, too.
    if (this.picks.role === "button") group.append(round(well ? 14 : 13.5, "ring"));
    const caption = svg("g", { transform: `translate(${x} ${y})` });
    if (well) this.captions.append(caption);
    this.places[name] = { name, caption, x, y, group, glow, stack, label, title, well, blooms: this.blooms, reach: well ? this.unit * TILE * 0.6 : lamp, scale: this.scale, drawn: null, words: say("empty") };
    group.addEventListener("keydown", (event) => this.press(event, name));
    return group;
  }

  // Draw a well: empty, or with a tile and the well's name in the corner opposite to the tile's number.
  drawWell(place, stack, ghost, view) {
    const tile = parted(stack.at(-1));
    const key = `${stack.join("")}${ghost ? ` ${ghost.possible}` : ""}`;
    if (place.drawn === key) return;
    place.drawn = key;
    place.group.classList.toggle("ghost", Boolean(ghost));
    place.group.classList.toggle("impossible", ghost?.possible === false);
    const lines = tile && view.layout.tiles?.[tile.name];
    const size = this.unit * TILE;
    place.caption.replaceChildren(...lines ? [corner(place.name, tile.turn + 3.5, size, "well-name")] : []);
    if (lines) place.stack.replaceChildren(...tileShapes(tile.name, lines, tile.turn, size));
    else place.stack.replaceChildren(...stack.length ? stones(stack, view) : []);
    place.label.style.display = stack.length ? "none" : "";
    place.words = stackWords(stack, view);
  }

  drawTrails(trails) {
    const key = JSON.stringify([trails, trails.length && this.lying]);
    if (key === this.trailed) return;
    this.trailed = key;
    const found = trails.map(({ nodes, kind }) => ({ kind, line: this.ways.along(nodes, this.lying) })).filter(({ line }) => line);
    this.trails.replaceChildren(...found.flatMap(({ line, kind }) => {
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

  drawPick(place, can, aim) {
    const { name, group } = place;
    const { role, chosen, marked, colour } = this.picks;
    const is = name === chosen;
    group.classList.toggle("can", can);
    group.classList.toggle("aim", aim);
    group.classList.toggle("chosen", is);
    group.classList.toggle("marked", name === marked);
    group.setAttribute("data-colour", is && colour ? tint(colour, this.view) : "");
    if (!can) {
      for (const attribute of ["role", "aria-checked", "aria-pressed", "tabindex", "aria-label"]) group.removeAttribute(attribute);
      group.setAttribute("aria-hidden", "true");
      return;
    }
    group.removeAttribute("aria-hidden");
    group.setAttribute("role", role);
    group.setAttribute(role === "radio" ? "aria-checked" : "aria-pressed", is || name === marked ? "true" : "false");
    const said = role === "radio" ? place.spoken : `${place.spoken}, ${place.words}`;
    const words = aim ? say("{node}, may go here", { node: said }) : said;
    if (group.getAttribute("aria-label") !== words) group.setAttribute("aria-label", words);
    group.setAttribute("tabindex", name === this.focus ? "0" : "-1");
  }

  // Screen pixels from a node to the nearest other offered one; on boards with wells the smallest distance of any two.
  pitch(name) {
    const offered = this.picks.offered.map((one) => this.places[one]);
    let nearest = this.ways ? Infinity : this.unit;
    for (const one of this.ways ? offered : [this.places[name]]) {
      for (const other of offered) if (other !== one) nearest = Math.min(nearest, Math.hypot(one.x - other.x, one.y - other.y));
    }
    return (this.root.getScreenCTM()?.a ?? 1) * (Number.isFinite(nearest) ? nearest : this.unit);
  }

  snap(event) {
    if (!this.choose) return;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    const best = this.nearest(point, this.picks.offered);
    const other = best ? null : this.nearest(point, Object.keys(this.places));
    if (best) this.pick(best.name, this.pitch(best.name) >= THUMB, (point.x - this.places[best.name].x) / this.unit);
    else if (other) this.deny?.(other.name);
  }

  // The nearest of some nodes to a point, within REACH; null if there is none.
  nearest(point, names) {
    let best = null;
    for (const name of names) {
      const place = this.places[name];
      const distance = Math.hypot(place.x - point.x, place.y - point.y);
      if (distance < REACH && (!best || distance < best.distance)) best = { name, distance };
    }
    return best;
  }

  pick(name, fine, aside = null) {
    this.focus = name;
    this.choose(name, fine, aside);
  }

  press(event, name) {
    if (!this.choose || !this.picks.role || event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.keys?.(event, name)) return event.preventDefault();
    if (event.key in ARROWS) {
      event.preventDefault();
      if (this.picks.role === "radio") this.turn(event.key, name);
      else this.go(this.towards(name, ...ARROWS[event.key]));
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      this.pick(name, true);
    } else if (event.key === "Escape") {
      this.pick(null, true);
    }
  }

  // In a radio group an arrow key chooses the next node in the board's order.
  turn(key, name) {
    const offered = this.picks.offered;
    const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    const next = offered[(offered.indexOf(name) + step + offered.length) % offered.length];
    this.pick(next, true);
    this.places[next].group.focus();
  }

  go(name) {
    if (!name) return;
    this.places[this.focus]?.group.setAttribute("tabindex", "-1");
    this.focus = name;
    this.places[name].group.setAttribute("tabindex", "0");
    this.places[name].group.focus();
  }

  // The nearest offered node in the direction of an arrow key; null if there is none.
  towards(name, dx, dy) {
    const from = this.places[name];
    let best = null;
    for (const other of this.picks.offered) {
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
    const [across, down] = well ? [0.72, 0.72] : [1.7, 1.3];
    return svg("svg", {
      viewBox: [x - across * this.unit, y - down * this.unit, 2 * across * this.unit, 2 * down * this.unit].join(" "), class: "echo", "aria-hidden": "true",
    }, svg("use", { href: `#${this.art.id}` }));
  }
}

// The box around all points and a disc, as [left, top, width, height].
function frame(points, radius, margin) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs, -radius) - margin;
  const top = Math.min(...ys, -radius) - margin;
  return [left, top, Math.max(...xs, radius) + margin - left, Math.max(...ys, radius) + margin - top].map((one) => Math.round(one * 100) / 100);
}

// The wood under a board without circles.
function plate([x, y, width, height]) {
  return svg("rect", { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: 16, class: "plate", "aria-hidden": "true" });
}

function rimIsHomes({ layout: { nodes, circles }, seats }) {
  const outermost = Math.max(...circles);
  const homes = new Set(seats.flatMap((seat) => seat.homes));
  return circles.length > 1 && Object.entries(nodes).every(([name, where]) => homes.has(name) || Math.hypot(...where) < outermost - 0.5);
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
  place.drawn = (planned && !stack.length ? [planned.piece] : stack).join("");
  const hue = planned?.seat ? seatHue(view, planned.seat) : "";
  place.group.classList.toggle("planned", Boolean(planned));
  place.stack.replaceChildren(...place.drawn ? stones(planned && !stack.length ? [planned.piece] : stack, view) : [], ...planned ? plan(planned, hue) : []);
  place.label.style.display = place.drawn ? "none" : "";
  place.words = stackWords(stack, view);
}

function plan({ seat }, hue) {
  const ring = svg("circle", { r: 14.4, class: `plan ${hue}` });
  if (!seat) return [ring];
  const number = svg("text", { x: 12, y: -8, class: "letter count" });
  number.textContent = seat;
  return [ring, svg("circle", { cx: 12, cy: -11.4, r: 6.4, class: `badge ${hue}` }), number];
}

function drawLight(place, light, view) {
  drawLamp(place, light, light && lampColour(light, view));
  const words = `${place.name}: ${place.words}${light ? `; ${light.words}` : ""}`;
  if (place.title.textContent !== words) place.title.textContent = words;
}

function summary(view) {
  const lying = Object.entries(view.board).map(([node, stack]) => `${node} ${stackWords(stack, view)}`);
  return say("Board. {pieces}", { pieces: lying.length ? lying.join(", ") : say("empty") });
}
