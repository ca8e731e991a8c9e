// All puzzles of a game by theme, each with its board as a small picture; today's, and the days in a row.
import { miniature } from "./miniature.js";
import { clock, isSolved, solvedDays, streak } from "./progress.js";
import { element, needStyle } from "/static/shared/elements.js";
import { attempt, getJson } from "/static/shared/live.js";
import { listOf, say, sayMany } from "/static/shared/words.js";

const WEEK = 7;
const GRADES = 5;

export class Themes {
  // open(id) opens a puzzle; changed() is called when the boards have come, or another theme is unfolded.
  constructor(game, open, changed) {
    this.game = game;
    this.open = open;
    this.changed = changed;
    /** @type {any} */
    this.drawn = null; // What the small boards are drawn from.
    this.asked = false;
    /** @type {string | null} */
    this.unfolded = null; // The theme whose puzzles are all shown; without one that of the open puzzle.
  }

  // Small boards are fetched when they are first shown; a list without them says the same.
  async fetch() {
    if (this.asked) return;
    this.asked = true;
    try {
      this.drawn = await getJson(`/api/puzzle-boards/${encodeURIComponent(this.game)}`);
      this.changed();
    } catch {
      this.asked = false;
    }
  }

  picture({ id, kind }) {
    const found = this.drawn?.boards[id];
    if (!found) return element("span", { class: "miniature" });
    const { pieces, tints, layouts, seats } = this.drawn;
    return miniature({ layout: layouts[kind], board: found.board, seats: seats[found.mode], pieces, tints, lights: {},
      arrows: [] });
  }

  /**
   * The parts of a list of all puzzles.
   * @param {any} list What the table tells of the game's puzzles.
   * @param {any} now The open puzzle.
   */
  parts(list, now) {
    needStyle(new URL("themes.css", import.meta.url));
    this.fetch();
    const kinds = [...new Set(list.puzzles.map((one) => one.kind))];
    return [this.daily(list, now), element("div", { id: "list", "data-card": "list" }, ...kinds.map((kind) =>
      this.theme(list.puzzles.filter((one) => one.kind === kind), kind === (this.unfolded ?? now.kind), now)))];
  }

  // Today's puzzle, who has solved it, and the last days: a dot for each, filled where its puzzle was solved here.
  daily({ today, day, today_by: by }, now) {
    const days = streak(day);
    const week = solvedDays(day, WEEK);
    const names = by.map(({ name, seconds }) => `${name} (${clock(seconds)})`);
    return element("div", { class: "daily", "data-card": "daily" },
      this.entry(today, say("Puzzle of the day: {title}", { title: today.title }), now),
      element("div", { id: "streak" },
        week.some(Boolean) && element("span", { class: "week", "aria-hidden": "true" },
          ...week.map((done) => element("i", { class: done ? "done" : "" }))),
        days > 0 && element("p", {}, sayMany("Solved the puzzle of the day {count} day in a row.",
          "Solved the puzzle of the day {count} days in a row.", days)),
        names.length > 0 && element("p", { class: "hint" },
          say("Today's puzzle was solved by {names}.", { names: listOf(names) }))));
  }

  // A theme: its title, how many of its puzzles are solved, the board of the next one; unfolded all of them.
  theme(puzzles, unfolded, now) {
    const [{ kind, title }] = puzzles;
    const done = puzzles.filter((one) => isSolved(this.game, one.id)).length;
    const next = puzzles.find((one) => !isSolved(this.game, one.id)) ?? puzzles[0];
    const turn = () => {
      this.unfolded = unfolded ? "" : kind;
      this.changed();
    };
    const head = element("button", { id: `theme-${kind}`, type: "button", class: "theme-head", onclick: turn,
      "aria-expanded": unfolded ? "true" : "false" }, !unfolded && this.picture(next), element("span", {},
      element("b", {}, title), element("small", {}, say("{done} of {count} solved", { done, count: puzzles.length }))));
    return element("section", { class: "theme" }, head, unfolded && element("div", { class: "small-boards" },
      ...puzzles.map((one, at) => this.entry(one, `${at + 1}`, now))));
  }

  entry(one, words, now) {
    const done = isSolved(this.game, one.id);
    const grade = say("grade {grade} of 5", { grade: one.grade });
    const label = done ? say("{words} (solved)", { words }) : words;
    return element("button", { type: "button", class: "small-board", "data-puzzle": one.id,
      "aria-label": `${label}, ${grade}`, "aria-current": one.id === now.id ? "true" : null,
      onclick: () => attempt(() => this.open(one.id)) }, this.picture(one), element("span", { class: "under" },
      element("b", {}, done ? `✓ ${words}` : words),
      element("i", { class: "grade", title: grade }, "●".repeat(one.grade) + "○".repeat(GRADES - one.grade))));
  }
}
