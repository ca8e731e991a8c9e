// A puzzle on the board: set up by light, solved by hand; this phone says what is asked, and has its buttons.
import { answerLine, nextButton, quietRow, stopTo, turnButton } from "/static/learn/lessons.js";
import { Booking, following, solve } from "./progress.js";
import { button } from "/static/shared/controls.js";
import { hintLine } from "/static/shared/elements.js";
import { getJson, post } from "/static/shared/live.js";
import { card } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

let kept = null; // What was noted as solved last.
let redrawn = () => {};
const booking = new Booking(() => redrawn());

const puzzlesOf = (game) => getJson(`/api/puzzles/${encodeURIComponent(game)}`);

async function next(view) {
  const { puzzles } = await puzzlesOf(view.game.name);
  const here = { id: view.lesson.name, grade: view.lesson.puzzle.grade };
  await post("puzzle/begin", { puzzle: following(view.game.name, puzzles.filter((one) => one.on_board), here).id });
}

async function note({ game, lesson }) {
  if (kept === lesson.name) return;
  kept = lesson.name;
  const { today, day, puzzles } = await puzzlesOf(game.name).catch(() => ({}));
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
  const on = button({ id: "puzzle-next", class: "go" }, say("Next puzzle"), () => next(view));
  return card("lesson", hintLine(say("grade {grade} of 5", { grade })), answerLine(view),
    ...view.you || view.host ? [nextButton(view, on),
      quietRow(!lesson.done && turnButton("show", say("Show me")), turnButton("back", say("Start again")),
        button({ id: "lesson-stop", class: "bare" }, say("Stop"),
          () => stopTo(`/puzzles/${encodeURIComponent(view.game.name)}#${lesson.name}`)))] : []);
}
