// A puzzle on the board: set up by light, solved by hand; this phone says what is asked, and has its buttons.
import { exerciseLines, stopTo, turn } from "../learn/lessons.js";
import { Booking, following, solve } from "./progress.js";
import { element } from "../shared/elements.js";
import { attempt, fetchInTime, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { say } from "../shared/words.js";

let kept = null; // What was noted as solved last.
let redrawn = () => {};
const booking = new Booking(() => redrawn());

const pathOf = (game) => `/api/puzzles/${encodeURIComponent(game)}`;
const listOf = async (game) => (await fetchInTime(pathOf(game))).json();

function stop(view) {
  return () => stopTo(`/puzzles/${encodeURIComponent(view.game.name)}#${view.lesson.name}`);
}

function next(view) {
  return () => attempt(async () => {
    const { puzzles } = await listOf(view.game.name);
    const here = { id: view.lesson.name, grade: view.lesson.puzzle.grade };
    await post("puzzle/begin", { puzzle: following(view.game.name, puzzles.filter((one) => one.on_board), here).id });
    location.reload();
  });
}

async function note({ game, lesson }) {
  if (kept === lesson.name) return;
  kept = lesson.name;
  const { today, day, puzzles } = await listOf(game.name).catch(() => ({}));
  solve(game.name, lesson.name, today?.id === lesson.name ? day : null);
  const puzzle = puzzles?.find((one) => one.id === lesson.name);
  if (puzzle) booking.solved(game.name, puzzle, lesson.puzzle.seconds);
  redrawn();
}

// The cards of the phone that solves; others only read along.
export function puzzleCards(view, redraw) {
  const { lesson } = view;
  redrawn = redraw;
  if (lesson.over && !lesson.puzzle.helped && view.you) note(view);
  return [puzzleCard(view), lesson.over && booking.card(lesson.name)];
}

function puzzleCard(view) {
  const { lesson } = view;
  const { grade } = lesson.puzzle;
  return card("lesson", element("h2", {}, say("Puzzle: {title}", { title: lesson.title })),
    element("p", { class: "hint" }, say("grade {grade} of 5", { grade })), ...exerciseLines(view),
    (view.you || view.host) && element("div", { class: "row" },
      lesson.over && element("button", { id: "puzzle-next", class: "primary big", onclick: next(view) },
        say("Next puzzle")),
      !lesson.done && element("button", { id: "lesson-show", class: "big", onclick: turn("show") }, say("Show me")),
      element("button", { id: "lesson-back", class: "big", onclick: turn("back") }, say("Start again")),
      element("button", { id: "lesson-stop", class: "big", onclick: stop(view) }, say("Stop the puzzle"))));
}
