// Puzzles: a position on the board's drawing, actions tried by taps or from the list, and the position after them.
import { quietRow } from "../learn/lessons.js";
import { listCard, Picker } from "../play/acting.js";
import { Booking, clock, following, isSolved, maySetUp, setUp, solve, streak } from "./progress.js";
import { Board } from "../shared/board.js";
import { button } from "../shared/controls.js";
import { allOf, byId, element, firstOf, renew, row, setText } from "../shared/elements.js";
import {
  barButton, closeSheet, languageLine, line, lineLink, list, openSheet, renewSheet, showBar,
} from "../shared/frame.js";
import { Layer, lays, supplyBox } from "../shared/laying.js";
import { actions, attempt, connect, explain, getJson, seatOf } from "../shared/live.js";
import { card, ownNodes, playsMark, seatColours } from "../shared/parts.js";
import { openWhenAsked } from "../shared/seal.js";
import { capital, runs, spoken } from "../shared/steps.js";
import { listOf, say, sayMany } from "../shared/words.js";

const AGAIN_MS = 3000;
const { game, day } = firstOf("main").dataset;
/** @type {any} */
const here = { table: null, list: null, view: null, actions: [], stage: [], solution: null, asked: 0 };

const board = new Board(byId("board"), { choose: pick, keys: press });
const picker = new Picker(show);
const layer = new Layer(show);
const booking = new Booking(async () => {
  here.list = await get("");
  show();
});

actions.choose = (action) => {
  const partial = here.view.steps.find((step) => step.action === action)?.partial;
  return partial ? attempt(() => look(here.actions, [action])) : attempt(() => look([...here.actions, action]));
};
actions.why = () => Promise.resolve({ why: "" });

const get = (path) => getJson(`/api/puzzles/${encodeURIComponent(game)}${path}`);

// Show the puzzle after some actions of its seat, and possibly the first stage of the next action.
async function look(actions, stage = [], id = here.view.id) {
  here.asked += 1;
  const request = here.asked;
  const asked = (name, values) => values.map((value) => `${name}=${encodeURIComponent(value)}`);
  const view = await get(`/${id}?${[...asked("do", actions), ...asked("stage", stage)].join("&")}`);
  if (request !== here.asked) return; // A later tap has asked for another view.
  if (id !== here.view?.id) Object.assign(here, { solution: null, since: performance.now() });
  Object.assign(here, { actions, stage, view: { ...view, turn: actions.length, resolver: view.seat,
    wanted: stage[0] ?? null, question: null } });
  picker.clear();
  layer.clear();
  if (view.state === "solved" && !here.solution) {
    solve(game, id, id === here.list.today.id ? day : null);
    booking.solved(game, view, (performance.now() - here.since) / 1000);
  }
  show();
}

async function openPuzzle(id) {
  history.replaceState(null, "", `#${id}`);
  await look([], [], id);
  byId("asked").focus();
}

const mine = () => seatOf(here.view, here.view.seat);

function pick(node, fine, aside) {
  if (lays(here.view)) layer.pick(here.view, node, aside);
  else picker.pick(here.view, node, fine);
}

function press(event, node) {
  return lays(here.view) && layer.press(here.view, event, node);
}

// The answer takes the question's place: right, wrong, or the solution that was asked for.
function headline() {
  const { view, solution } = here;
  if (view.state === "wrong") return say("Not this way");
  return view.state === "open" ? view.asked : solution ? say("The solution") : view.words;
}

function sentence() {
  const { view } = here;
  if (view.state === "wrong") return view.words;
  if (view.state === "open") return partners();
  return sayMany("Proved: {count} position was looked at, and nothing else is right.",
    "Proved: {count} positions were looked at, and nothing else is right.", view.looked);
}

// Who plays together, where the homes of two count.
function partners() {
  const { view } = here;
  const team = view.teams.find((one) => one.includes(view.seat)) ?? [];
  if (team.length < 2) return "";
  const [partner] = team.filter((seat) => seat !== view.seat).map((seat) => seatOf(view, seat));
  return say("Two against two: {partner} is your partner, and the homes of both of you count ({homes}).",
    { partner: partner.name, homes: ownNodes(partner, view) });
}

function show() {
  const { view } = here;
  const laying = lays(view);
  seatColours(view);
  const picks = laying ? layer.picks(view, mine()) : picker.picks(view);
  board.show(view, picks ?? { trails: runs(view, null) });
  renew(byId("picked"), [picks && (laying ? layer.strip(view, mine()) : picker.strip(board))]);
  renew(byId("supply"), [supplyBox(view)]);
  setText(byId("asked"), headline());
  setText(byId("verdict"), sentence());
  const kind = view.state === "wrong" ? "wrong" : view.state === "solved" && !here.solution ? "right" : "";
  firstOf(".head").className = `head task ${kind}`;
  byId("who").replaceChildren(...[element("b", {}, mine().name), " ", playsMark(view, mine(), { brief: true }),
    mine().homes.length > 0 && ` · ${ownNodes(mine(), view)}`, " · ", say("grade {grade} of 5", { grade: view.grade })]
    .filter(Boolean));
  showBar({ seats: [], game: view.game }, view.title,
    barButton("puzzles", "menu", say("All puzzles"), () => openSheet(allPuzzles)));
  renew(byId("panel"), [choices(), solutionCard(), buttons(), view.state === "solved" && booking.card(view.id)]);
  renewSheet();
}

// Choices that have no place on the drawing: the winner, the end of a turn, a pass.
function choices() {
  const { view } = here;
  const offered = [...view.choices, ...spoken(view)];
  return offered.length > 0 && card("choices",
    row(...offered.map((one) => button({ id: `choice-${one.action}`, class: "wide-button" }, capital(one.words),
      () => look([...here.actions, one.action])))));
}

// One large button for what comes next, and a row of quiet ones.
function buttons() {
  const { view, actions, stage } = here;
  const begun = actions.length + stage.length > 0;
  const open = view.state !== "solved";
  const again = () => look([]);
  return card("buttons",
    !open && button({ id: "next", class: "go" }, say("Next puzzle"),
      () => openPuzzle(following(game, here.list.puzzles, view).id)),
    view.state === "wrong" && button({ id: "again", class: "go" }, say("Try again"), again),
    quietRow(begun && view.state === "open" && button({ id: "again", class: "bare" }, say("Start again"), again),
      begun && open && button({ id: "back-a-step", class: "bare" }, say("One step back"),
        () => (stage.length ? look(actions) : look(actions.slice(0, -1)))),
      !here.solution && open && button({ id: "solution", class: "bare" }, say("Show the solution"), showSolution),
      view.on_board && maySetUp(here.table, game) && button({ id: "set-up", class: "bare" },
        say("Set it up on the board"), () => setUp(view.id))));
}

async function showSolution() {
  here.solution = await get(`/${here.view.id}/solution`);
  await look(here.solution.actions);
}

function solutionCard() {
  return here.solution && card("solution",
    element("ol", {}, ...here.solution.words.map((words) => element("li", {}, words))));
}

/** @returns {[string, () => void]} */
const back = () => [say("Back"), closeSheet];

// The sheet with all puzzles of the game, moves in words, and the way to other games.
function allPuzzles() {
  const { view } = here;
  const days = streak(day);
  const by = here.list.today_by.map(({ name, seconds }) => `${name} (${clock(seconds)})`);
  const told = [days && sayMany("Solved the puzzle of the day {count} day in a row.",
    "Solved the puzzle of the day {count} days in a row.", days),
  by.length && say("Today's puzzle was solved by {names}.", { names: listOf(by) })].filter(Boolean);
  const grades = [...new Set(here.list.puzzles.map((one) => one.grade))].sort();
  const today = here.list.today;
  const moves = view.steps.some((step) => step.moves.length);
  return { title: say("All puzzles"), back: back(), parts: [
    told.length > 0 && element("p", { id: "streak", class: "hint", "data-card": "streak" }, told.join(" ")),
    element("div", { id: "list", "data-card": "list" },
      row(entry(today, say("Puzzle of the day: {title}", { title: today.title }))),
      ...grades.map((grade) => gradeOf(grade, here.list.puzzles.filter((one) => one.grade === grade)))),
    list("more", moves && line("by-words", "play", say("Moves in words"), "", () => openSheet(movesInWords)),
      lineLink("help", "help", say("How to play"), `/how-to-play/${encodeURIComponent(game)}`),
      ...allOf("#links a").map((link, at) => lineLink(`link-${at}`, "", link.textContent, link.getAttribute("href")))),
    languageLine([say("Back"), () => openSheet(allPuzzles)]),
  ] };
}

function movesInWords() {
  return { title: say("Moves in words"), parts: [listCard(here.view)], back: back() };
}

function gradeOf(grade, some) {
  const done = some.filter((one) => isSolved(game, one.id)).length;
  return element("details", { "data-key": `grade-${grade}`, open: grade === here.view.grade },
    element("summary", {}, say("Grade {grade}: {done} of {count} solved", { grade, done, count: some.length })),
    row(...some.map((one, at) => entry(one, `${at + 1} ${one.title}`))));
}

function entry(one, words) {
  const done = isSolved(game, one.id);
  return button({ "aria-current": one.id === here.view.id ? "true" : false },
    done ? say("{words} (solved)", { words: `✓ ${words}` }) : words, () => {
      closeSheet();
      return openPuzzle(one.id);
    });
}

async function load() {
  try {
    here.list = await get("");
    const wished = here.list.puzzles.find((one) => `#${one.id}` === location.hash);
    await look([], [], (wished ?? here.list.today).id);
    explain(null);
  } catch (error) {
    explain(error.message, { away: true });
    setTimeout(load, AGAIN_MS);
  }
}

if (byId("board")) load();
// A phone that has sealed may solve one meanwhile: it opens its seal from every page.
connect((view) => {
  openWhenAsked(view);
  const before = maySetUp(here.table, game);
  here.table = view;
  if (here.view && maySetUp(view, game) !== before) show();
}, (view) => Boolean(view.you) && ["sealing", "revealing"].includes(view.phase));
