// The board as a drawing: lines, pieces with letters, lights with their meaning in words; and nodes to be picked.
import { stackWords, stones, svg, tint } from "./pieces.js";

const UNIT = 44;
const MANY = 60; // From so many nodes on, nodes are drawn larger in proportion: a phone shows them all, but smaller.
export const THUMB = 40; // Neighbours so many pixels apart are told apart by a thumb; nearer ones are shown large first.
const REACH = 30; // A tap beside a node takes the nearest one within this distance.
const LIGHTS = {
  put: "seat", movable: "white", target: "cyan", best: "cyan", interact: "amber", wrong: "red",
  return: "red", remove: "red", confirm: "magenta", loop: "violet", won: "seat", line: "cyan", stone: "seat",
};
const ARROWS = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
const WINDS = ["north", "north-north-east", "north-east", "east-north-east", "east", "east-south-east", "south-east",
  "south-south-east", "south", "south-south-west", "south-west", "west-south-west", "west", "west-north-west", "north-west",
  "north-north-west"];
const NOTHING = { role: null, offered: [], chosen: null, colour: null, marked: null, aims: [] };

export function lampColour(light) {
  const kind = LIGHTS[light.meaning] ?? "white";
  return kind === "seat" ? `seat-${light.seat}` : kind;
}

function wind([x, y]) {
  if (Math.hypot(x, y) < 0.1) return "centre";
  return WINDS[(Math.round((Math.atan2(x, y) / Math.PI) * 8) + 16) % 16];
}

export class Board {
  // `choose(node, fine)` is called with a picked node; `fine` tells that the drawing is large enough for a thumb to be
  // trusted (or that a key did it).
  constructor(host, { choose = null } = {}) {
    this.host = host;
    this.choose = choose;
    this.key = "";
    this.picks = NOTHING;
    this.focus = null;
  }

  // `picks.role` is null (to look at), "radio" (one of the offered nodes is chosen) or "button" (nodes are tapped one
  // after the other: `chosen` where it begins, `aims` where it may go, `marked` what was tapped last).
  show(view, picks = {}) {
    this.picks = { ...NOTHING, ...picks };
    this.pieces = view.pieces;
    const tucked = this.picks.role === "radio" && rimIsFree(view.layout, this.picks.offered);
    const key = JSON.stringify([view.layout, this.picks.role, tucked]);
    if (key !== this.key) {
      this.key = key;
      this.build(view, tucked);
    }
    const open = new Set(this.picks.offered);
    const aims = new Set(this.picks.aims);
    if (!open.has(this.focus)) this.focus = this.picks.chosen ?? this.picks.offered[0] ?? null;
    for (const [name, place] of Object.entries(this.places)) {
      drawStones(place, view.board[name] ?? [], view.pieces);
      drawLight(place, view.lights[name]);
      if (this.picks.role) this.drawPick(place, open.has(name), aims.has(name));
    }
    this.root.setAttribute("aria-label", summary(view));
  }

  build(view, tucked) {
    const { nodes, circles, lines } = view.layout;
    const role = this.picks.role;
    const reach = Math.max(...Object.values(nodes).map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))), 1);
    // Where no node of the outermost circle can be picked, it moves in: so 44 px targets fit a phone 360 px wide.
    const rim = reach * UNIT - (tucked ? 10 : 0);
    const at = ([x, y]) => {
      const scale = tucked && Math.hypot(x, y) > reach - 0.5 ? rim / reach : UNIT;
      return [x * scale, -y * scale];
    };
    const many = Object.keys(nodes).length > MANY;
    this.scale = many ? 1.35 : 1;
    const kind = { null: "watching", radio: "choosing", button: "picking" }[role];
    this.root = svg("svg", {
      viewBox: frame(Object.values(nodes).map(at), circles.length ? rim : 0, tucked ? 14 : 20 * this.scale).join(" "),
      class: kind, role: { null: "img", radio: "radiogroup", button: "group" }[role],
    });
    // Named once more on what is magnified: a style reaches no further up from there.
    this.art = svg("g", { id: `${this.host.id}-art`, class: many ? `${kind} many` : kind });
    if (circles.length) this.art.append(svg("circle", { r: rim + (tucked ? 13.5 : 19.5), class: "disc", "aria-hidden": "true" }));
    this.art.append(drawLines(nodes, circles, lines, at));
    const owner = {};
    for (const seat of view.seats) for (const home of seat.homes) owner[home] ??= seat;
    this.places = {};
    for (const [name, where] of Object.entries(nodes)) {
      this.art.append(this.place(name, at(where), owner[name]));
      this.places[name].spoken = `${name}, ${wind(where)}`;
    }
    this.root.append(this.art);
    if (role) this.root.addEventListener("click", (event) => this.snap(event));
    this.host.replaceChildren(this.root);
  }

  place(name, [x, y], owner) {
    const group = svg("g", { class: "node", transform: `translate(${x} ${y}) scale(${this.scale})`, "data-node": name });
    const spot = svg("circle", { r: 11, class: owner ? `spot seat-${owner.seat}` : "spot" });
    const glow = svg("circle", { r: this.scale > 1 ? 14.5 : 17, class: "glow" });
    const stack = svg("g", { class: "stones" });
    const label = svg("text", { y: 3.6, class: "label" });
    label.textContent = name;
    const title = svg("title", {});
    group.append(title, glow, spot, label, stack);
    if (this.picks.role === "button") group.append(svg("circle", { r: 13.5, class: "ring" }));
    this.places[name] = { name, x, y, group, glow, stack, label, title, drawn: null, words: "empty" };
    group.addEventListener("keydown", (event) => this.press(event, name));
    return group;
  }

  drawPick(place, can, aim) {
    const { name, group } = place;
    const { role, chosen, marked, colour } = this.picks;
    const is = name === chosen;
    group.classList.toggle("can", can);
    group.classList.toggle("aim", aim);
    group.classList.toggle("chosen", is);
    group.classList.toggle("marked", name === marked);
    group.setAttribute("data-colour", is && colour ? tint(colour, this.pieces) : "");
    if (!can) {
      for (const attribute of ["role", "aria-checked", "aria-pressed", "tabindex", "aria-label"]) group.removeAttribute(attribute);
      group.setAttribute("aria-hidden", "true");
      return;
    }
    group.removeAttribute("aria-hidden");
    group.setAttribute("role", role);
    group.setAttribute(role === "radio" ? "aria-checked" : "aria-pressed", is || name === marked ? "true" : "false");
    const words = role === "radio" ? place.spoken : `${place.spoken}, ${place.words}${aim ? ", may go here" : ""}`;
    if (group.getAttribute("aria-label") !== words) group.setAttribute("aria-label", words);
    group.setAttribute("tabindex", name === this.focus ? "0" : "-1");
  }

  // How many screen pixels lie between neighbours.
  pitch() {
    return (this.root.getScreenCTM()?.a ?? 1) * UNIT;
  }

  snap(event) {
    if (!this.choose) return;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    let best = null;
    for (const name of this.picks.offered) {
      const place = this.places[name];
      const distance = Math.hypot(place.x - point.x, place.y - point.y);
      if (distance < REACH && (!best || distance < best.distance)) best = { name, distance };
    }
    if (best) this.pick(best.name, this.pitch() >= THUMB);
  }

  pick(name, fine) {
    this.focus = name;
    this.choose(name, fine);
  }

  press(event, name) {
    if (!this.choose || !this.picks.role) return;
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

  // One of a radio group: an arrow chooses the next one in the board's order.
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

  // The nearest node that can be picked in the direction of an arrow.
  towards(name, dx, dy) {
    const from = this.places[name];
    let best = null;
    for (const other of this.picks.offered) {
      const place = this.places[other];
      const ahead = (place.x - from.x) * dx + (place.y - from.y) * dy;
      const aside = Math.abs((place.x - from.x) * dy - (place.y - from.y) * dx);
      if (ahead < UNIT / 4 || aside > ahead * 1.8) continue;
      const cost = Math.hypot(ahead, aside) + 0.6 * aside;
      if (!best || cost < best.cost) best = { name: other, cost };
    }
    return best?.name ?? null;
  }

  // A node and its neighbours, magnified: what a thumb has covered.
  echo(name) {
    const { x, y } = this.places[name];
    return svg("svg", {
      viewBox: [x - 1.7 * UNIT, y - 1.3 * UNIT, 3.4 * UNIT, 2.6 * UNIT].join(" "), class: "echo", "aria-hidden": "true",
    }, svg("use", { href: `#${this.art.id}` }));
  }
}

// The box round all points, and round a disc of a radius.
function frame(points, radius, margin) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs, -radius) - margin;
  const top = Math.min(...ys, -radius) - margin;
  return [left, top, Math.max(...xs, radius) + margin - left, Math.max(...ys, radius) + margin - top].map((one) => Math.round(one * 100) / 100);
}

function rimIsFree(layout, offered) {
  const outermost = Math.max(...layout.circles);
  return layout.circles.length > 1 && offered.every((name) => Math.hypot(...layout.nodes[name]) < outermost - 0.5);
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

function drawStones(place, stack, pieces) {
  const key = stack.join("");
  if (place.drawn === key) return;
  place.drawn = key;
  place.stack.replaceChildren(...stack.length ? stones(stack, pieces) : []);
  place.label.style.display = stack.length ? "none" : "";
  place.words = stackWords(stack, pieces);
}

function drawLight(place, light) {
  place.glow.setAttribute("class", light ? `glow lit ${light.meaning} ${lampColour(light)}` : "glow");
  const words = `${place.name}: ${place.words}${light ? `; ${light.words}` : ""}`;
  if (place.title.textContent !== words) place.title.textContent = words;
}

function summary(view) {
  const lying = Object.entries(view.board).map(([node, stack]) => `${node} ${stackWords(stack, view.pieces)}`);
  return `Board. ${lying.length ? lying.join(", ") : "empty"}`;
}
