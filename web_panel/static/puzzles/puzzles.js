// Puzzles: a position on the board's drawing, actions tried by taps or from the list, and the position after them.
import { listCard, Picker } from "../play/acting.js";
import { Booking, clock, following, isSolved, maySetUp, setUp, solve, streak } from "./progress.js";
import { Board } from "../shared/board.js";
import { button } from "../shared/controls.js";
import { byId, element, firstOf, hintLine, renew, row, showText } from "../shared/elements.js";
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
  const list = (name, values) => values.map((value) => `${name}=${encodeURIComponent(value)}`);
  const view = await get(`/${id}?${[...list("do", actions), ...list("stage", stage)].join("&")}`);
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

function show() {
  const { view } = here;
  const laying = lays(view);
  seatColours(view);
  const picks = laying ? layer.picks(view, mine()) : picker.picks(view);
  board.show(view, picks ?? { trails: runs(view, null) });
  renew(byId("picked"), [picks && (laying ? layer.strip(view, mine()) : picker.strip(board))]);
  renew(byId("supply"), [supplyBox(view)]);
  byId("asked").textContent = view.asked;
  byId("who").replaceChildren(...[element("b", {}, view.title), " · ", say("grade {grade} of 5", { grade: view.grade }),
    " · ", mine().name, " ", playsMark(view, mine(), { brief: true }),
    mine().homes.length > 0 && ` · ${ownNodes(mine(), view)}`].filter(Boolean));
  const verdict = byId("verdict");
  verdict.className = view.state === "wrong" ? "message wrong-answer" : "message right-answer";
  showText(verdict, view.state !== "open" && view.words);
  renew(byId("panel"), [choices(), buttons(), proof(), view.state === "solved" && booking.card(view.id), solutionCard(),
    view.steps.length > 0 && view.steps.some((step) => step.moves.length) && listCard(view)]);
  drawList();
}

// Choices that have no place on the drawing: the winner, the end of a turn, a pass.
function choices() {
  const { view } = here;
  const offered = [...view.choices, ...spoken(view)];
  return offered.length > 0 && card("choices",
    row(...offered.map((one) => button({ id: `choice-${one.action}`, class: "wide-button" }, capital(one.words),
      () => look([...here.actions, one.action])))));
}

function buttons() {
  const { view, actions, stage } = here;
  const begun = actions.length + stage.length > 0;
  const open = view.state !== "solved";
  return card("buttons", row(
    begun && open && button({ id: "again" }, say("Start again"), () => look([])),
    begun && open && button({ id: "back-a-step" }, say("One step back"),
      () => (stage.length ? look(actions) : look(actions.slice(0, -1)))),
    !open && button({ id: "next", class: "primary" }, say("Next puzzle"),
      () => openPuzzle(following(game, here.list.puzzles, view).id)),
    !here.solution && open && button({ id: "solution" }, say("Show the solution"), showSolution),
    view.on_board && maySetUp(here.table, game) && button({ id: "set-up" }, say("Set it up on the board"),
      () => setUp(view.id))));
}

function proof() {
  const { view } = here;
  return view.state === "solved" && card("proof-of-it", hintLine(
    sayMany("Proved: {count} position was looked at, and nothing else is right.",
      "Proved: {count} positions were looked at, and nothing else is right.", view.looked)));
}

async function showSolution() {
  here.solution = await get(`/${here.view.id}/solution`);
  await look(here.solution.actions);
}

function solutionCard() {
  return here.solution && card("solution", element("h2", {}, say("The solution")),
    element("ol", {}, ...here.solution.words.map((words) => element("li", {}, words))));
}

function drawList() {
  const days = streak(day);
  const by = here.list.today_by.map(({ name, seconds }) => `${name} (${clock(seconds)})`);
  byId("streak").textContent = [days && sayMany("Solved the puzzle of the day {count} day in a row.",
    "Solved the puzzle of the day {count} days in a row.", days),
    by.length && say("Today's puzzle was solved by {names}.", { names: listOf(by) })].filter(Boolean).join(" ");
  const grades = [...new Set(here.list.puzzles.map((one) => one.grade))].sort();
  const today = here.list.today;
  renew(byId("list"), [card("today", entry(today, say("Puzzle of the day: {title}", { title: today.title }))),
    ...grades.map((grade) => {
    const some = here.list.puzzles.filter((one) => one.grade === grade);
    const done = some.filter((one) => isSolved(game, one.id)).length;
    return element("details", { class: "card", "data-card": `grade-${grade}` },
      element("summary", {}, say("Grade {grade}: {done} of {count} solved", { grade, done, count: some.length })),
      row(...some.map((one, at) => entry(one, `${at + 1} ${one.title}`))));
  })]);
}

function entry(one, words) {
  const done = isSolved(game, one.id);
  return button({ "aria-current": one.id === here.view.id ? "true" : false },
    done ? say("{words} (solved)", { words: `✓ ${words}` }) : words, () => openPuzzle(one.id));
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
