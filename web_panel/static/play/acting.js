// The acting player's choices: on the drawing, as buttons, and as a list.
import { loopButton, mayCircle, outlookBox } from "../shared/agreements.js";
import { THUMB } from "../shared/board.js";
import { button, confirmThen, group, postButton } from "../shared/controls.js";
import { element, hintLine, row } from "../shared/elements.js";
import { closeSheet } from "../shared/frame.js";
import { lays, turningQuestion, turningsCard } from "../shared/laying.js";
import { actions, post, seatOf, stateOf } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { bySource, capital, lastWords, offers, runs, spoken } from "../shared/steps.js";
import { say, sayAround, sayIn, sayMany } from "../shared/words.js";

/** @import { Picks } from "../shared/board.js" */

// The rule that forbids a tapped node, in the table's words, below the drawing until the next action.
const LAID = /^(.+)r\d+$/; // A tile and its turning: "7r5".

// The attempt that a tap on a node means: move there from the node tapped before, put a piece there, or lift one.
function meant(view, source, node) {
  if (source) return { from: source, to: node };
  const { from, direct } = offers(view);
  const lays = view.steps.some((step) => step.partial);
  const lies = view.board[node]?.length && !LAID.test(view.board[node].at(-1));
  const puts = lays ? !lies : lies ? !from.size : direct.size > 0;
  return puts ? { to: node } : { from: node };
}

export class Why {
  constructor(redraw) {
    this.redraw = redraw;
    this.clear();
  }

  clear() {
    this.words = "";
    this.state = null;
  }

  // A reason belongs to the state of the table in which it was given.
  follow(view) {
    if (this.words && this.state !== stateOf(view)) this.clear();
  }

  tell(view, words) {
    this.words = words ? `${capital(words)}.` : say("That is not possible now.");
    this.state = stateOf(view);
    this.redraw();
  }

  // The table is asked about open actions; the reasons for secret ones are in the view.
  async ask(view, source, node) {
    const { why } = await post("why", meant(view, source, node));
    this.tell(view, why);
  }

  strip() {
    return this.words && element("div", { class: "strip brief denied", "data-card": "strip" },
      element("div", { class: "strip-words" }, element("p", { role: "status", id: "why" }, this.words),
        element("button", { id: "unpick", class: "bare", onclick: () => { this.clear(); this.redraw(); } },
          say("Clear"))));
  }
}

const LONG = 24; // A list of more steps is folded.
const NONE = { source: null, node: null, steps: [] };

// The nodes tapped on the drawing, until the game goes on.
export class Picker {
  constructor(redraw) {
    this.redraw = redraw;
    this.key = "";
    this.clear();
  }

  clear() {
    Object.assign(this, NONE);
  }

  /**
   * The drawing's present offers; null if nothing can be picked.
   * @returns {Picks | null}
   */
  picks(view) {
    const key = JSON.stringify([view.turn, view.resolver, view.wanted, view.steps.map((step) => step.action)]);
    if (key !== this.key) {
      this.key = key;
      this.clear();
    }
    if (view.question || !view.steps.some((step) => step.moves.length)) return null;
    const { from, direct } = offers(view);
    const aims = this.source ? [...from.get(this.source).keys()] : [];
    const open = new Set([...from.keys(), ...this.source ? aims : direct.keys()]);
    const offered = Object.keys(view.layout.nodes).filter((node) => open.has(node));
    return { role: "button", offered, aims, chosen: this.source, marked: this.node, trails: runs(view, this.source) };
  }

  // A tap, or a key. If the drawing is too small for a thumb (`fine` is false), the tapped node is magnified first.
  pick(view, node, fine) {
    const { from, direct } = offers(view);
    const { source } = this;
    this.clear();
    const aimed = from.get(source)?.get(node);
    if (node === null || (node === source && !aimed)) return this.redraw();
    this.node = node;
    if (aimed) {
      this.source = source;
      this.steps = aimed;
    } else {
      this.source = from.get(node)?.size ? node : null;
      this.steps = direct.get(node) ?? [];
    }
    if (fine && this.steps.length === 1 && this.source !== node) {
      choose(this.steps[0]);
      this.clear();
    }
    return this.redraw();
  }

  // In the tray: the tapped node magnified where the drawing is small, its possible steps, and "Clear". Nothing where
  // the page has `marked` where a piece may go, and that is all there is.
  strip(board, marked = false) {
    if (!this.node) return null;
    const small = board.pitch(this.node) < THUMB;
    const begins = this.node === this.source;
    if (marked && begins && !small && !this.steps.length) return null;
    const words = begins ? say("From {node}: tap where it should go.", { node: this.source })
      : this.source ? say("{source} to {target}", { source: this.source, target: this.node }) : this.node;
    return element("div", { class: this.steps.length ? "strip" : "strip brief", "data-card": "strip" },
      small && element("div", { class: "magnified" }, board.drawing.echo(this.node)),
      element("div", { class: "strip-words" }, element("p", { role: "status" }, words),
        ...this.steps.map((step, at) => element("button",
          { class: at || begins ? "wide-button" : "go", id: `pick-${step.action}`,
          onclick: () => { this.clear(); choose(step); this.redraw(); } }, capital(step.words))),
        element("button", { id: "unpick", class: "bare", onclick: () => { this.clear(); this.redraw(); } },
          say("Clear"))));
  }
}

function choose(step) {
  return actions.choose(step.action);
}

export function questionCard(view) {
  const answers = view.question.choices.map((one, at) =>
    postButton({ class: at ? "wide-button" : "go" }, capital(one.words), "confirm", { action: one.action }));
  return turningQuestion(view) ?? card("question", element("p", {}, view.question.text), ...answers);
}

// The step that is chosen, or its first stage.
function wishOf({ wanted, steps }) {
  return steps.find((step) => step.action === wanted || (step.partial && wanted?.startsWith(`${step.action}:`)));
}

// What the player who acts can do with one button, and where the lights lead.
export function actingCards(view, ...buttons) {
  const wish = wishOf(view);
  const says = spoken(view).map(sayButton);
  const some = buttons.filter(Boolean);
  return [mayCircle(view) && !view.lesson && outlookBox(view), leftBox(view), wish && wishBox(wish),
    (says.length > 0 || some.length > 0) && card("acting", row(...says, ...some),
      !view.lesson && spoken(view).some((step) => step.tap_twice) && hintLine(
        say("Or tap one of your own pieces on the board twice."))), loopButton(view)];
}

// The actions left in the turn, a dot each, and what was done last.
function leftBox(view) {
  if (!view.actions) return null;
  const { left, most } = view.actions;
  const last = lastWords(view);
  return element("div", { class: "row split", "data-card": "left" }, element("b", { class: "row" },
    element("span", { class: "left", "aria-hidden": "true" }, ...Array.from({ length: most }, (_, at) =>
      element("i", { class: at < left ? "ready" : "" }))),
    element("span", {}, sayMany("{count} action left", "{count} actions left", left))),
  last && element("small", { class: "soft" }, say("Last: {step}", { step: last })));
}

// A step without moves counts at once, so it is confirmed first, unless two taps on the board do it as well.
function sayButton(step) {
  const act = () => post("choose", { action: step.action });
  const ask = say("{step}? It counts at once, and is taken back only if all agree.", { step: capital(step.words) });
  const about = ({ game, turn, you, resolver, paused, standstill, problem, steps }) => [game.id, turn, you?.seat,
    resolver, paused, standstill, problem?.fault, steps.some(({ action }) => action === step.action)].join();
  return button({ id: `step-${step.action}` }, capital(step.words),
    () => (step.tap_twice ? act() : confirmThen(ask, act, about)));
}

function wishBox(wish) {
  return card("wish", element("div", { class: "wish" }, element("p", {},
    ...sayAround("Next: {step}", { step: element("b", {}, wish.words) })),
    row(postButton({ id: "unwant" }, say("Never mind"), "choose", { action: "" }),
      wish.hidden && postButton({ class: "primary", id: "did" }, say("I did this"), "confirm",
        { action: wish.action }))));
}

// All steps as text, by the node at which they begin: for keyboards, screen readers, and people who prefer words.
export function listCard(view) {
  if (lays(view)) return turningsCard(view);
  const groups = bySource(view);
  const count = groups.reduce((sum, [, steps]) => sum + steps.length, 0);
  if (!count) return null;
  const long = count > LONG;
  const grouped = long && groups.length > 1;
  const items = groups.map(([source, steps]) => (grouped ? foldedGroup : openGroup)(source, steps, view));
  const list = grouped ? element("div", { class: "column" }, ...items) : element("ul", { class: "steps" }, ...items);
  if (!long) return card("steps", element("h2", {}, say("What you can do")), list);
  return element("details", { class: "card", "data-card": "steps" },
    element("summary", {}, say("All {count} possible moves as a list", { count })), list);
}

function openGroup(source, steps, view) {
  return element("li", {}, element("span", { class: "stone-name" }, source || sayIn("piece", "New")),
    ...steps.map((step) => stepButton(step, view)));
}

function foldedGroup(source, steps, view) {
  const where = source ? say("From {node}", { node: source }) : say("From the supply");
  return group(source || "supply", `${where} (${steps.length})`, row(...steps.map((step) => stepButton(step, view))));
}

function stepButton(step, view) {
  return element("span", { class: "step" }, element("button", { id: `step-${step.action}`,
    "aria-pressed": step.action === view.wanted ? "true" : "false", onclick: () => { closeSheet(); choose(step); } },
  step.words));
}

export function othersCard(view) {
  const who = seatOf(view, view.resolver);
  if (!who) return null;
  const wish = wishOf(view);
  const circling = mayCircle(view);
  const told = [wish && element("p", {}, say("{name} wants: {step}.", { name: who.name, step: wish.words })),
    circling && outlookBox(view), loopButton(view)].filter(Boolean);
  return told.length > 0 && card("others", ...told);
}
