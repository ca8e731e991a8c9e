// Hints in three steps: the piece, the actions with their consequences, and the first of them drawn as arrows and
// ghosts. All of it is on the asking phone alone, and nothing moves before the player chooses it.
import { hasGuidance, setGuidance } from "../learn/lessons.js";
import { button } from "../shared/controls.js";
import { element, needStyle } from "../shared/elements.js";
import { icon } from "../shared/icons.js";
import { actions, mySeat, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { say } from "../shared/words.js";

const AGAIN_MS = 500; // Between two requests while the table is still computing.
const [PIECE, ACTIONS, DRAWN] = [1, 2, 3];

const rest = () => new Promise((done) => { setTimeout(done, AGAIN_MS); });

// Whether this phone's seat has something to decide now, and may have hints.
function turns(view) {
  const seat = mySeat(view);
  if (!seat?.hints || seat.computer || seat.resigned || view.paused || view.standstill || view.lesson) return false;
  return (view.phase === "sealing" && !seat.sealed) || (view.phase === "resolving" && view.resolver === seat.seat);
}

export class Hint {
  constructor(redraw) {
    this.redraw = redraw;
    this.key = "";
    this.forget();
  }

  // The wanted step, the hint found, and whether a request runs.
  forget() {
    Object.assign(this, { level: 0, found: null, asking: false });
  }

  // A hint is for one moment of the game. In a first game with hints on it comes by itself.
  follow(view) {
    const key = JSON.stringify([view.game.id, view.turn, view.phase, view.resolver, view.stage, view.board]);
    if (key === this.key) return;
    this.key = key;
    this.forget();
    if (hasGuidance(view) && turns(view)) this.ask(ACTIONS).catch(() => this.forget());
  }

  async ask(level) {
    const { key } = this;
    needStyle(new URL("hints.css", import.meta.url));
    Object.assign(this, { level, asking: true });
    this.redraw();
    try {
      while (this.key === key && (this.found?.level ?? 0) < level) {
        const { hint } = await post("hint", { level });
        if (this.key !== key) return;
        if (hint) this.found = hint;
        else await rest();
      }
    } finally {
      if (this.key === key) {
        this.asking = false;
        this.redraw();
      }
    }
  }

  // Mark the hint's nodes on this phone's drawing.
  mark(board) {
    for (const [name, { group }] of Object.entries(board.drawing.places)) {
      group.classList.toggle("hinted", Boolean(this.found?.nodes.includes(name)));
    }
  }

  // What the third step draws, until something is chosen.
  drawn(view) {
    const { ways = [], puts = [] } = view.wanted === null && this.found || {};
    return { ways, puts };
  }

  scene(view) {
    const { ways, puts } = this.drawn(view);
    if (!ways.length && !puts.length) return view;
    const stones = puts.filter(({ node }) => !view.layout.wells?.includes(node));
    return { ...view, arrows: [...view.arrows, ...ways.map((nodes) => ({ kind: "asked", nodes }))],
      tasks: [...view.tasks, ...stones.map((put) => ({ ...put, do: "put", seat: null }))] };
  }

  ghost(view) {
    const tile = this.drawn(view).puts.find(({ node }) => view.layout.wells?.includes(node));
    return tile ? { well: tile.node, piece: tile.piece, possible: true } : null;
  }

  // What was told, and how to have no more of it by itself.
  card(view) {
    const found = this.isDone(view) ? null : this.found;
    const guided = hasGuidance(view) && turns(view);
    if (!found && !guided) return null;
    // A screen reader must not read out a hint about a secret placement by itself.
    const live = view.phase === "resolving" ? { role: "status" } : {};
    return card("hint", found && element("div", { class: "hint-words", ...live }, ...this.words()),
      found && element("button", { id: "hint-close", class: "bare", onclick: () => this.close() }, say("Close")),
      guided && element("button", { id: "guided-off", class: "bare", onclick: () => this.leave(view) },
        say("Hints only when I ask")));
  }

  // What it told is chosen.
  isDone(view) {
    return Boolean(this.found?.choices.length) && view.wanted === this.found.choices[0].action;
  }

  close() {
    this.forget();
    this.redraw();
  }

  leave(view) {
    setGuidance(view, false);
    this.redraw();
  }

  // The third step draws one action: the others have been told.
  words() {
    const { found } = this;
    if (!found.choices.length) return [element("p", {}, element("b", {}, found.words))];
    const choices = found.level === DRAWN ? found.choices.slice(0, 1) : found.choices;
    const [first, ...others] = choices;
    const shared = others.length > 0 && others.every((choice) => choice.leads === first.leads);
    return [element("ol", { class: "hint-list" }, ...choices.map((choice) =>
      element("li", {}, element("b", {}, choice.words), !shared && element("p", {}, choice.leads)))),
    shared && element("p", {}, first.leads),
    found.level === DRAWN && element("button", { id: "hint-play", class: "go",
      onclick: () => actions.choose(first.action) }, say("Play it"))].filter(Boolean);
  }

  // The button that asks; a sign alone where room is scarce. Others see that somebody has asked.
  button(view, { sign = false } = {}) {
    if (!turns(view) && !(mySeat(view)?.hints && view.paused)) return null;
    const { found } = this;
    const next = found ? found.level + 1 : PIECE;
    if (next > DRAWN || (next === DRAWN && !found.drawn)) return null;
    const [words, short] = { [PIECE]: [say("Give me a hint"), say("Hint")],
      [ACTIONS]: [say("Tell me what to do"), say("Tell me")],
      [DRAWN]: [say("Show it on the board here"), say("Show me")] }[next];
    const why = this.asking ? say("Thinking …") : "";
    const title = why || say("Everybody can see under “What has happened” that you asked.");
    return button({ id: "hint", "aria-label": words, title, disabled: Boolean(why),
      class: sign ? "lone bare" : found ? "on" : "" },
    element("span", { class: "row" }, icon("bulb"), !sign && element("span", {}, why || short)), () => this.ask(next));
  }
}
