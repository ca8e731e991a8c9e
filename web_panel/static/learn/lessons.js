// "Learn the game": the lessons of the game at the table, this phone's marks of those done, and a lesson itself: the
// exercise, the comment on the last try, and the learner's buttons.
import { setUp } from "../puzzles/progress.js";
import { button, postButton, tickBox } from "../shared/controls.js";
import { element, hintLine, needStyle, row } from "../shared/elements.js";
import { getJson, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { keep, recall, recallJson } from "../shared/storage.js";
import { say } from "../shared/words.js";

// "Learn the game": the lessons of the game at the table, and this phone's marks of those done.
const PLACE = "lodestone-lessons";
const GUIDED = "lodestone-guided";

// A first game in which hints come by themselves, on this phone alone.
export const hasGuidance = (view) => recall(GUIDED) === view.game.id;
export const setGuidance = (view, on) => keep(GUIDED, on ? view.game.id : null);

const marks = () => recallJson(PLACE) ?? {};

function markDone(game, name) {
  const all = marks();
  if (all[game]?.includes(name)) return;
  keep(PLACE, JSON.stringify({ ...all, [game]: [...all[game] ?? [], name] }));
}

async function begin(name, phone) {
  await post("lesson/begin", { name, phone });
  location.assign("/play");
}

export class Learning {
  // sit(view) is where this phone takes a free seat, null where it can't.
  constructor(redraw, sit) {
    needStyle(new URL("lesson.css", import.meta.url));
    this.redraw = redraw;
    this.sit = sit;
    this.known = null;
    this.game = null;
    this.phone = false;
    this.unfolded = location.hash === "#learn";
  }

  // Fetch the lessons once for each game: they don't change.
  async follow(view) {
    if (this.game === view.game.name) return;
    this.game = view.game.name;
    try {
      this.known = await getJson("/api/lessons");
    } catch {
      this.game = null;
    }
    this.redraw();
  }

  // Whether nobody has played this game here yet: then a first game with hints on is offered.
  get first() {
    return Boolean(this.known?.first);
  }

  // The first game may be one with hints on: they come by themselves on this phone, once it sits at the table.
  async firstGame(view) {
    setGuidance(view, true);
    if (view.host && !view.seats.every((seat) => seat.hints)) await post("host/hints", { on: true });
    const path = !view.you && this.sit(view);
    if (path) location.assign(path);
    this.redraw();
  }

  firstBox(view) {
    if (!this.first || view.phase !== "lobby" || (!view.you && !this.sit(view))) return null;
    if (hasGuidance(view) && view.you) {
      return element("p", { id: "guided", class: "notice", role: "status" },
        say("Your first game is with hints on: this phone tells at each turn what you can do."));
    }
    return button({ id: "first-game", class: "big" }, say("Play a first game with hints on"),
      () => this.firstGame(view));
  }

  puzzleBox() {
    const { puzzle } = this.known;
    return puzzle?.on_board && button({ id: "puzzle-today", class: "big" },
      say("Today's puzzle on the board: {title}", puzzle), () => setUp(puzzle.id));
  }

  // Shown to everybody in the lobby and after the end; in a running game to the host only, as the game has to wait.
  card(view) {
    if (this.known?.game !== view.game.name || view.lesson || !(view.host || ["lobby", "over"].includes(view.phase))) {
      return null;
    }
    const { lessons } = this.known;
    const puzzle = this.puzzleBox();
    const first = this.firstBox(view);
    if (!lessons.length) return (puzzle || first) && card("learn", row(first, puzzle));
    const done = marks()[view.game.name] ?? [];
    const next = lessons.find(({ name }) => !done.includes(name)) ?? lessons[0];
    const box = element("details", { "data-key": "lessons", open: this.unfolded || null },
      element("summary", { onclick: () => { this.unfolded = !box.open; } },
      say("All {count} lessons", { count: lessons.length })),
        element("ol", { class: "lessons" }, ...lessons.map(({ name, title }) => {
        const made = button({ id: `lesson-${name}`, class: "wide-button" }, title, () => begin(name, this.phone));
        if (done.includes(name)) made.append(element("small", { class: "done-mark" }, ` ✓ ${say("done")}`));
        return element("li", {}, made);
      })));
    return card("learn", element("h2", {}, say("Learn the game")),
      this.first && element("p", {},
        say("New to {game}? Short lessons on the board show all of it, one step at a time.",
          { game: view.game.title })),
      row(button({ id: "learn", class: "big" },
        done.length ? say("Go on: {title}", { title: next.title }) : say("Start with the first lesson"),
        () => begin(next.name, this.phone)), first, puzzle),
      tickBox("learn-phone", say("On this phone alone, without the board"), this.phone, (on) => { this.phone = on; }),
      box);
  }
}

// The buttons of a lesson, and of a puzzle on the board.
export const turnButton = (name, words) => postButton({ id: `lesson-${name}`, class: "big" }, words, `lesson/${name}`);

// Where this phone goes when the lobby is back: the table may tell of it before the answer to the button is here.
const way = { out: "/", leaving: false };
addEventListener("pageshow", () => { way.leaving = false; });

export function leave() {
  if (way.leaving) return;
  way.leaving = true;
  location.assign(way.out);
}

export async function stopTo(path) {
  way.out = path;
  await post("lesson/stop");
  leave();
}

const stop = () => stopTo("/#learn");

async function following({ lesson }) {
  const { lessons } = await getJson("/api/lessons");
  const next = lessons[lesson.number];
  if (!next) return stop();
  await post("lesson/begin", { name: next.name, phone: lesson.phone });
  return location.reload();
}

// What is asked, what was said to the last try, and the answer where somebody has asked for it.
export function exerciseLines(view) {
  const { lesson } = view;
  needStyle(new URL("lesson.css", import.meta.url));
  return [lesson.said && element("p", { id: "lesson-said", class: lesson.right ? "notice good" : "notice wrong-try",
    role: "status" }, lesson.said),
    !lesson.done && view.message !== lesson.words && element("p", { id: "lesson-words" }, lesson.words),
    lesson.hint && element("p", { id: "lesson-hint", role: "status" },
      say("This is one way: {hint}.", { hint: lesson.hint }))];
}

// The lesson's card; only the learner's phone and the host have buttons.
export function lessonCard(view) {
  const { lesson } = view;
  if (lesson.over) markDone(view.game.name, lesson.name);
  const mine = Boolean(view.you || view.host);
  const last = lesson.number === lesson.count;
  const head = say("Lesson {number} of {count}: {title}",
    { number: lesson.number, count: lesson.count, title: lesson.title });
  const where = lesson.exercises > 1 && say("Exercise {number} of {count}",
    { number: lesson.exercise, count: lesson.exercises });
  return card("lesson", element("h2", {}, head), where && hintLine(where),
    ...exerciseLines(view),
    mine && row(
      lesson.over ? button({ id: "lesson-following", class: "primary big" },
        last ? say("Finish") : say("Next lesson"), () => following(view))
        : lesson.done && postButton({ id: "lesson-next", class: "primary big" }, say("Next"), "lesson/next"),
      !lesson.done && turnButton("show", say("Show me")), turnButton("back", say("Back")),
      button({ id: "lesson-stop", class: "big" }, say("Stop the lesson"), stop)));
}
