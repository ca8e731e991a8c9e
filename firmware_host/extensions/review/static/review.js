// After a game: what the analysis says of the moves.
import { Board } from "/static/shared/board.js";
import { showDialog } from "/static/shared/dialogs.js";
import { seatHue } from "/static/shared/lamps.js";
import { button } from "/static/shared/controls.js";
import { element, hintLine, needStyle, row } from "/static/shared/elements.js";
import { curveOf } from "/static/shared/end.js";
import { fetchInTime, post } from "/static/shared/live.js";
import { names } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

const AGAIN_MS = 2000;
const TRIES = 5;

const percent = (value) => Math.round(100 * value);

// The curve of winning chances: a line for each player or team, with a mark at each turning point.
function chances(view, review) {
  // For two sides one line is enough.
  const lines = review.lines.length === 2 ? review.lines.slice(0, 1) : review.lines;
  return curveOf(view, lines.map(({ seats, points }) => ({ seats, points, steps: false })), {
    label: say("The chances of winning, from the first action to the last"),
    ends: [say("the beginning"), say("the end")], turned: review.turning.map(({ moment }) => moment - 1),
  });
}

function legend(view, review) {
  if (review.lines.length === 2) {
    const [one, other] = review.lines.map(({ seats }) => names(view, seats));
    return hintLine(say("Up: {one} was ahead. Down: {other} was ahead.", { one, other }));
  }
  return element("p", { class: "hint stood-names" },
    ...review.lines.flatMap(({ seats }) => [element("span",
      { class: `dot ${seatHue(view, seats[0])}`, "aria-hidden": "true" }), `${names(view, seats)} `]));
}

// The better moves, on their own board, one after the other.
class Better {
  constructor() {
    this.view = null;
    this.turning = null;
    this.at = 0;
    this.board = element("div", { class: "board", id: "better-board" });
    this.words = element("p", { role: "status" });
    this.back = element("button", { id: "better-back", onclick: () => this.step(-1) }, say("Step back"));
    this.on = element("button", { id: "better-on", class: "primary", onclick: () => this.step(1) },
      say("Step forward"));
    this.dialog = element("dialog", { id: "better", class: "better", "aria-label": say("What was better") }, this.board,
      this.words,
      row(this.back, this.on), row(element("button", { onclick: () => this.dialog.close() }, say("Close"))));
    document.body.append(this.dialog);
    this.drawing = new Board(this.board);
    this.drawing.drawing.nameFrom(this.words);
  }

  open(view, turning) {
    Object.assign(this, { view, turning, at: 0 });
    showDialog(this.dialog);
    this.step(0);
  }

  step(by) {
    const { frames } = this.turning;
    this.at = Math.min(Math.max(this.at + by, 0), frames.length - 1);
    const frame = frames[this.at];
    this.drawing.show({ ...this.view, board: frame.board, arrows: frame.arrows, lights: {}, steps: [] }, {});
    this.words.textContent = frame.seat ? say("{name}: {words}",
      { name: names(this.view, [frame.seat]), words: frame.words }) : say("The board before.");
    this.back.disabled = this.at === 0;
    this.on.disabled = this.at === frames.length - 1;
  }
}

export const loadStyle = () => needStyle(new URL("review.css", import.meta.url));

export class Review {
  // `see(scene)` shows a moment on this page; without it a link leads to the replay. `older`: of a record, not of the
  // table's game.
  /** @param {{see?: ((moment: any) => any) | null, older?: boolean}} options */
  constructor({ see = null, older = false } = {}) {
    this.redraw = () => {};
    this.see = see;
    this.older = older;
    this.offered = false;
    this.game = null;
    this.known = null;
    this.tries = 0;
    this.better = null;
  }

  // With every view. `redraw` is called once more is known; `offered`: this page may ask for a review of the game.
  /**
   * @param {any} view
   * @param {() => void} redraw
   */
  follow(view, redraw, offered = false) {
    Object.assign(this, { redraw, offered });
    const game = view.result ? view.game.id : null;
    if (game === this.game) return;
    Object.assign(this, { game, known: null, tries: TRIES });
    if (!game) return;
    loadStyle();
    this.look(game);
  }

  async look(game) {
    try {
      const response = await fetchInTime(this.older ? `/api/replay/${encodeURIComponent(game)}/review` : "/api/review");
      if (this.game !== game) return;
      const found = await response.json();
      // Else nobody has asked for it, it has not begun, or the answer is about another game.
      if (response.ok && found.game === game) this.take(found);
      else this.tries = this.older ? 0 : this.tries - 1;
    } catch {
      // The stream reports that the table does not answer.
    }
    if (this.game === game && this.known?.state !== "ready" && this.tries) {
      setTimeout(() => this.game === game && this.look(game), AGAIN_MS);
    }
  }

  take(found) {
    if (JSON.stringify(found) === JSON.stringify(this.known)) return;
    this.known = found;
    this.redraw();
  }

  async ask() {
    await post("review/begin", { game: this.game });
    this.tries = TRIES;
    await this.look(this.game);
  }

  // The review; `quiet`: without buttons, for the big screen, which leaves out what has no room there: what has the
  // lowest `data-spare` first, and of several the last.
  box(view, { quiet = false } = {}) {
    const { known } = this;
    if (!known && this.offered) {
      return element("div", { "data-card": "review" }, hintLine(
        say("The chances of winning, the turning points, and the better moves there. This takes about a minute; you can play on.")),
        button({ id: "review-game" }, say("Review this game"), () => this.ask()));
    }
    if (!known || known.state === "none") return null;
    if (known.state === "thinking") {
      return element("p", { class: "hint review", "data-card": "review", "data-spare": 4 },
        say("The review is being made: {done} of {of}.", known));
    }
    const points = known.turning.map((one, at) => element("li",
      { class: seatHue(view, one.seat), "data-spare": at > 0 && 1 },
      element("p", {}, say("Turn {turn}, {name}: {played} ({before} → {after} %).",
        { turn: one.turn, name: names(view, [one.seat]), played: one.played, before: percent(one.before),
          after: percent(one.after) })),
      element("p", { class: "soft" }, say("Better: {better}.", { better: one.better }), " ", !quiet && one.why),
      !quiet && row(
        button({ id: `better-${one.moment}` }, say("Show what was better"), () => this.show(view, one)),
        this.see ? button({ id: `see-${one.moment}` }, say("See the moment"), () => this.see?.(one.scene))
          : element("a", { class: "button", href: `/replay/${encodeURIComponent(view.game.id)}#${one.scene + 1}` },
            say("See the moment")))));
    const about = legend(view, known);
    about.setAttribute("data-spare", "2");
    return element("section", { class: "review", "data-card": "review", "data-spare": 4, "aria-label": say("Review") },
      element("h3", {}, say("The chances")),
      chances(view, known), about,
      points.length ? element("ol", { class: "turning-points", "data-spare": 3 }, ...points)
        : element("p", {}, say("No single action decided it.")));
  }

  show(view, one) {
    this.better ??= new Better();
    this.better.open(view, one);
  }
}
