// A look back: this phone alone steps through what has happened in the running game, and returns.
import { add } from "/static/shared/added.js";
import { button } from "/static/shared/controls.js";
import { element } from "/static/shared/elements.js";
import { closeSheet, line } from "/static/shared/frame.js";
import { icon } from "/static/shared/icons.js";
import { attempt, getJson } from "/static/shared/live.js";
import { card } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

const NEWEST = 1000000; // The table answers a moment to come with the newest one.
const NOTHING = { tasks: [], brought: [], steps: [], stage: [], wanted: null };

class Past {
  constructor() {
    this.close();
  }

  close() {
    this.game = null;
    this.moment = null;
  }

  // A new game, or the end of this one, ends the look back.
  follow(view) {
    if (this.moment && (view.game.id !== this.game || view.phase === "over")) this.close();
  }

  async open(view, redraw) {
    this.game = view.game.id;
    this.redraw = redraw;
    await this.go(NEWEST);
  }

  async go(at) {
    this.moment = await getJson(`/api/past/${at}`);
    this.redraw();
  }

  // The table as it was.
  scene(view) {
    const { board, lights, arrows } = this.moment;
    return { ...view, ...NOTHING, board, lights, arrows };
  }

  head() {
    return { headline: say("Turn {turn}", { turn: this.moment.turn }), sentence: this.moment.words };
  }

  // The buttons to step, and the one that returns.
  card(turn) {
    const { at, in_all: all } = this.moment;
    const step = (id, name, words, to, off) => button({ id, class: "round", "aria-label": words, disabled: off },
      icon(name), () => this.go(to));
    return card("past", turn && element("p", { role: "status" }, element("b", {}, say("It is your turn."))),
      element("div", { class: "turner" },
        step("past-back", "left", say("One step back"), at - 1, at === 0),
        element("p", { class: "num", role: "status" }, say("{number} of {moments}", { number: at + 1, moments: all })),
        step("past-on", "right", say("One step on"), at + 1, at >= all - 1)),
      element("button", { id: "past-close", class: "go", onclick: () => { this.close(); this.redraw(); } },
        say("Back to the game")));
  }
}

const past = new Past();

add("instead", (view) => {
  past.follow(view);
  return past.moment && { head: past.head(), scene: past.scene(view), card: (turn) => past.card(turn) };
});
add("above-log", (view, redraw) => line("past", "undo", say("Step back through the moves"), "", () => {
  closeSheet();
  attempt(() => past.open(view, redraw));
}));
