// Why a node that was tapped can't be: the rule, as the table tells it, below the drawing until something else is done.
import { element, post, stateOf } from "../shared/live.js";
import { capital, offers } from "../shared/steps.js";
import { say } from "../shared/words.js";

const LAID = /^(.+)r\d+$/; // A tile, turned so: "7r5".

// What somebody who taps a node means to do there: to go on with what was tapped before, to put something down, to lift.
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

  // Of what is done in the open the table is asked; what is chosen in secret it has told beforehand.
  async ask(view, source, node) {
    const { why } = await post("why", meant(view, source, node));
    this.tell(view, why);
  }

  strip() {
    return this.words && element("div", { class: "strip brief denied", "data-card": "strip" },
      element("div", { class: "strip-words" }, element("p", { role: "status", id: "why" }, this.words),
        element("button", { id: "unpick", class: "wide-button", onclick: () => { this.clear(); this.redraw(); } }, say("Clear"))));
  }
}
