import { octagon, parted, svg, tileShapes } from "./tile.js";
import { listed, say, sayIn } from "./words.js";

// Draws the board from its description, and its state: stones, lights as their bytes give them, sensor readings.

const MANY = 60; // With more nodes than this a node is small on a phone, so its name is larger in proportion.
const COLOURS = {
  white: ["#ffffff", "#cfcabb"], black: ["#4a5157", "#0f1113"], blue: ["#4f93dd", "#17508f"], red: ["#e5675c", "#951d16"],
  yellow: ["#ffe78a", "#d9ac1c"], green: ["#4cb878", "#155c30"],
};

function text(words, attributes) {
  const node = svg("text", attributes);
  node.textContent = words;
  return node;
}

// Return letter → colour of the round pieces: white and black stones, else the colour with that first letter.
export function colours(letters) {
  const known = letters.includes("w") ? ["white", "black"] : ["blue", "red", "yellow", "green"];
  return Object.fromEntries(letters.map((letter) => [letter, known.find((colour) => colour[0] === letter) ?? "white"]));
}

const SPOKEN = {
  white: sayIn("piece", "white"), black: sayIn("piece", "black"), blue: sayIn("piece", "blue"), red: sayIn("piece", "red"),
  yellow: sayIn("piece", "yellow"), green: sayIn("piece", "green"),
};
let names = {};

export function words(stack) {
  const called = (piece) => {
    const tile = parted(piece);
    if (!tile) return SPOKEN[names[piece]] ?? piece;
    return tile.turn ? say("tile {tile}, turned {eighths}/8", { tile: tile.name, eighths: tile.turn }) : say("tile {tile}", { tile: tile.name });
  };
  return stack.length ? listed(stack.map(called)) : say("empty");
}

// Return the name of a fault, as in the page's forms.
export function mishap(fault) {
  return document.querySelector(`option[value="${fault}"]`)?.textContent ?? say("does not answer");
}

// Return the radius of a drawn node: as large as its neighbours allow, for fingers and lights.
function nodeRadius(layout) {
  const points = Object.values(layout.nodes);
  let nearest = Infinity;
  points.forEach(([x, y], index) => {
    for (const [u, v] of points.slice(index + 1)) nearest = Math.min(nearest, Math.hypot(x - u, y - v));
  });
  return Math.max(layout.node_mm / 2, Number.isFinite(nearest) ? nearest * 0.345 : 0);
}

// Return the box round all nodes and the shape of the plate: a disc for a board with circles, else a rounded rectangle.
function plate(layout, margin) {
  const points = [...Object.values(layout.nodes), ...layout.paths.flat()];
  if (layout.circles.length) {
    const size = Math.max(...points.map(([x, y]) => Math.hypot(x, y)), ...layout.circles) + margin;
    return { box: [-size, -size, 2 * size, 2 * size], felt: svg("circle", { r: size - 1, class: "felt" }) };
  }
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => -y)];
  const [x, y] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  const [width, height] = [Math.max(...xs) + margin - x, Math.max(...ys) + margin - y];
  return { box: [x, y, width, height], felt: svg("rect", { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: margin, class: "felt" }) };
}

function stoneGradient(id, light, dark) {
  return svg("radialGradient", { id, cx: 0.38, cy: 0.32, r: 0.75 },
    svg("stop", { offset: 0, "stop-color": light }), svg("stop", { offset: 1, "stop-color": dark }));
}

export class Drawing {
  constructor(layout) {
    this.layout = layout;
    this.wells = new Set(layout.wells);
    this.colours = names = colours(layout.stones);
    this.r = nodeRadius(layout);
    this.places = {};
    const { box, felt } = plate(layout, this.r * 1.75);
    this.root = svg("svg", { viewBox: box.join(" "), role: "group", "aria-label": say("The board") });
    this.defs = svg("defs", {}, ...Object.entries(this.colours).map(([letter, colour]) => stoneGradient(`stone-${letter}`, ...COLOURS[colour])));
    this.root.append(this.defs, felt);
    for (const radius of layout.circles) this.root.append(svg("circle", { r: radius, class: "printed" }));
    for (const line of layout.lines) {
      const points = line.map((name) => `${layout.nodes[name][0]},${-layout.nodes[name][1]}`).join(" ");
      this.root.append(svg("polyline", { class: "printed", points }));
    }
    for (const path of layout.paths) this.root.append(svg("polyline", { class: "printed", points: path.map(([x, y]) => `${x},${-y}`).join(" ") }));
    this.glows = svg("g"); // Below all nodes, so that a glow never covers a neighbour's stone.
    this.root.append(this.glows);
    this.covers = svg("g");
    Object.entries(layout.nodes).forEach(([name, [x, y]], index) => this.addNode(name, x, -y, index));
    this.root.append(this.covers);
  }

  addNode(name, x, y, index) {
    const r = this.r;
    const many = Object.keys(this.layout.nodes).length > MANY;
    const stops = [0.3, 0.55, 1].map((offset, at) => svg("stop", { offset, "stop-opacity": [0.9, 0.38, 0][at] }));
    this.defs.append(svg("radialGradient", { id: `glow-${index}` }, ...stops));
    const well = this.wells.has(name) ? this.layout.well_mm / 2 : 0;
    const shape = (kind, share, more = {}) => (well ? svg("path", { class: kind, d: octagon(well * share), ...more }) : svg("circle", { class: kind, r: r * share, ...more }));
    const halo = svg("circle", { class: "halo", cx: x, cy: y, r: well ? well * 1.5 : r * 2.1, fill: `url(#glow-${index})`, visibility: "hidden" });
    this.glows.append(halo);
    const group = svg("g", { class: "node", transform: `translate(${x} ${y})`, tabindex: "-1", role: "button", "data-node": name });
    const led = shape("led", 0.94, { fill: "none" });
    const ring = shape("ring", 1.02, { stroke: "none" });
    const label = text(name, { class: "label", y: r * (many ? 0.29 : 0.24), "font-size": r * (many ? 0.84 : 0.68) });
    // Outside the button, whose accessible name describes its stones in words.
    const over = svg("g", { transform: `translate(${x} ${y})`, "aria-hidden": "true", "data-on": name });
    const stones = svg("g");
    const sign = text("", { class: "felt-sign", y: -r * 1.15, "font-size": r * 0.7 });
    const spot = shape("spot", well ? 1.05 : 1.4, { fill: "transparent" }); // The area that reacts to a finger.
    group.append(spot, shape("hole", 1), led, label, ring);
    over.append(stones, sign);
    this.root.append(group);
    this.covers.append(over);
    this.places[name] = { name, x, y, group, halo, stops, led, ring, label, stones, sign, well, drawn: null };
  }

  pile(stack, into, name = "") {
    const r = this.r * 0.9;
    const lift = stack.length > 1 ? Math.min(r * 0.3, (r * 1.1) / (stack.length - 1)) : 0;
    const top = (-lift * (stack.length - 1)) / 2;
    stack.forEach((piece, level) => {
      const [cy, tile] = [-top - level * lift, parted(piece)];
      into.append(tile ? this.tile(tile, cy) : svg("circle", { class: `stone ${this.colours[piece]}`, r, cy, fill: `url(#stone-${piece})` }));
    });
    const piece = this.colours[stack.at(-1)];
    if (piece) into.append(text(stack.at(-1).toUpperCase(), { class: `letter ${piece}`, y: top + r * (name ? 0.12 : 0.32), "font-size": r * 0.95 }));
    if (piece && name) into.append(text(name, { class: `name ${piece}`, y: top + r * 0.68, "font-size": r * 0.5 }));
    if (stack.length > 1) {
      into.append(svg("circle", { class: "badge", cx: r * 0.82, cy: top - r * 0.6, r: r * 0.42 }));
      into.append(text(stack.length, { class: "count", x: r * 0.82, y: top - r * 0.4, "font-size": r * 0.6 }));
    }
  }

  tile({ name, turn }, y) {
    return svg("g", { class: "lying-tile", transform: `translate(0 ${y})` }, ...tileShapes(name, this.layout.tiles[name] ?? [], turn, this.layout.well_mm * 0.47));
  }

  show(state) {
    for (const place of Object.values(this.places)) {
      const stack = state.stones[place.name] ?? [];
      this.showStack(place, stack);
      const light = this.showLight(place, state.pixels[place.name], stack.length > 0);
      const fault = state.faults[place.name] ?? state.faults.board;
      place.group.classList.toggle("broken", Boolean(fault));
      place.sign.textContent = sign(place.well && state.kind !== "level" ? "presence" : state.kind, state.feels[place.name]);
      const parts = [words(stack), light, fault && mishap(fault)].filter(Boolean);
      place.group.setAttribute("aria-label", `${place.name}: ${parts.join(", ")}`);
    }
  }

  showStack(place, stack) {
    const key = stack.join("");
    if (place.drawn === key) return;
    place.drawn = key;
    place.stones.replaceChildren();
    if (stack.length) this.pile(stack, place.stones, place.name);
    place.label.setAttribute("visibility", stack.length ? "hidden" : "visible");
  }

  showLight(place, [red, green, blue], covered) {
    const lit = red + green + blue > 0;
    // An LED's byte is linear in light, a screen's is not: brighten dark colours to look as on an LED.
    const [r, g, b] = [red, green, blue].map((byte) => Math.round(255 * (byte / 255) ** 0.45));
    const colour = lit ? `rgb(${r},${g},${b})` : "none";
    place.halo.setAttribute("visibility", lit ? "visible" : "hidden");
    if (lit) for (const stop of place.stops) stop.setAttribute("stop-color", colour);
    place.led.setAttribute("fill", covered ? "none" : colour);
    place.ring.setAttribute("stroke", covered ? colour : "none");
    place.group.classList.toggle("lit", lit && !covered);
    place.group.classList.toggle("bright", 0.3 * r + 0.59 * g + 0.11 * b > 90);
    return lit && say("light {red} {green} {blue}", { red, green, blue });
  }

  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
  }

  // Return the node at a pointer; null if there is none.
  nearest(event) {
    const { x, y } = this.at(event);
    let best = null;
    for (const place of Object.values(this.places)) {
      const distance = Math.hypot(place.x - x, place.y - y);
      if (distance < (place.well || this.r * 1.4) && (!best || distance < best.distance)) best = { name: place.name, distance };
    }
    return best?.name ?? null;
  }

  // Return the next node in a direction (unit step); null at the edge.
  towards(name, dx, dy) {
    const from = this.places[name];
    let best = null;
    for (const place of Object.values(this.places)) {
      const ahead = (place.x - from.x) * dx + (place.y - from.y) * dy;
      const aside = Math.abs((place.x - from.x) * dy - (place.y - from.y) * dx);
      if (ahead < this.r * 0.5 || aside > ahead * 1.5) continue;
      const cost = Math.hypot(ahead, aside) + 0.6 * aside;
      if (!best || cost < best.cost) best = { name: place.name, cost };
    }
    return best?.name ?? null;
  }
}

function sign(kind, reading) {
  if (reading === undefined) return "";
  if (kind === "presence") return "●";
  if (kind === "polarity") return ["", "N", "S", "N+S"][reading];
  return reading > 128 ? `+${reading - 128}` : `−${128 - reading}`;
}
