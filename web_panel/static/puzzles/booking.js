// The household's book: who has solved a puzzle, and how quickly. A name goes there once somebody has put it in.
import { keep, recall } from "../shared/kept.js";
import { attempt, element, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { say } from "../shared/words.js";
import { clock } from "./solved.js";

const NAME = "lodestone-name"; // As it was typed when sitting down.
const WRITES = "lodestone-puzzle-name"; // Whose puzzles this device notes by itself.
const LONGEST = 24;

export class Booking {
  constructor(redraw) {
    this.redraw = redraw;
    this.now = null;
  }

  // A puzzle ({id, least}) has been solved in so many seconds: with a name of this device it is noted at once, unless that
  // was quicker than the book believes.
  solved(game, { id, least }, seconds) {
    if (this.now?.puzzle === id) return;
    this.now = { game, puzzle: id, least, seconds: Math.round(seconds), name: "" };
    const name = recall(WRITES);
    if (name && this.now.seconds >= least) this.write(name);
  }

  write(name) {
    const { now } = this;
    return attempt(async () => {
      await post("puzzle/solved", { game: now.game, puzzle: now.puzzle, name, seconds: now.seconds });
      now.name = name;
      keep(WRITES, name);
      this.redraw();
    });
  }

  // Not this one's name: the next puzzle asks again.
  leave() {
    keep(WRITES, null);
    this.now.name = "";
    this.redraw();
  }

  form() {
    const field = element("input", { id: "solver", maxlength: LONGEST, autocomplete: "off", autocapitalize: "words", required: true, value: recall(NAME) ?? "" });
    const form = element("form", { class: "naming" }, element("label", { for: "solver" }, say("Your name, for the household's book")),
      element("div", { class: "row tight" }, field, element("button", { id: "book-it" }, say("Write it into the book"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) this.write(field.value.trim());
    });
    return form;
  }

  offer() {
    const { seconds, least } = this.now;
    return seconds < least ? element("p", { id: "too-quick", class: "hint" }, say("The book takes times of this puzzle from {time} on.", { time: clock(least) })) : this.form();
  }

  // What stands below a puzzle that was solved without help.
  card(puzzle) {
    const { now } = this;
    if (now?.puzzle !== puzzle) return null;
    return card("booking", element("p", { id: "puzzle-time" }, say("Solved in {time}.", { time: clock(now.seconds) })),
      now.name ? element("p", { role: "status" }, say("It is in the book under {name}.", { name: now.name }), " ",
        element("a", { href: "/book" }, say("The book")), " ", element("button", { id: "not-me", onclick: () => this.leave() }, say("I am somebody else"))) : this.offer());
  }
}
