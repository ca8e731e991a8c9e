// "Learn the game": the lessons of the game at the table, this phone's marks of those done, and a lesson itself: the
// exercise, the comment on the last try, and the learner's buttons.
import { added } from "../shared/added.js";
import { button, confirmThen, postButton, tickBox } from "../shared/controls.js";
import { element, hintLine, needStyle, row } from "../shared/elements.js";
import { icon } from "../shared/icons.js";
import { lessons as lessonsHere, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { keep, recall, recallJson, requireStorage } from "../shared/storage.js";
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

/** Begin a lesson or another exercise at the table, after a question where people wait in the lobby. */
export async function takeTable(path, body) {
  requireStorage();
  const go = async (sure) => {
    await post(path, { ...body, sure });
    location.assign(body.phone ? "/play?alone=1" : "/play");
  };
  try {
    await go(false);
  } catch (error) {
    if (/** @type {any} */ (error).code !== "people_wait") throw error;
    confirmThen(say("{who}. Begin?", { who: /** @type {Error} */ (error).message }), () => go(true));
  }
}

const begin = (name, phone) => takeTable("lesson/begin", { name, phone });

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
      this.known = await lessonsHere();
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
        say("Your first game is with hints on: this phone tells you at each turn what you can do."));
    }
    return button({ id: "first-game", class: "big" }, say("Play a first game with hints on"),
      () => this.firstGame(view));
  }

  // Shown to everybody who does not play. Where the table has something to do, lessons are on this phone alone; only
  // for the host a game may wait.
  card(view) {
    const atRest = ["lobby", "over"].includes(view.phase);
    if (this.known?.game !== view.game.name || (view.you && !view.host && !atRest && !view.lesson)) return null;
    const { lessons } = this.known;
    const free = !view.lesson && (view.host || atRest);
    const more = free ? added("learn", this.known) : [];
    const first = free && this.firstBox(view);
    if (!free && !lessons.length) return null;
    const phone = this.phone || !free;
    if (!lessons.length) return (more.length > 0 || first) && card("learn", row(first, ...more));
    const done = marks()[view.game.name] ?? [];
    const next = lessons.find(({ name }) => !done.includes(name)) ?? lessons[0];
    const box = element("details", { "data-key": "lessons", open: this.unfolded || null },
      element("summary", { onclick: () => { this.unfolded = !box.open; } },
      say("All {count} lessons", { count: lessons.length })),
        element("ol", { class: "lessons" }, ...lessons.map(({ name, title }) => {
        const made = button({ id: `lesson-${name}`, class: "wide-button" }, title, () => begin(name, phone));
        if (done.includes(name)) made.append(element("small", { class: "done-mark" }, ` ✓ ${say("done")}`));
        return element("li", {}, made);
      })));
    return card("learn", element("h2", {}, say("Learn the game")),
      this.first && element("p", {},
        say("New to {game}? Short lessons on the board show all of it, one step at a time.",
          { game: view.game.title })),
      row(button({ id: "learn", class: "go" },
        done.length ? say("Go on: {title}", { title: next.title }) : say("Start with the first lesson"),
        () => begin(next.name, phone)), first, ...more),
      free ? tickBox("learn-phone", say("On this phone alone, without the board"), this.phone, (on) => {
        this.phone = on;
        this.redraw();
      }) : hintLine(say("The table is busy: lessons are on this phone alone.")),
      box);
  }
}

// The buttons of a lesson, and of other exercises.
export const turnButton = (name, words) => postButton({ id: `lesson-${name}`, class: "bare" }, words, `lesson/${name}`);

// Where this phone goes when the lobby is back: the table may tell of it before the answer to the button is here.
const way = { out: "/", leaving: false };
addEventListener("pageshow", () => { way.leaving = false; });

// Between this and the next page, views still come: they are none of this page's.
export const isLeaving = () => way.leaving;

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
  const { lessons } = await lessonsHere();
  const next = lessons[lesson.number];
  if (!next) return stop();
  await post("lesson/begin", { name: next.name, phone: lesson.phone });
}

// The answer, where somebody has asked for it.
export function answerLine({ lesson }) {
  return lesson.hint && element("p", { id: "lesson-hint", role: "status" },
    say("This is one way: {hint}.", { hint: lesson.hint }));
}

// How far this lesson is, as dots and in words.
export function stepsOf({ lesson }) {
  if (!lesson || lesson.puzzle) return null;
  const dots = Array.from({ length: lesson.exercises }, (_, at) => element("i", {
    class: at + 1 < lesson.exercise || (at + 1 === lesson.exercise && lesson.done) ? "done"
      : at + 1 === lesson.exercise ? "now" : "" }));
  const step = lesson.exercises > 1 && say("exercise {number} of {count}", { number: lesson.exercise,
    count: lesson.exercises });
  return element("div", { class: "lesson-steps", "data-card": "steps" },
    element("span", { "aria-hidden": "true" }, ...lesson.exercises > 1 ? dots : []), element("small", {},
      say("Lesson {number} of {count}", { number: lesson.number, count: lesson.count }),
      step && element("span", { class: "unseen" }, `, ${step}`)));
}

// One row of quiet buttons below the one for what comes next.
export const quietRow = (...buttons) => element("div", { class: "quiet" }, ...buttons);

/**
 * The button for what comes next, which always has the same place: to go on once it is done, else to try again after a
 * wrong try; dashed while there is nothing to press.
 * @param {any} view
 * @param {any} on The button to go on.
 */
export function nextButton({ lesson }, on) {
  if (lesson.done) return on;
  if (lesson.said && !lesson.right) {
    return button({ id: "lesson-again", class: "go" },
      element("span", { class: "row" }, icon("undo"), say("Try again")), () => post("lesson/back"));
  }
  return element("button", { class: "wait", disabled: true }, say("Next, when it is done"));
}

// The lesson's card; only the learner's phone and the host have buttons. `choosing`: there is another button to press.
export function lessonCard(view, choosing = false) {
  const { lesson } = view;
  if (lesson.over) markDone(view.game.name, lesson.name);
  const last = lesson.number === lesson.count;
  const on = lesson.over ? button({ id: "lesson-following", class: "go" }, last ? say("Finish") : say("Next lesson"),
    () => following(view)) : postButton({ id: "lesson-next", class: "go" }, say("Next"), "lesson/next");
  const next = nextButton(view, on);
  return card("lesson", answerLine(view), ...view.you || view.host ? [
    !(choosing && next.disabled) && next,
    quietRow(!lesson.done && turnButton("show", say("Show me")),
      next.id !== "lesson-again" && turnButton("back", say("Back")),
      button({ id: "lesson-all", class: "bare" }, say("All lessons"), () => stopTo("/#learn")),
      button({ id: "lesson-stop", class: "bare" }, say("Stop"), () => stopTo("/")))] : []);
}
