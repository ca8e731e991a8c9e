// Puzzles solved on this device, the next one, and those booked at the table.
import { takeTable } from "/static/learn/lessons.js";
import { form } from "/static/shared/controls.js";
import { element } from "/static/shared/elements.js";
import { attempt, post } from "/static/shared/live.js";
import { card } from "/static/shared/parts.js";
import { keep, recall, recallJson } from "/static/shared/storage.js";
import { say } from "/static/shared/words.js";

// The puzzles solved on this device, stored on it only.
const KEY = "lodestone-puzzles";
const DAY_MS = 86400000;

function progress() {
  const { solved = {}, days = [] } = recallJson(KEY) ?? {};
  return { solved, days };
}

export function isSolved(game, id) {
  return Boolean(progress().solved[game]?.includes(id));
}

// Note a solved puzzle; `day` (2026-11-22) if it was the puzzle of that day, else null.
export function solve(game, id, day) {
  const { solved, days } = progress();
  solved[game] = [...new Set([...solved[game] ?? [], id])];
  const all = day ? [...new Set([...days, day])].sort() : days;
  keep(KEY, JSON.stringify({ solved, days: all }));
}

// The number of days in a row, up to this or the previous one, on which the puzzle of the day was solved.
export function streak(day) {
  const days = new Set(progress().days);
  const before = (one) => new Date(Date.parse(one) - DAY_MS).toISOString().slice(0, 10);
  let at = days.has(day) ? day : before(day);
  let count = 0;
  for (; days.has(at); at = before(at)) count += 1;
  return count;
}

// Whether the puzzle of the day was solved on each of so many days up to this one, the oldest first.
export function solvedDays(day, count) {
  const days = new Set(progress().days);
  return Array.from({ length: count }, (_, at) =>
    days.has(new Date(Date.parse(day) - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10)));
}

// Seconds as people say them: 0:07, 12:30.
export function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

// Which puzzle comes next: of the same grade one that is not solved, else any, in the order of the list.
export function following(game, puzzles, now) {
  const at = puzzles.findIndex((one) => one.id === now.id);
  const order = [...puzzles.slice(at + 1), ...puzzles.slice(0, at + 1)];
  return order.find((one) => one.grade === now.grade && !isSolved(game, one.id))
    ?? order.find((one) => !isSolved(game, one.id)) ?? order[0];
}

export const setUp = (id) => takeTable("puzzle/begin", { puzzle: id });

// While a game is played only the host may let it wait.
export function maySetUp(view, game) {
  return view?.game.name === game && !view.lesson && Boolean(view.host || ["lobby", "over"].includes(view.phase));
}

// The household's book: who has solved a puzzle, and how quickly. A name goes there once somebody has put it in.
const NAME = "lodestone-name"; // As it was typed when sitting down.
const WRITES = "lodestone-puzzle-name"; // Whose puzzles this device notes by itself.

export class Booking {
  constructor(redraw) {
    this.redraw = redraw;
    /** @type {any} */
    this.now = null;
  }

  // A puzzle ({id, least}) has been solved in so many seconds: with a name of this device it is noted at once, unless
  // that was quicker than the book believes.
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
    const field = element("input", { id: "solver", maxlength: 24, autocomplete: "off", autocapitalize: "words",
      required: true, value: recall(NAME) ?? "" });
    return form({ class: "naming" }, () => field.value.trim() && this.write(field.value.trim()),
      element("label", { for: "solver" }, say("Your name, for the household's book")),
      element("div", { class: "row tight" }, field, element("button", { id: "book-it" }, say("Write it into the book"))));
  }

  offer() {
    const { seconds, least } = this.now;
    return seconds < least ? element("p", { id: "too-quick", class: "hint" },
      say("The book takes times of {time} or longer for this puzzle.", { time: clock(least) })) : this.form();
  }

  // What stands below a puzzle that was solved without help.
  card(puzzle) {
    const { now } = this;
    if (now?.puzzle !== puzzle) return null;
    return card("booking", element("p", { id: "puzzle-time" }, say("Solved in {time}.", { time: clock(now.seconds) })),
      now.name ? element("p", { role: "status" }, say("It is in the book under {name}.", { name: now.name }), " ",
        element("a", { href: "/book" }, say("The book")), " ",
          element("button", { id: "not-me", onclick: () => this.leave() }, say("I am somebody else"))) : this.offer());
  }
}
