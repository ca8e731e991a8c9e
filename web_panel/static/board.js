// The board as a drawing: lines, stones with letters, lights with their meaning in words.

const NS = "http://www.w3.org/2000/svg";
const UNIT = 44;
const LIGHTS = {
  put: "seat", movable: "white", target: "cyan", best: "cyan", interact: "amber", wrong: "red",
  return: "red", remove: "red", confirm: "magenta", loop: "violet", won: "seat",
};

const WINDS = ["north", "north-north-east", "north-east", "east-north-east", "east", "east-south-east", "south-east",
  "south-south-east", "south", "south-south-west", "south-west", "west-south-west", "west", "west-north-west", "north-west",
  "north-north-west"];

export function lampColour(light) {
  const kind = LIGHTS[light.meaning] ?? "white";
  return kind === "seat" ? `seat-${light.seat}` : kind;
}

function wind([x, y]) {
  if (Math.hypot(x, y) < 0.1) return "centre";
  return WINDS[(Math.round((Math.atan2(x, y) / Math.PI) * 8) + 16) % 16];
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export class Board {
  // With `choose` the placeable nodes are radio buttons: choose(node) is called; `offered` says which.
  constructor(host, { choose = null } = {}) {
    this.host = host;
    this.choose = choose;
    this.key = "";
    this.chosen = null;
  }

  show(view, { offered = null, chosen = null, colour = null } = {}) {
    const key = JSON.stringify([view.layout, offered !== null]);
    if (key !== this.key) {
      this.key = key;
      this.build(view, offered !== null);
    }
    for (const [name, place] of Object.entries(this.places)) {
      this.drawStones(place, view.board[name] ?? [], view.pieces);
      this.drawLight(place, view.lights[name]);
      this.drawChoice(name, place, offered, chosen, colour);
    }
    this.host.firstChild.setAttribute("aria-label", summary(view));
  }

  build(view, choosing) {
    const nodes = view.layout.nodes;
    const reach = Math.max(...Object.values(nodes).map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))), 1);
    // While choosing, homes are no targets and move in: then 44 px targets at a pitch of 44 px fit a phone 360 px wide.
    const dense = choosing && reach === 4;
    const rim = dense ? 166 : reach * UNIT;
    const size = dense ? 180 : rim + 20;
    const at = ([x, y]) => {
      const scale = Math.hypot(x, y) > reach - 0.5 ? rim / reach : UNIT;
      return [x * scale, -y * scale];
    };
    this.root = svg("svg", {
      viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, class: choosing ? "choosing" : "watching",
      role: choosing ? "radiogroup" : "img",
    });
    if (view.layout.circles.length) this.root.append(svg("circle", { r: size - 0.5, class: "disc", "aria-hidden": "true" }));
    const lines = svg("g", { class: "lines", "aria-hidden": "true" });
    for (const radius of view.layout.circles) {
      lines.append(svg("circle", { r: Math.abs(at([radius, 0])[0]) }));
    }
    const rings = new Set(view.layout.circles.map((radius) => radius.toFixed(2)));
    for (const [one, other] of view.layout.lines) {
      const [a, b] = [nodes[one], nodes[other]];
      const same = Math.hypot(...a).toFixed(2) === Math.hypot(...b).toFixed(2);
      if (same && rings.has(Math.hypot(...a).toFixed(2))) continue;
      const [[x1, y1], [x2, y2]] = [at(a), at(b)];
      lines.append(svg("line", { x1, y1, x2, y2 }));
    }
    this.root.append(lines);
    const owner = {};
    for (const seat of view.seats) for (const home of seat.homes) owner[home] ??= seat;
    this.places = {};
    for (const [name, where] of Object.entries(nodes)) {
      this.root.append(this.place(name, at(where), owner[name]));
      this.places[name].spoken = `${name}, ${wind(where)}`;
    }
    this.root.addEventListener("click", (event) => this.snap(event));
    this.host.replaceChildren(this.root);
  }

  place(name, [x, y], owner) {
    const group = svg("g", { class: "node", transform: `translate(${x} ${y})`, "data-node": name });
    const spot = svg("circle", { r: 11, class: owner ? `spot seat-${owner.seat}` : "spot" });
    const glow = svg("circle", { r: 17, class: "glow" });
    const stones = svg("g", { class: "stones" });
    const label = svg("text", { y: 3.6, class: "label" });
    label.textContent = name;
    const title = svg("title", {});
    group.append(title, glow, spot, label, stones);
    this.places[name] = { name, x, y, group, spot, glow, stones, label, title, drawn: null, words: "empty" };
    group.addEventListener("keydown", (event) => this.key_(event, name));
    return group;
  }

  drawStones(place, stack, pieces) {
    const key = stack.join("");
    if (place.drawn === key) return;
    place.drawn = key;
    place.stones.replaceChildren(...stack.length ? stones(stack) : []);
    place.label.style.display = stack.length ? "none" : "";
    place.words = stack.length ? stack.map((piece) => pieces[piece]).join(" and ") : "empty";
  }

  drawLight(place, light) {
    place.glow.setAttribute("class", light ? `glow lit ${light.meaning} ${lampColour(light)}` : "glow");
    const words = `${place.name}: ${place.words}${light ? `; ${light.words}` : ""}`;
    if (place.title.textContent !== words) place.title.textContent = words;
  }

  drawChoice(name, place, offered, chosen, colour) {
    if (offered === null) return;
    const can = offered.includes(name);
    const is = name === chosen;
    place.group.classList.toggle("can", can);
    place.group.classList.toggle("chosen", is);
    place.group.setAttribute("data-colour", is && colour ? colour : "");
    if (can) {
      place.group.setAttribute("role", "radio");
      place.group.setAttribute("aria-checked", is ? "true" : "false");
      place.group.setAttribute("aria-label", place.spoken);
      place.group.setAttribute("tabindex", is || (!chosen && name === offered[0]) ? "0" : "-1");
    } else {
      for (const attribute of ["role", "aria-checked", "tabindex", "aria-label"]) place.group.removeAttribute(attribute);
      place.group.setAttribute("aria-hidden", "true");
    }
    if (can) place.group.removeAttribute("aria-hidden");
    this.offered = offered;
  }

  snap(event) {
    if (!this.choose || !this.offered) return;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    let best = null;
    for (const name of this.offered) {
      const place = this.places[name];
      const distance = Math.hypot(place.x - point.x, place.y - point.y);
      if (distance < 30 && (!best || distance < best.distance)) best = { name, distance };
    }
    if (best) this.choose(best.name);
  }

  key_(event, name) {
    if (!this.choose || !this.offered) return;
    const at = this.offered.indexOf(name);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = this.offered[(at + step + this.offered.length) % this.offered.length];
      this.choose(next);
      this.places[next].group.focus();
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      this.choose(name);
    }
  }
}

// One stone: a disc with its letter. Both colours: two half discs, as they lie. More than a pair: with their number.
function stones(stack) {
  const [top, bottom] = [stack.at(-1), stack.at(-2)];
  const drawn = [];
  const letter = (y, piece, text) => {
    const mark = svg("text", { y, class: `letter ${piece}` });
    mark.textContent = text;
    return mark;
  };
  if (bottom && bottom !== top) {
    drawn.push(svg("path", { d: "M-14 0A14 14 0 0 1 14 0Z", class: `stone ${top}` }), letter(-2.5, top, top.toUpperCase()));
    drawn.push(svg("path", { d: "M-14 0A14 14 0 0 0 14 0Z", class: `stone ${bottom}` }), letter(10.5, bottom, bottom.toUpperCase()));
  } else {
    if (bottom) drawn.push(svg("circle", { cy: 5, r: 12.5, class: `stone ${bottom}` }));
    drawn.push(svg("circle", { r: 12.5, class: `stone ${top}` }), letter(4, top, top.toUpperCase()));
  }
  if (stack.length > 2 || (bottom && bottom === top)) {
    drawn.push(svg("circle", { cx: 12, cy: -11, r: 7, class: "badge" }));
    const count = svg("text", { x: 12, y: -7.5, class: "letter count" });
    count.textContent = stack.length;
    drawn.push(count);
  }
  return drawn;
}

function summary(view) {
  const stones = Object.entries(view.board).map(([node, stack]) => `${node} ${stack.map((p) => view.pieces[p]).join(" and ")}`);
  return `Board. ${stones.length ? stones.join(", ") : "empty"}`;
}
