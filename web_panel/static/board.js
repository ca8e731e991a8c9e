// The board as a drawing: lines, stones with letters, lights with their meaning in words.

const NS = "http://www.w3.org/2000/svg";
const UNIT = 44;
const LIGHTS = {
  put: "seat", movable: "white", target: "cyan", best: "cyan", interact: "amber", wrong: "red",
  return: "white", remove: "white", confirm: "magenta", loop: "violet", won: "seat",
};

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
    // While choosing, homes are no targets and move in, so that 44 px targets fit a narrow phone.
    const outer = choosing && reach === 4 ? 166 / 4 / UNIT : 1;
    const size = (choosing && reach === 4 ? 166 : reach * UNIT) + 20;
    const at = ([x, y]) => {
      const scale = Math.hypot(x, y) > reach - 0.5 ? UNIT * outer : UNIT;
      return [x * scale, -y * scale];
    };
    this.root = svg("svg", {
      viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, class: choosing ? "choosing" : "watching",
      role: choosing ? "radiogroup" : "img",
    });
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
    for (const [name, where] of Object.entries(nodes)) this.root.append(this.place(name, at(where), owner[name]));
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
    group.append(glow, spot, label, stones);
    this.places[name] = { name, x, y, group, spot, glow, stones, label, drawn: null };
    group.addEventListener("keydown", (event) => this.key_(event, name));
    return group;
  }

  drawStones(place, stack, pieces) {
    const key = stack.join("");
    if (place.drawn === key) return;
    place.drawn = key;
    place.stones.replaceChildren();
    place.label.style.display = stack.length ? "none" : "";
    stack.forEach((piece, level) => {
      const lift = stack.length > 1 ? 4 - level * 7 : 0;
      const letter = svg("text", { y: lift + 4, class: `letter ${piece}` });
      letter.textContent = piece.toUpperCase();
      const stone = svg("circle", { cy: lift, r: 12.5, class: `stone ${piece}` });
      place.stones.append(stone);
      if (level === stack.length - 1 && stack.length === 1) place.stones.append(letter);
    });
    if (stack.length > 1) {
      const mark = svg("text", { y: 4 - (stack.length - 1) * 7 + 4, class: `letter ${stack.at(-1)}` });
      mark.textContent = new Set(stack).size > 1 && stack.length === 2 ? "✕" : `${stack.length}`;
      place.stones.append(mark);
    }
    place.words = stack.length ? stack.map((piece) => pieces[piece]).join(" and ") : "empty";
  }

  drawLight(place, light) {
    const kind = light ? LIGHTS[light.meaning] ?? "white" : "";
    const colour = kind === "seat" ? `seat-${light.seat}` : kind;
    place.glow.setAttribute("class", light ? `glow lit ${light.meaning} ${colour}` : "glow");
    place.light = light;
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
      place.group.setAttribute("aria-label", `${name}, empty`);
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

function summary(view) {
  const stones = Object.entries(view.board).map(([node, stack]) => `${node} ${stack.map((p) => view.pieces[p]).join(" and ")}`);
  return `Board. ${stones.length ? stones.join(", ") : "empty"}`;
}
