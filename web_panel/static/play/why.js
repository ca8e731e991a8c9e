// The rule that forbids a tapped node, in the table's words, below the drawing until the next action.
import { element, post, stateOf } from "../shared/live.js";
import { capital, offers } from "../shared/steps.js";
import { say } from "../shared/words.js";

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
        element("button", { id: "unpick", class: "wide-button", onclick: () => { this.clear(); this.redraw(); } }, say("Clear"))));
  }
}
