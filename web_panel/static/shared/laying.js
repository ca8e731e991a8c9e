// Laying a tile, the first stage of a turn: its place, its turning, and the lines that it would make.
import { pausedWords } from "./agreements.js";
import { aloud } from "./aloud.js";
import { tilePicture } from "./tiles.js";
import { group, postButton } from "./controls.js";
import { element, hintLine, row } from "./elements.js";
import { closeSheet } from "./frame.js";
import { icon } from "./icons.js";
import { layingOf, Ways } from "./lines.js";
import { actions } from "./live.js";
import { card } from "./parts.js";
import { capital } from "./steps.js";
import { say, sayAround, sayMany } from "./words.js";

/** @import { Picks } from "./board.js" */

const LONG = 24; // A list of more turnings is folded.
const KEYS = { ArrowLeft: -1, "[": -1, ArrowRight: 1, "]": 1 };

// Whether a tile has to be laid now.
export function lays(view) {
  return Boolean(view.layout.tiles && view.supply && view.steps.length && view.steps.every((step) => step.partial));
}

// Well → turning → step.
function byWell(view) {
  const found = new Map(view.layout.wells.map((well) => [well, new Map()]));
  for (const step of view.steps) {
    const at = /** @type {any} */ (layingOf(step.action));
    found.get(at.well).set(at.turn, step);
  }
  return found;
}

export function turnWords(turn) {
  return turn ? sayMany("turned by {count} eighth", "turned by {count} eighths", turn) : say("not turned");
}

// The tile that the acting player wants to lay, which everybody sees; null without one.
export function wantedGhost(view) {
  const at = lays(view) && layingOf(view.wanted);
  return at ? { well: at.well, piece: `${view.supply.piece}r${at.turn}`, possible: true } : null;
}

// The well tapped on the drawing, until the tile is laid.
export class Layer {
  constructor(redraw) {
    this.redraw = redraw;
    this.key = "";
    /** @type {Ways | null} */
    this.ways = null;
    this.clear();
  }

  clear() {
    this.well = null;
    this.turn = 0;
    this.reason = null;
  }

  // The reason why the tile can't lie so; empty until the table has answered.
  why(view) {
    const asked = `${this.well} ${this.piece(view)}`;
    if (this.reason?.asked !== asked) {
      this.reason = { asked, words: "" };
      actions.why({ to: this.well, piece: this.piece(view) }).then(({ why }) => {
        if (this.reason?.asked !== asked || !why) return;
        this.reason.words = `${capital(why)}.`;
        this.redraw();
      }, () => {});
    }
    return this.reason.words;
  }

  /**
   * The drawing's offers: the wells, and after a tap the tile in it with all lines over it.
   * @returns {Picks | null}
   */
  picks(view, seat) {
    const key = JSON.stringify([view.turn, view.resolver, view.wanted, view.steps.map((step) => step.action)]);
    if (key !== this.key) {
      this.key = key;
      this.clear();
    }
    if (view.question) return null;
    const steps = byWell(view);
    const offered = view.layout.wells.filter((well) => steps.get(well).size);
    const lines = this.lines(view, seat);
    return {
      role: "button", offered, marked: this.well,
      ghost: this.well ? { well: this.well, piece: this.piece(view), possible: this.possible(view) }
        : wantedGhost(view),
      trails: lines.map((line) => ({ nodes: line.nodes, kind: this.possible(view) ? "may" : "never" })),
    };
  }

  piece(view) {
    return `${view.supply.piece}r${this.turn}`;
  }

  step(view) {
    return byWell(view).get(this.well)?.get(this.turn);
  }

  possible(view) {
    return Boolean(this.step(view));
  }

  lines(view, seat) {
    if (!this.well) return [];
    const same = this.ways?.layout.wells.join() === view.layout.wells.join();
    this.ways = same && this.ways || new Ways(view.layout);
    return this.ways.over(this.well, this.piece(view), seat, view.board);
  }

  // A tap on a well shows the tile there; a tap on that tile turns it, towards the tapped side.
  pick(view, well, aside) {
    if (well === null) {
      this.clear();
    } else if (well === this.well) {
      return this.rotate(aside !== null && aside < 0 ? -1 : 1);
    } else {
      const turns = [...byWell(view).get(well).keys()];
      const before = this.well ? this.turn : layingOf(view.wanted)?.turn ?? 0;
      const far = (turn) => Math.min((turn - before + 8) % 8, (before - turn + 8) % 8);
      this.well = well;
      this.turn = turns.sort((one, other) => far(one) - far(other) || one - other)[0] ?? before;
    }
    return this.redraw();
  }

  rotate(eighths) {
    this.turn = (this.turn + eighths + 8) % 8;
    this.redraw();
  }

  // Keys on the well with the tile: turn it, lay it.
  press(view, event, well) {
    if (!this.well || well !== this.well) return false;
    if (event.key in KEYS) this.rotate(KEYS[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.possible(view)) this.lay(view);
    else return event.key === "Enter" || event.key === " ";
    return true;
  }

  lay(view) {
    const { action } = this.step(view);
    this.clear();
    this.redraw();
    return actions.choose(action);
  }

  // In the tray: the tile as it would lie, between the buttons that turn it, and the button that lays it.
  strip(view, seat) {
    if (!this.well) return null;
    const possible = this.possible(view);
    const lines = this.lines(view, seat);
    const { piece: tile } = view.supply;
    const picture = tilePicture(tile, view.layout.tiles[tile], this.turn);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      this.rotate(event.clientX < box.left + box.width / 2 ? -1 : 1);
    });
    const how = { tile, well: this.well, turned: turnWords(this.turn) };
    const ends = [...new Set(lines.map(({ nodes }) => `${nodes[0]}–${nodes.at(-1)}`))];
    const turner = (id, name, words, eighths) => element("button",
      { id, class: "round", "aria-label": words, onclick: () => this.rotate(eighths) }, icon(name));
    return element("div", { class: "strip laying", "data-card": "strip", "data-turn": this.turn },
      element("p", { role: "status", class: "unseen" }, possible ? say("Tile {tile} on {well}, {turned}", how)
        : say("Tile {tile} on {well}, {turned}: not possible", how)),
      element("div", { class: "turner" }, turner("turn-back", "counterclockwise", say("Turn anticlockwise"), -1),
        element("div", { class: "turnable" }, picture),
        turner("turn-on", "clockwise", say("Turn clockwise"), 1)),
      element("div", { class: "row split" }, hintLine(!possible ? this.why(view) : ends.length
        ? say("Lines: {lines}", { lines: ends.join(", ") }) : say("No runner of yours could cross it.")),
      element("button", { id: "unpick", class: "bare", onclick: () => { this.clear(); this.redraw(); } },
        say("Clear"))),
      element("button", { id: "lay", class: possible ? "go" : "wait",
        why: possible ? "" : say("not possible like this"), onclick: () => this.lay(view) },
      say("Lay it in {well}", { well: this.well })));
  }
}

// All turnings as text, by well: for keyboards, screen readers, and people who prefer words.
export function turningsCard(view) {
  const groups = [...byWell(view)].filter(([, turns]) => turns.size);
  const long = view.steps.length > LONG;
  const buttons = (turns) => [...turns].sort(([one], [other]) => one - other).map(([turn, step]) => element("button", {
    id: `step-${step.action}`, "aria-label": aloud(step.words, view.layout),
    "aria-pressed": step.action === view.wanted ? "true" : "false",
    onclick: () => { closeSheet(); actions.choose(step.action); } }, turnWords(turn)));
  if (!long) {
    return card("steps", element("h2", {}, say("Where the tile can go")),
      element("ul", { class: "steps" }, ...groups.map(([well, turns]) =>
      element("li", {}, element("span", { class: "stone-name" }, well), ...buttons(turns)))));
  }
  return element("details", { class: "card", "data-card": "steps" },
    element("summary", {}, say("All {count} ways to lay it as a list", { count: view.steps.length })),
    element("div", { class: "column" }, ...groups.map(([well, turns]) =>
      group(well, say("On {well}", { well }) + ` (${turns.size})`, row(...buttons(turns))))));
}

// "How is the tile turned?": a picture of the tile for every answer.
export function turningQuestion(view) {
  const choices = view.question.choices.map((one) => ({ ...one, ...layingOf(one.action) }));
  if (!view.supply || !view.layout.tiles || choices.some((one) => !one.well)) return null;
  const wells = [...new Set(choices.map((one) => one.well))];
  return card("question", element("h2", {}, wells.length > 1 ? say("How is the tile turned?")
    : say("How is the tile in {well} turned?", { well: wells[0] })), element("p", {}, say("The sensors can't tell how tile {tile} is turned. Which of these do you see?",
      { tile: view.supply.piece })),
    element("div", { class: "turnings" }, ...choices.map((one) => {
      const made = postButton({ id: `lies-${one.action}` }, "", "confirm", { action: one.action });
      made.append(tilePicture(view.supply.piece, view.layout.tiles[view.supply.piece], one.turn),
        element("span", { class: "unseen" }, capital(one.words)),
        element("small", { "aria-hidden": "true" },
          wells.length > 1 ? `${one.well}, ${turnWords(one.turn)}` : turnWords(one.turn)));
      return made;
    })));
}

// The tile on top of the stack; null for a game without tiles.
export function supplyBox(view) {
  if (!view.supply || !view.layout.tiles) return null;
  const { piece, left } = view.supply;
  const lies = view.stage?.length > 0;
  const tile = element("b", {}, say("Tile {tile}", { tile: piece }));
  return element("div", { class: lies ? "supply lies" : "supply", "data-card": "supply" },
    tilePicture(piece, view.layout.tiles[piece], lies ? layingOf(view.stage[0])?.turn ?? 0 : 0),
    element("p", {}, ...lies ? sayAround("{tile} lies", { tile }) : sayAround("{tile} is next", { tile }),
      element("small", {}, say("{count} in the stack", { count: lies ? left - 1 : left }))));
}

// Tidying to do off the board; play goes on meanwhile.
export function tidyingCard(view, seat) {
  if (!view.tidying) return null;
  const words = capital(view.tidying);
  return card("tidying", element("p", {}, words.endsWith(".") ? words : `${words}.`),
    seat && postButton({ id: "tidied", why: view.paused ? pausedWords() : "" }, say("Done"), "confirm",
      { action: "tidied" }));
}
