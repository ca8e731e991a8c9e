// The big screen: the board, the players and what happens; in the lobby the seats' codes and the rules in pictures.
import { aboutSeat, dot, seatCode, seatWords, showJoining, sitsWords } from "../lobby/lobby_seats.js";
import { Tickets } from "../lobby/lobby_tickets.js";
import { proposalWords } from "../shared/agreements.js";
import { announce } from "../shared/announce.js";
import { Board } from "../shared/board.js";
import { followClocks } from "../shared/clocks.js";
import { seatHue } from "../shared/lamps.js";
import { allOf, byId, element, firstOf, renew, showText, svg } from "../shared/elements.js";
import { supplyBox, wantedGhost } from "../shared/laying.js";
import { connect, getJson } from "../shared/live.js";
import { moves, riseWithTurn } from "../shared/motion.js";
import {
  legend, playsMark, resultCard, seatColours, seatItem, showAim, showCounted, showRules,
} from "../shared/parts.js";
import { Review, Standing } from "../shared/review.js";
import { showTrouble } from "../shared/sensors.js";
import { followSound } from "../shared/sound.js";
import { runs } from "../shared/steps.js";
import { keep, recallJson } from "../shared/storage.js";
import { wax } from "../shared/wax.js";
import { say } from "../shared/words.js";

// The score, turn by turn, as far as this screen has seen it, also before a reload.
const KEY = "lodestone-curve";
const [WIDE, HIGH] = [320, 96];
const LEAST = 3; // Minimum number of turns for a curve.

function storedTurns(game) {
  const found = recallJson(KEY, true);
  return found?.game === game ? found.turns : {};
}

class Curve {
  constructor() {
    this.game = null;
    this.turns = {}; // Turn → scores, in the order of the lines.
  }

  note(view) {
    if (this.game !== view.game.id) Object.assign(this, { game: view.game.id, turns: storedTurns(view.game.id) });
    const lines = view.result?.lines ?? view.standing;
    if (!lines?.length || !view.turn) return;
    // They were taken back.
    for (const turn of Object.keys(this.turns)) if (Number(turn) > view.turn) delete this.turns[turn];
    this.turns[view.turn] = lines.map((line) => line.score);
    keep(KEY, JSON.stringify({ game: this.game, turns: this.turns }), true);
  }

  // The drawing; null if too few turns were seen, or all scores are 0.
  drawn(view) {
    const turns = Object.keys(this.turns).map(Number).sort((one, other) => one - other);
    const scores = turns.map((turn) => this.turns[turn]);
    const most = Math.max(...scores.flat(), 0);
    if (turns.length < LEAST || !most) return null;
    const x = (turn) => 14 + ((turn - turns[0]) / (turns[turns.length - 1] - turns[0])) * (WIDE - 40);
    const y = (score) => HIGH - 16 - (score / most) * (HIGH - 28);
    const lines = view.result.lines.map((line, at) => {
      const steps = turns.map((turn, i) => (i ? `H${x(turn)}V${y(scores[i][at])}`
        : `M${x(turn)} ${y(scores[i][at])}`)).join("");
      const hue = seatHue(view, line.seats[0]);
      return [svg("path", { d: steps, class: `curve-line ${hue}`,
        "stroke-dasharray": at ? `${8 - at} ${3 + at}` : "none" }),
        svg("circle", { cx: x(turns.at(-1)), cy: y(line.score), r: 4.5, class: `curve-end ${hue}` }),
        text(x(turns.at(-1)) + 9, y(line.score) + 4, line.seats.join("+"))];
    });
    return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img",
      "aria-label": say("How the score went, turn by turn") },
      svg("path", { d: `M14 ${y(0)}H${WIDE - 26}`, class: "curve-axis" }), ...lines.flat(),
      text(14, HIGH - 3, say("turn {turn}", { turn: turns[0] })),
        text(WIDE - 60, HIGH - 3, say("turn {turn}", { turn: turns.at(-1) })));
  }
}

function text(x, y, words) {
  const node = svg("text", { x, y });
  node.textContent = words;
  return node;
}

// The big screen in the lobby: the codes of the free seats, and the players. tv.js calls it with every view.
function tile(view, seat, ticket) {
  const head = element("h2", {}, dot(seat), seat.taken ? seat.name : seatWords(seat));
  return element("section", { class: `tv-seat${seat.taken ? " sits" : ""}`, "aria-label": seatWords(seat),
    "data-card": seat.seat }, head,
    ticket && seatCode(seat, ticket), aboutSeat(view, seat), seat.plays && element("p", {}, playsMark(view, seat)),
    seat.taken && element("p", {}, sitsWords(seat, false)));
}

// The code of the lobby, shown if the seats' codes are not.
function lobbyTile() {
  return element("section", { class: "tv-seat to-table", "aria-label": say("To the lobby"), "data-card": "lobby" },
    element("h2", {}, say("To the table")),
    element("img", { class: "code", width: 168, height: 168, src: "/qr/lobby.svg", alt: say("QR code of the lobby") }),
    element("p", {}, say("The host gives out the seats.")));
}

class TvLobby {
  // `host` and `line` are elements of the page, hidden except in the lobby; `line` says how to join.
  // changed() is called when new codes have changed the display.
  constructor(host, line, changed) {
    this.host = host;
    this.line = line;
    this.view = null;
    this.tickets = new Tickets(() => {
      if (!this.view) return;
      this.draw();
      changed();
    });
  }

  // Return whether the lobby is shown: then the board is not, as nothing has happened on it yet.
  follow(view) {
    this.view = view;
    this.tickets.follow(view);
    this.draw();
    return !this.host.hidden;
  }

  draw() {
    const { view, tickets } = this;
    this.host.hidden = view.phase !== "lobby";
    showJoining(this.line, view, tickets);
    if (this.host.hidden) return renew(this.host, []);
    const codes = view.seats.filter((seat) => tickets.of(seat)).length;
    const free = view.seats.some((seat) => !seat.taken);
    // Sets the codes' size, so that nothing has to be scrolled.
    this.host.style.setProperty("--rows", Math.ceil(view.seats.length / 2));
    return renew(this.host, [free && !codes && lobbyTile(),
      ...view.seats.map((seat) => tile(view, seat, tickets.of(seat)))]);
  }
}

// The reveal: once all seals are open the big screen counts down, and then shows their content. The delay is only for
// effect: phones and the board show the content already, and nobody can know it before the last opening.

const FROM = 3;
const STEP_MS = 900;
const BEFORE = ["sealing", "revealing"]; // Phases in which seals are still closed.

class Reveal {
  // `host` is the element of the count; show(view) shows the table.
  constructor(host, show) {
    this.host = host;
    this.show = show;
    this.last = null;
    this.counting = false;
  }

  take(view) {
    const last = this.last;
    this.last = view;
    if (this.counting) return;
    if (last && sealsOpened(last, view) && moves() && document.visibilityState === "visible") this.count(last, FROM);
    else this.show(view);
  }

  count(sealed, left) {
    this.counting = left > 0;
    this.host.hidden = !this.counting;
    document.body.classList.toggle("counting", this.counting);
    if (!this.counting) {
      this.host.replaceChildren();
      return this.show(this.last);
    }
    if (left === FROM) {
      this.host.replaceChildren(element("h2", {}, say("All have sealed")), seals(sealed),
        element("b", { class: "count", role: "timer" }));
    }
    this.host.lastElementChild.textContent = left;
    this.host.dataset.left = left;
    return setTimeout(() => this.count(sealed, left - 1), STEP_MS);
  }
}

function seals(view) {
  return element("div", { class: "seals" }, ...view.seats.filter((seat) => seat.sealed)
    .map((seat) => element("figure", {}, wax(view, seat), element("figcaption", {}, seat.name))));
}

// Whether the seals of this turn have just been opened, and not become void or been replaced by another game.
function sealsOpened(last, view) {
  return last.phase === "revealing" && !BEFORE.includes(view.phase) && view.phase !== "lobby"
    && last.game.id === view.game.id && !view.standstill && !view.paused;
}

// The rules on the big screen in the lobby: one picture after the other, drawn with the board's own drawing code.
const EACH_MS = 12000;
const AGAIN_MS = 5000;

class RulesStrip {
  // `host` is hidden while it is empty; changed() is called after each new picture.
  constructor(host, changed) {
    this.host = host;
    this.changed = changed;
    this.picture = element("div", { id: "rule-picture", class: "board" });
    this.words = element("p", {});
    host.append(this.picture, this.words);
    this.game = null;
    this.timer = 0;
  }

  follow(view) {
    const game = view.phase === "lobby" ? view.game.name : null;
    if (game === this.game) return;
    this.game = game;
    this.host.hidden = true;
    this.picture.replaceChildren();
    clearTimeout(this.timer);
    if (game) this.load(game);
  }

  async load(game) {
    try {
      const sheet = await getJson(`/api/how-to-play/${encodeURIComponent(game)}`);
      if (this.game === game && sheet.pictures.length) this.turn(sheet, 0);
    } catch {
      if (this.game === game) this.timer = setTimeout(() => this.load(game), AGAIN_MS);
    }
  }

  turn(sheet, at) {
    const { pictures, pieces, tints, layout } = sheet;
    const picture = pictures[at % pictures.length];
    new Board(this.picture).show({ pieces, tints, ...picture, layout: picture.layout ?? layout });
    this.words.textContent = picture.words;
    this.host.hidden = false;
    this.changed();
    this.timer = setTimeout(() => this.turn(sheet, at + 1), EACH_MS);
  }
}

const board = new Board(byId("board"));
const lobby = new TvLobby(byId("lobby"), byId("joining"), fit);
const curve = new Curve();
const strip = new RulesStrip(byId("strip"), fit);
const reveal = new Reveal(byId("reveal"), show);
const REST_MS = 180000;
const STEPS = [[0, 0], [3, 2], [-2, 3], [-3, -2], [2, -3]];

// Against burn-in: the whole picture moves by a few pixels now and then.
function wander(count) {
  const [x, y] = STEPS[count % STEPS.length];
  firstOf("main").style.translate = `${x}px ${y}px`;
  setTimeout(wander, REST_MS, count + 1);
}
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) setTimeout(wander, REST_MS, 1);

// Hide lines of the log, and less important parts, that do not fit the screen. A narrow screen scrolls instead.
function fit() {
  const log = byId("log");
  const section = log.closest("section");
  const spare = allOf("#strip, #join, #result .hint, #result .curve");
  const details = allOf("#result td small, #result .hint"); // Hidden before the curve.
  const curved = document.querySelector("#result .curve");
  for (const one of [byId("aim"), ...spare, ...details, ...log.children]) one.style.display = "";
  if (matchMedia("(max-width: 60rem)").matches) return;
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const leave = (display) => details.forEach((one) => { one.style.display = display; });
  if (curved && bottom(curved) > innerHeight) leave("none");
  if (curved && bottom(curved) > innerHeight) leave(""); // Not enough: the curve is hidden instead.
  for (const one of spare) if (bottom(one) > innerHeight) one.style.display = "none";
  if (section.scrollHeight > section.clientHeight + 1) byId("aim").style.display = "none"; // Hidden last.
  const lines = [...log.children].filter((line) => bottom(line) > bottom(log) + 1);
  for (const line of lines) line.style.display = "none";
}
new ResizeObserver(fit).observe(byId("log"));
addEventListener("resize", fit);

let shown = null;
const review = new Review(() => shown && show(shown));
const series = new Standing(() => shown && show(shown));

connect((view) => reveal.take(view));

function lessonTitle({ game, lesson }) {
  const named = { game: game.title, title: lesson.title };
  return lesson.puzzle ? say("{game} · puzzle: {title}", named) : say("{game} · lesson: {title}", named);
}

function show(view) {
  shown = view;
  review.follow(view);
  series.follow(view);
  byId("title").textContent = view.lesson ? lessonTitle(view) : view.turn
    ? say("{game} · turn {turn}", { game: view.game.title, turn: view.turn }) : view.game.title;
  byId("message").textContent = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  byId("message").hidden = Boolean(view.result) && !view.problem; // The result's card says the same, larger.
  showTrouble(byId("trouble"), view);
  showText(byId("outlook"), view.analysis?.words);
  seatColours(view);
  curve.note(view);
  strip.follow(view);
  const sitting = lobby.follow(view);
  byId("board").hidden = sitting;
  document.body.classList.toggle("sitting", sitting);
  board.show(view, { ghost: wantedGhost(view), trails: runs(view, null) });
  byId("supply").replaceChildren(...[supplyBox(view)].filter(Boolean));
  byId("seats").replaceChildren(...view.seats.map((seat) => seatItem(view, seat)));
  showCounted(byId("counted"), view);
  byId("lights").replaceChildren(...(view.result ? [] : legend(view)));
  showAim(byId("aim"), view);
  showRules(byId("rules"), view);
  showText(byId("proposal"), proposalWords(view));
  showText(byId("decided"), view.decided && !view.result && `${view.decided.words}.`);
  for (const id of ["seats", "join"]) byId(id).hidden = Boolean(view.result) || (id === "seats" && sitting);
  byId("log").hidden = Boolean(view.result);
  byId("log").replaceChildren(...view.log.slice(-5).reverse().map((line) => element("li", {}, line.text)));
  const ended = view.result && (review.known ? review.box(view, { quiet: true }) : curve.drawn(view));
  byId("result").replaceChildren(...[!view.lesson && resultCard(view, series.box(), ended)].filter(Boolean));
  followClocks(view);
  riseWithTurn(view, byId("message"), byId("seats"));
  fit();
  announce(view);
  followSound(view);
}
