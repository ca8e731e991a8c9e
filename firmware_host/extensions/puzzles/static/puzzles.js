// Puzzles: a position on the board's drawing, actions tried by taps or from the list, and the position after them.
import { quietRow } from "/static/learn/lessons.js";
import { listCard, Picker, Why } from "/static/play/acting.js";
import { Booking, following, maySetUp, setUp, solve } from "./progress.js";
import { Themes } from "./themes.js";
import { added } from "/static/shared/added.js";
import { Board } from "/static/shared/board.js";
import { button } from "/static/shared/controls.js";
import { allOf, byId, element, firstOf, renew, row, setText } from "/static/shared/elements.js";
import {
  barButton, closeSheet, languageLine, line, lineLink, list, openSheet, renewSheet, showBar,
} from "/static/shared/frame.js";
import { Layer, lays, supplyBox } from "/static/shared/laying.js";
import { actions, attempt, connect, explain, getJson, seatOf } from "/static/shared/live.js";
import { card, ownNodes, playsMark, seatColours } from "/static/shared/parts.js";
import { openWhenAsked } from "/static/shared/seal.js";
import { capital, runs, spoken } from "/static/shared/steps.js";
import { say, sayMany } from "/static/shared/words.js";

const AGAIN_MS = 3000;
const { game, day } = firstOf("main").dataset;
/** @type {any} */
const here = { table: null, list: null, view: null, actions: [], stage: [], solution: null, asked: 0,
  beside: null };

const board = new Board(byId("board"), { choose: pick, keys: press, deny });
board.drawing.nameFrom(...[".head", "#picked", "#panel"].map(firstOf));
const picker = new Picker(show);
const layer = new Layer(show);
const why = new Why(show);
const themes = new Themes(game, (id) => {
  closeSheet();
  return openPuzzle(id);
}, () => here.view && show());
const booking = new Booking(async () => {
  here.list = await get("");
  here.beside = null;
  show();
});
const roomy = matchMedia("(orientation: landscape) and (min-width: 60rem) and (min-height: 40rem)");
roomy.addEventListener("change", () => here.view && show());

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
  why.clear();
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
  why.clear();
  if (lays(here.view)) layer.pick(here.view, node, aside);
  else picker.pick(here.view, node, fine);
}

// A puzzle does not tell what is right, but a tap on what can't be moved is answered, too.
function deny() {
  why.tell(here.view, "");
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
  const strip = picks && (laying ? layer.strip(view, mine()) : picker.strip(board));
  renew(byId("picked"), [picks && why.strip() || strip]);
  renew(byId("supply"), [supplyBox(view)]);
  setText(byId("asked"), headline());
  setText(byId("verdict"), sentence());
  const kind = view.state === "wrong" ? "wrong" : view.state === "solved" && !here.solution ? "right" : "";
  firstOf(".head").className = `head task ${kind}`;
  byId("who").replaceChildren(...[element("b", {}, mine().name), " ", playsMark(view, mine(), { brief: true }),
    mine().homes.length > 0 && ` · ${ownNodes(mine(), view)}`, " · ", say("grade {grade} of 5", { grade: view.grade })]
    .filter(Boolean));
  showBar({ seats: [], game: view.game }, view.title,
    barButton("puzzles", "menu", say("All puzzles"), () => openSheet(more)));
  renew(byId("panel"), [choices(), solutionCard(), buttons(), view.state === "solved" && booking.card(view.id)]);
  beside();
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

// The sheet with all puzzles of the game, unless they stand beside the board; moves in words; the way to other games.
function more() {
  const moves = here.view.steps.some((step) => step.moves.length);
  return { title: roomy.matches ? say("Puzzles") : say("All puzzles"), back: back(), parts: [
    ...roomy.matches ? [] : themes.parts(here.list, here.view),
    list("more", moves && line("by-words", "play", say("Moves in words"), "", () => openSheet(movesInWords)),
      ...added("game-line", { name: game }),
      ...allOf("#links a").map((link, at) => lineLink(`link-${at}`, "", link.textContent, link.getAttribute("href")))),
    languageLine([say("Back"), () => openSheet(more)]),
  ] };
}

// On a desk all puzzles stand beside the board; what takes long to draw is drawn when it changes.
function beside() {
  const { view } = here;
  const key = roomy.matches && JSON.stringify([view.id, view.state, themes.unfolded, Boolean(themes.drawn)]);
  if (key === here.beside) return;
  here.beside = key;
  renew(byId("themes"), roomy.matches ? themes.parts(here.list, view) : []);
}

function movesInWords() {
  return { title: say("Moves in words"), parts: [listCard(here.view)], back: back() };
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
