// Nodes to pick on a drawing of the board: by finger, pointer or keys.
import { placeAloud } from "./aloud.js";
import { Drawing } from "./drawing.js";
import { LAMPS } from "./lamp_table.js";
import { say } from "./words.js";

// Screen pixels between neighbours that a thumb can tell apart; nearer ones are magnified first.
export const THUMB = 40;
const ARROWS = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
const WINDS = [
  say("north"), say("north-north-east"), say("north-east"), say("east-north-east"), say("east"),
  say("east-south-east"), say("south-east"), say("south-south-east"), say("south"), say("south-south-west"),
  say("south-west"), say("west-south-west"), say("west"), say("west-north-west"), say("north-west"),
  say("north-north-west"),
];
const MAY_MOVE = new Set(["movable", "interact"]);
/** @type {Record<string, "choosing" | "picking">} */
const USES = { radio: "choosing", button: "picking" };
/** @type {Required<Picks>} */
const NOTHING = { role: null, offered: [], chosen: null, colour: null, marked: null, aims: [], ghost: null,
  trails: [] };

// While a piece is picked the board shows where it may go, and not what else may be moved. Pieces that push or pull
// each other may be moved, too; each of them may be where the other one goes.
function goals(lights, chosen, aims) {
  const kept = Object.entries(lights).filter(([node, { meaning }]) => node !== chosen && !MAY_MOVE.has(meaning));
  const words = say("From {node}: tap where it should go.", { node: chosen });
  return { ...Object.fromEntries(aims.map((aim) => [aim, { meaning: "target", words: LAMPS.target.words }])),
    ...Object.fromEntries(kept), [chosen]: { meaning: "picked", words } };
}

function wind([x, y]) {
  if (Math.hypot(x, y) < 0.1) return say("centre");
  return WINDS[(Math.round((Math.atan2(x, y) / Math.PI) * 8) + 16) % 16];
}

/** @import { Extras, Scene } from "./drawing.js" */

/**
 * What can be picked on a drawing.
 * @typedef {object} Picks
 * @property {"radio" | "button" | null} [role] Nothing; one of the `offered` nodes is chosen; or nodes are tapped one
 *   after the other: `chosen` is the start, `aims` are possible targets, `marked` the last tapped node.
 * @property {string[]} [offered]
 * @property {string | null} [chosen]
 * @property {string | null} [colour] The piece that the chosen node is shown with.
 * @property {string | null} [marked]
 * @property {string[]} [aims]
 * @property {Extras["ghost"]} [ghost]
 * @property {Extras["trails"]} [trails]
 */

export class Board {
  // `choose(node, fine, aside)` is called with a picked node; `fine`: the drawing is large enough for a thumb, or a key
  // was used; `aside`: the finger's distance to the right of the node's middle, in units of the layout, null for a key.
  // `keys(event, node)` may handle a key and return true. `deny(node)` is called for a tapped node that can't be
  // picked.
  /**
   * @param {any} host
   * @param {Record<string, ((...given: any[]) => any) | null>} handlers
   */
  constructor(host, { choose = null, keys = null, deny = null } = {}) {
    this.drawing = new Drawing(host);
    this.choose = choose;
    this.keys = keys;
    this.deny = deny;
    /** @type {Required<Picks>} */
    this.picks = NOTHING;
    /** @type {any} */
    this.view = null;
    /** @type {string | null} */
    this.focus = null;
    this.picked = false; // Whether anything could be picked when it was last shown.
    if (!choose) return;
    host.addEventListener("click", (event) => this.snap(event));
    host.addEventListener("keydown", (event) => {
      const node = event.target.closest("[data-node]")?.dataset.node;
      if (node) this.press(event, node);
    });
  }

  /**
   * @param {Scene} view
   * @param {Picks} picks
   */
  show(view, picks = {}) {
    this.picks = { ...NOTHING, ...picks };
    const { role, offered, chosen, colour, aims, ghost, trails } = this.picks;
    this.view = view;
    if (!this.focus || !offered.includes(this.focus)) this.focus = chosen ?? offered[0] ?? null;
    const choice = role === "radio" && chosen && colour && !view.board[chosen]
      ? { node: chosen, piece: colour, seat: view.you?.seat ?? null } : null;
    const scene = role === "button" && chosen ? { ...view, lights: goals(view.lights, chosen, aims) } : view;
    this.drawing.show(scene, { use: USES[role ?? ""] ?? "watching", ghost, trails, choice });
    this.drawing.art.classList.toggle("coloured", Boolean(colour));
    if (!role && !this.picked) return;
    this.picked = Boolean(role);
    for (const place of Object.values(this.drawing.places)) {
      this.drawPick(place, offered.includes(place.name), aims.includes(place.name));
      this.drawing.lift(place, role === "button" && place.name === chosen);
    }
  }

  drawPick({ name, group, words }, can, aim) {
    const { role, chosen, marked } = this.picks;
    const is = name === chosen;
    const looks = { can, aim, chosen: is && role === "button", marked: name === marked };
    for (const [look, on] of Object.entries(looks)) group.classList.toggle(look, on);
    const where = can && `${placeAloud(name, this.view.layout)}, ${wind(this.view.layout.nodes[name])}`;
    const node = role === "radio" ? where : `${where}, ${words}`;
    const on = is || name === marked ? "true" : "false";
    const attributes = {
      role: can && role,
      "aria-hidden": !can && role && "true",
      "aria-checked": can && role === "radio" && on,
      "aria-pressed": can && role === "button" && on,
      "aria-label": can && (aim ? say("{node}, may go here", { node }) : node),
      tabindex: can && (name === this.focus ? "0" : "-1"),
    };
    for (const [attribute, value] of Object.entries(attributes)) {
      if ((group.getAttribute(attribute) ?? false) === (value || false)) continue; // Writing is dear.
      if (value) group.setAttribute(attribute, value);
      else group.removeAttribute(attribute);
    }
  }

  // Screen pixels from a node to the nearest other offered one; on boards with wells the smallest distance of any two.
  pitch(name) {
    const { places, ways, unit, root } = this.drawing;
    const offered = this.picks.offered.map((one) => places[one]);
    let nearest = ways ? Infinity : unit;
    for (const one of ways ? offered : [places[name]]) {
      for (const other of offered) {
        if (other !== one) nearest = Math.min(nearest, Math.hypot(one.x - other.x, one.y - other.y));
      }
    }
    return (root.getScreenCTM()?.a ?? 1) * (Number.isFinite(nearest) ? nearest : unit);
  }

  snap(event) {
    const { drawing } = this;
    if (!this.picks.role || !event.target.closest("svg")) return;
    const point = drawing.point(event);
    const name = drawing.nearest(point, this.picks.offered);
    if (name) return this.pick(name, this.pitch(name) >= THUMB, (point.x - drawing.places[name].x) / drawing.unit);
    const other = drawing.nearest(point);
    if (other) this.deny?.(other);
  }

  /** @param {number | null} aside */
  pick(name, fine, aside = null) {
    this.focus = name;
    this.choose?.(name, fine, aside);
  }

  press(event, name) {
    if (!this.picks.role || event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.keys?.(event, name)) return event.preventDefault();
    if (event.key in ARROWS) {
      event.preventDefault();
      const [dx, dy] = ARROWS[event.key];
      if (this.picks.role === "radio") this.turn(event.key, name);
      else this.go(this.drawing.towards(name, dx, dy, this.picks.offered));
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
    this.drawing.places[next].group.focus();
  }

  go(name) {
    if (!name) return;
    const { places } = this.drawing;
    places[this.focus]?.group.setAttribute("tabindex", "-1");
    this.focus = name;
    places[name].group.setAttribute("tabindex", "0");
    places[name].group.focus();
  }
}
