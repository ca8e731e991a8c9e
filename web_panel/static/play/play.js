// A phone at the table: the drawing, and cards with the seat's possible actions.
import { actingCards, listCard, othersCard, Picker, questionCard, Why } from "./acting.js";
import { added } from "../shared/added.js";
import { headlineOf } from "./headline.js";
import { watchTray } from "./grip.js";
import { Hint } from "./hints.js";
import { openMenu } from "./menu.js";
import { askCards, goOnCard } from "../host/host_now.js";
import { isLeaving, leave, lessonCard, stepsOf, stopTo } from "../learn/lessons.js";
import { Asking } from "../lobby/lobby_asking.js";
import { aboutGame, endCard, hasLost, showCrown } from "./ending.js";
import {
  builtCard, drawnCard, elsewhereCard, heldCard, isElsewhere, Placement, placingCard, revealCard,
} from "./sealing.js";
import { decidedCard, declinedCard, proposalCard, takeBackButton } from "../shared/agreements.js";
import { announce } from "../shared/announce.js";
import { Board } from "../shared/board.js";
import { showSaid } from "../shared/company.js";
import { followClocks, ownClock } from "../shared/clocks.js";
import { seatHue } from "../shared/lamps.js";
import { button, dropQuestion } from "../shared/controls.js";
import { loadEndStyle } from "../shared/end.js";
import { byId, element, firstOf, hintLine, needStyle, renew, setText, showText } from "../shared/elements.js";
import { barButton, disc, renewSheet } from "../shared/frame.js";
import { Layer, lays, supplyBox, tidyingCard, wantedGhost } from "../shared/laying.js";
import { ALONE, attempt, connect, mySeat } from "../shared/live.js";
import { riseWithTurn } from "../shared/motion.js";
import {
  card, clearingCard, computerCard, partnerLine, playerRows, playsMark, seatColours,
} from "../shared/parts.js";
import { Reveal } from "../shared/reveal.js";
import { forget, noteDeal, openWhenAsked } from "../shared/seal.js";
import { handles, sensorCard, showTrouble } from "../shared/sensors.js";
import { runs, spoken } from "../shared/steps.js";
import { visit } from "../shared/storage.js";
import { pressSeal } from "../shared/wax.js";
import { say, sayMany } from "../shared/words.js";

/** @import { Picks } from "../shared/board.js" */

let view = null;
let buzzed = "";
let taught = false; // Whether a lesson or a puzzle is shown.
let over = null; // The game whose end this page shows.

loadEndStyle();
const putTray = watchTray(firstOf(".tray"), byId("panel"), byId("picked"));
const board = new Board(byId("board"), { choose: pick, keys: press, deny });
board.drawing.nameFrom(...["head", "error", "picked", "proposal", "asks", "panel", "reminder", "trouble"].map(byId));
const reveal = new Reveal(byId("count"), (latest) => {
  view = latest;
  show();
}, () => {
  setText(byId("headline"), say("All have sealed"));
  setText(byId("message"), say("The seals open."));
  return [];
});
const stream = connect((latest) => {
  if (isLeaving()) return null; // The lobby leads to the game that has begun meanwhile.
  openWhenAsked(latest);
  noteDeal(latest);
  asking.follow(latest);
  if (ALONE && !latest.lesson?.phone) return leave(); // The lesson on this phone is over.
  if (latest.phase === "lobby") {
    forget(over);
    return leave();
  }
  over = latest.phase === "over" ? latest.game.id : null; // An end that was taken back is none.
  visit(latest.game.id);
  return reveal.take(latest);
}, (latest) => Boolean(latest.you) && (["sealing", "revealing"].includes(latest.phase)
  || added("hears-on", latest).length > 0));
// Who sits at the table is called from a lesson of their own once a game begins.
let called = false;
if (ALONE) {
  connect((table) => {
    const now = Boolean(table.you) && !table.lesson && !["lobby", "over"].includes(table.phase);
    if (now === called) return;
    called = now;
    if (view) show();
  }, undefined, false);
}
const why = new Why(show);
const placement = new Placement(show, () => stream.refresh(), (words) => why.tell(view, words));
const picker = new Picker(show);
const layer = new Layer(show);
const hint = new Hint(show);
let instead = null; // What is shown in place of the game as it stands.
let series = []; // How those stand who have met.
let went = []; // How the game went that is over.
const asking = new Asking(show, () => location.reload());

function choosing() {
  const seat = mySeat(view);
  return view.phase === "sealing" && seat && !seat.sealed && !seat.resigned && !seat.computer && !view.lesson?.done;
}

function acting() {
  const seat = mySeat(view);
  return view.phase === "resolving" && seat && view.resolver === seat.seat && !view.standstill;
}

function pick(node, fine, aside) {
  why.clear();
  if (choosing()) placement.pick(node);
  else if (acting() && lays(view)) layer.pick(view, node, aside);
  else if (acting()) picker.pick(view, node, fine);
}

// A tap on a node that can't be picked: explain by which rule.
function deny(node) {
  if (choosing()) why.tell(view, view.seal.closed[node]);
  else if (acting()) attempt(() => why.ask(view, lays(view) ? null : picker.source, node));
}

function press(event, node) {
  return acting() && lays(view) && layer.press(view, event, node);
}

// The nodes that the drawing offers, and its ghost and trails (see Board.show).
/** @returns {Picks} */
function picksOf(seat) {
  if (choosing()) return placement.picks(view);
  const picks = acting() ? (lays(view) ? layer.picks(view, seat) : picker.picks(view)) : null;
  const wanted = { ghost: wantedGhost(view), trails: runs(view, null) };
  return picks ? { ...picks, ghost: picks.ghost ?? hint.ghost(view) } : wanted;
}

function show() {
  const seat = mySeat(view);
  if (view.lesson && !taught) putTray(true); // What is learnt is shown on the board: all of it is seen.
  taught = Boolean(view.lesson);
  dropQuestion(view);
  placement.follow(view);
  why.follow(view);
  hint.follow(view);
  [instead = null] = added("instead", view, show);
  series = added("series", view, show);
  went = added("how-it-went", view, show);
  seatColours(view);
  const picks = picksOf(seat);
  showBar(seat);
  const now = showHead(seat);
  showCrown(byId("head"), view, seat);
  const ended = Boolean(view.result) && !view.lesson && view.phase === "over";
  firstOf("main").classList.toggle("ended", ended);
  firstOf("main").classList.toggle("teaching", Boolean(view.lesson));
  firstOf("main").classList.toggle("beaten", Boolean(ended && seat && hasLost(view, seat)));
  const tasks = seat && view.seal ? placement.planned(view, seat) : view.tasks;
  board.show(instead ? instead.scene : hint.scene({ ...view, tasks }), instead ? {} : picks);
  hint.mark(board);
  pressSeal(byId("pressed"), byId("board"), view, placement.shown || instead ? null : seat);
  const strip = !instead && picks.role === "button"
    && (lays(view) ? layer.strip(view, seat) : picker.strip(board, true));
  renew(byId("picked"), [!instead && picks.role && why.strip() || strip]);
  showText(byId("reminder"), view.reminder);
  showTrouble(byId("trouble"), view);
  renew(byId("asks"), [called && calledCard(), ...(view.host ? askCards(view) : []),
    ...added("ask", view, () => null).flat()]);
  showSaid(view);
  renew(byId("proposal"), [proposalCard(view) ?? declinedCard(seat), decidedCard(view, seat), goOnCard(view)]);
  // What was tapped is the one thing to go on with.
  const own = cards(seat);
  if (!view.result) for (const one of own) added("text", one, view, show);
  const all = [...own, ...(view.lesson ? [] : added("card", view, seat))];
  renew(byId("panel"), instead ? [instead.card(now.mine)] : strip ? []
    : (view.phase === "placing" ? [...all, rows()] : [supply(), rows(), ...all]).filter(Boolean));
  renewSheet();
  riseWithTurn(view, byId("head"), byId("panel"));
  tellTurn(now);
  followClocks(view);
  announce(view);
  added("view", view, show);
}

function showBar(seat) {
  const about = view.lesson ? say("Learn {game}", { game: view.game.title })
    : view.result ? sayMany("{game} · one turn", "{game} · {count} turns", view.turn, { game: view.game.title })
    : say("{game} · turn {turn}", { game: view.game.title, turn: view.turn });
  byId("bar").className = `bar ${seat ? seatHue(view, seat.seat) : ""}`;
  renew(byId("bar"), [
    element("span", { class: "row", id: "who", "data-card": "who" }, seat && disc(seat),
      element("span", { class: "name" }, seat ? seat.name : say("watching")),
      seat && playsMark(view, seat, { brief: true })),
    element("small", { class: "turn", "data-card": "turn" }, about),
    ...added("bar-button", view.game), barButton("menu", "menu", say("Menu"), () => openMenu(menuNow)),
  ].map((one, at) => { one.setAttribute("data-card", `bar-${at}`); return one; }));
}

function menuNow() {
  const list = choosing() ? placement.byWords(view, why.words) : acting() && !view.question ? listCard(view) : null;
  if (list?.tagName === "DETAILS") list.open = true;
  return { view, seat: mySeat(view), list, redraw: show };
}

// The headline, and its sentence; returns them.
function showHead(seat) {
  const now = headlineOf(view, seat, { choosing: choosing(), colour: placement.colour, node: placement.node,
    source: acting() && !lays(view) ? picker.source : null, well: acting() ? layer.well : null,
    elsewhere: seat && view.seal && isElsewhere(view, seat) });
  const { headline, sentence, alarm, verdict = "" } = instead ? instead.head : now;
  byId("head").className = `head ${view.lesson ? "task" : ""} ${verdict}`;
  renew(byId("steps"), [stepsOf(view)].filter(Boolean));
  setText(byId("headline"), headline);
  showText(byId("message"), alarm ? "" : sentence);
  added("text", byId("message"), view, show);
  showText(byId("problem"), alarm ? sentence : "");
  ownClock(byId("clock"), view);
  renew(byId("aid"), [choosing() && hint.button(view, { sign: true })].filter(Boolean));
  return now;
}

// The next tile of a stack.
function supply() {
  const box = !view.result && !view.lesson?.over && !view.question && supplyBox(view);
  box?.setAttribute?.("id", "supply");
  return box;
}

const partners = () => new Set(view.seats.map((one) => one.team)).size < view.seats.length;

// The players: below what is to be done, where nothing is or where partners have one score; elsewhere on large screens.
function rows() {
  if (view.lesson || view.result) return null;
  needStyle(new URL("players.css", import.meta.url));
  const idle = !choosing() && !acting() && !["setup", "clearing", "placing"].includes(view.phase);
  const first = idle || (partners() && view.phase === "placing") || view.seats.some((one) => one.role);
  return element("ul", { id: "seats", class: first ? "players" : "players spare", "data-card": "seats",
    "aria-label": say("Players") }, ...playerRows(view));
}

function cards(seat) {
  const clearing = view.phase === "clearing" && clearingCard(view);
  const sensors = seat && handles(view, seat) && view.phase !== "over"
    && (view.problem?.fault || view.sensors.suspects.length)
    && sensorCard(view);
  if (view.lesson) return lessonCards(seat, clearing, sensors);
  if (!seat) {
    return [heldCard(view, asking), !view.result && watcherCard(), computerCard(view), clearing,
      tidyingCard(view, null), view.result && endCard(view, null, aboutNow)];
  }
  if (view.result) {
    return [clearing, view.question?.seat === seat.seat && questionCard(view),
      clearing ? sensors : endCard(view, seat, aboutNow)];
  }
  return [
    view.phase !== "resolving" && view.question?.seat === seat.seat && questionCard(view),
    ...(choosing() ? [partnerLine(view, seat), hint.card(view), placement.choosing(view, seat)] : []),
    ...(view.seal ? sealCards(seat) : []),
    view.phase === "placing" && placingCard(view, partners()),
    builtCard(view),
    clearing,
    tidyingCard(view, seat),
    ...(view.phase === "resolving" ? stepCards(seat) : []),
    computerCard(view),
    sensors,
  ];
}

const aboutNow = () => aboutGame(view, { series, went, board });

// In a lesson or a puzzle nobody wins, and it has buttons of its own.
function lessonCards(seat, clearing, sensors) {
  const acts = seat && view.phase === "resolving" && !view.lesson.done;
  return [choosing() && placement.choosing(view, seat), ...(seat && view.seal ? sealCards(seat) : []),
    view.phase === "placing" && placingCard(view), builtCard(view), clearing, tidyingCard(view, seat),
    ...(acts ? stepCards(seat) : []),
    sensors,
    ...view.lesson.puzzle ? added("exercise-cards", view, show).flat() : [lessonCard(view, Boolean(choosing()))]];
}

function sealCards(seat) {
  if (isElsewhere(view, seat)) return [elsewhereCard(view, seat)];
  return [drawnCard(view, seat) || (view.phase === "revealing" ? revealCard(view, seat, show) : seat.sealed
    && placement.sealed(view, seat))];
}

function stepCards(seat) {
  if (view.resolver !== seat.seat) return [othersCard(view)];
  if (view.question) return [questionCard(view)];
  if (view.lesson) return actingCards(view);
  return [hint.card(view), ...actingCards(view, takeBackButton(view, seat),
    hint.button(view, { sign: spoken(view).length > 0 }))];
}

function calledCard() {
  return card("called", element("p", {}, say("The game at the table has begun: it is waiting for you.")),
    button({ id: "to-the-game", class: "go" }, say("To the game"), () => stopTo("/play")));
}

function watcherCard() {
  return card("watcher", element("p", {}, say("You are watching.")),
    view.phase !== "over" && hintLine(
      say("Is one of the seats yours? In the lobby you can ask for it.")),
        element("a", { class: "button", href: "/" }, say("To the lobby")));
}

// Say "your turn" to who looks elsewhere: by the tab's title, by vibration, and by what extensions add.
function tellTurn({ mine, headline }) {
  const { game, turn } = view;
  const title = mine ? `● ${headline}` : say("{game} · turn {turn}", { game: game.title, turn });
  document.title = `${title} – Lodestone`;
  const key = `${view.turn} ${view.phase} ${mine}`;
  if (key === buzzed) return;
  if (mine && buzzed && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(80);
  added("turn", mine && buzzed ? [headline, say("{game} · turn {turn}", { game: game.title, turn })] : null);
  buzzed = key;
}
