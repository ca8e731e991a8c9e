// The big screen: the board, the players and what happens; in the lobby the seats' codes and the rules in pictures.
import { gameWords } from "/static/lobby/lobby_seats.js";
import { SeatCodes } from "/static/link/seat_codes.js";
import { headlineOf } from "/static/play/headline.js";
import { added } from "/static/shared/added.js";
import { proposalWords } from "/static/shared/agreements.js";
import { announce } from "/static/shared/announce.js";
import { Board } from "/static/shared/board.js";
import { followClocks } from "/static/shared/clocks.js";
import { showSaid } from "/static/shared/company.js";
import { allOf, byId, element, firstOf, renew, setText, showText, svg } from "/static/shared/elements.js";
import { crown, decided, rolesOf, scoreCurve, scores, wonWords } from "/static/shared/end.js";
import { disc } from "/static/shared/frame.js";
import { seatHue } from "/static/shared/lamps.js";
import { supplyBox, wantedGhost } from "/static/shared/laying.js";
import { connect } from "/static/shared/live.js";
import { riseWithTurn } from "/static/shared/motion.js";
import { legend, playerRows, seatColours, showAim, showCounted, showRules } from "/static/shared/parts.js";
import { Reveal } from "/static/shared/reveal.js";
import { showTrouble } from "/static/shared/sensors.js";
import { runs } from "/static/shared/steps.js";
import { wax } from "/static/shared/wax.js";
import { say, sayMany } from "/static/shared/words.js";

// What stands above the count of the reveal.
function aboutSeals(view) {
  return [element("p", { class: "soft" }, titleOf(view)), element("h2", { class: "moment" }, say("All have sealed")),
    seals(view)];
}

function seals(view) {
  return element("div", { class: "seals" }, ...view.seats.filter((seat) => seat.sealed)
    .map((seat) => element("figure", {}, wax(view, seat), element("figcaption", {}, disc(seat), seat.name))));
}

const board = new Board(byId("board"));
const lobby = new SeatCodes(byId("lobby"), byId("joining"), fit);
const reveal = new Reveal(byId("reveal"), show, aboutSeals);
const REST_MS = 180000;
const STIRRED_MS = 5000;
const STARS = 30;
const STEPS = [[0, 0], [3, 2], [-2, 3], [-3, -2], [2, -3]];

// Against burn-in: the whole picture moves by a few pixels now and then.
function wander(count) {
  const [x, y] = STEPS[count % STEPS.length];
  firstOf("main").style.translate = `${x}px ${y}px`;
  setTimeout(wander, REST_MS, count + 1);
}
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) setTimeout(wander, REST_MS, 1);

// What sets the screen up shows for some seconds when somebody is at it.
let atRest = 0;
function stir() {
  document.body.classList.add("stirred");
  clearTimeout(atRest);
  atRest = setTimeout(() => document.body.classList.remove("stirred"), STIRRED_MS);
}
for (const kind of ["pointermove", "pointerdown", "keydown"]) addEventListener(kind, stir);

// Hide lines of the log, and less important parts, that do not fit the screen. A narrow screen scrolls instead.
function fit() {
  const log = byId("log");
  const ranks = [1, 2, 3, 4].map((rank) => `[data-spare="${rank}"]`); // What extensions show says what goes first.
  const result = [".series", ...ranks, ".curve", ".say"].flatMap((part) => allOf(`#result ${part}`).reverse());
  const spare = [...["join", "aim", "rules", "counted", "added", "strip"].map(byId), ...result];
  const bottom = (one) => one.getBoundingClientRect().bottom;
  for (const one of [...spare, ...log.children]) one.removeAttribute("style");
  if (getComputedStyle(document.body).overflowY !== "hidden") return;
  const side = firstOf(".tv-side");
  const over = () => side.scrollHeight > side.clientHeight + 1;
  side.classList.remove("tight");
  side.classList.toggle("tight", over());
  for (const one of spare) {
    if (!over()) break;
    one.style.display = "none";
  }
  const top = log.getBoundingClientRect().top;
  for (const line of log.children) {
    if (bottom(line) > bottom(log) + 1 || line.getBoundingClientRect().top < top - 1) line.style.display = "none";
  }
}
new ResizeObserver(fit).observe(byId("log"));
addEventListener("resize", fit);

let shown = null;
let series = []; // How those stand who have met.
let went = []; // How the game went that is over.

connect((view) => reveal.take(view));

function lessonTitle({ game, lesson }) {
  const named = { game: game.title, title: lesson.title };
  return lesson.puzzle ? say("{game} · puzzle: {title}", named) : say("{game} · lesson: {title}", named);
}

function titleOf(view) {
  if (view.lesson) return lessonTitle(view);
  if (view.phase === "lobby") return "Lodestone";
  if (view.result) return sayMany("{game} · one turn", "{game} · {count} turns", view.turn, { game: view.game.title });
  return say("{game} · turn {turn}", { game: view.game.title, turn: view.turn });
}

// Little stars round the crown, anywhere: they are the same for everybody who looks at the same game.
function sparks(view) {
  const drawn = svg("svg", { viewBox: "-100 -100 200 200", "aria-hidden": "true",
    class: `sparks ${seatHue(view, view.result.winners[0])}` });
  let seed = [...view.game.id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65521, 7);
  const chance = () => { seed = (seed * 75 + 74) % 65537; return seed / 65537; };
  for (let at = 0; at < STARS; at += 1) {
    const [turn, far, size] = [chance() * 2 * Math.PI, 34 + 62 * chance(), 0.6 + 1.7 * chance()];
    const [x, y] = [Math.cos(turn) * far, Math.sin(turn) * far].map((one) => Math.round(one * 10) / 10);
    const star = svg("path", { d: "M0-1Q.12-.12 1 0 .12.12 0 1-.12.12-1 0-.12-.12 0-1Z",
      opacity: 0.35 + 0.65 * chance(), class: at % 2 ? "own" : "brass" });
    drawn.append(svg("g", { transform: `translate(${x} ${y}) scale(${size.toFixed(2)})` }, star));
  }
  return drawn;
}

function ending(view) {
  if (!view.result || view.lesson) return [];
  const won = view.result.winners.length > 0;
  const named = (card, part) => {
    part?.setAttribute("data-card", card);
    return part;
  };
  return [...(won ? [named("sparks", sparks(view)), named("crown", crown())] : []),
    named("won", element("h1", { class: "moment" }, wonWords(view))),
    named("decided", decided(view)), named("scores", scores(view) ?? rolesOf(view)),
    ...(went.length ? went : [named("curve", scoreCurve(view))]),
    named("words", element("p", { class: "say" }, view.result.words)), ...series];
}

function show(view) {
  shown = view;
  series = added("series", view, () => shown && show(shown));
  went = added("how-it-went", view, () => shown && show(shown));
  const over = Boolean(view.result) && !view.lesson;
  const sitting = lobby.follow(view);
  document.body.classList.toggle("sitting", sitting);
  document.body.classList.toggle("over", over);
  setText(byId("title"), titleOf(view));
  const now = sitting ? { headline: gameWords(view.game), sentence: view.message } : headlineOf(view, null);
  setText(byId("headline"), now.headline);
  setText(byId("message"), now.sentence);
  for (const id of ["headline", "message"]) byId(id).hidden = over && !view.problem;
  showText(byId("news"), added("screen-words", view).join(" "));
  showTrouble(byId("trouble"), view);
  showText(byId("outlook"), !over && view.analysis?.words);
  seatColours(view);
  added("screen-rules", byId("strip"), view, fit);
  byId("board").hidden = sitting;
  board.show(view, { ghost: wantedGhost(view), trails: runs(view, null) });
  showSaid(view);
  byId("supply").replaceChildren(...[supplyBox(view)].filter(Boolean));
  renew(byId("seats"), over || sitting ? [] : playerRows(view));
  renew(byId("added"), added("card", view, null));
  showCounted(byId("counted"), view);
  byId("lights").replaceChildren(...(view.result ? [] : legend(view)));
  showAim(byId("aim"), view);
  showRules(byId("rules"), view);
  showText(byId("proposal"), proposalWords(view));
  showText(byId("decided"), view.decided && !view.result && `${view.decided.words}.`);
  for (const id of ["join", "log", "aim"]) byId(id).hidden = over || (id === "log" && sitting);
  byId("log").replaceChildren(...view.log.slice(-3).reverse().map((line) => element("li", {}, line.text)));
  renew(byId("result"), ending(view));
  followClocks(view);
  riseWithTurn(view, byId("headline"), byId("seats"));
  announce(view);
  added("view", view, () => shown && show(shown));
  fit();
}
