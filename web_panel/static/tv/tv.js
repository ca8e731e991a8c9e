import { proposalWords } from "../shared/agreeing.js";
import { announce } from "../shared/announce.js";
import { Board } from "../shared/board.js";
import { followClocks } from "../shared/clocks.js";
import { supplyBox, wantedGhost } from "../shared/laying.js";
import { connect, element } from "../shared/live.js";
import { riseWithTurn } from "../shared/motion.js";
import { outlookText } from "../shared/outlook.js";
import { legend, resultCard, seatColours, seatItem, showAim, showRules, showCounted } from "../shared/parts.js";
import { Review } from "../shared/review.js";
import { showTrouble } from "../shared/sensors.js";
import { followSound } from "../shared/sound.js";
import { Standing } from "../shared/standing.js";
import { runs } from "../shared/steps.js";
import { Curve } from "./tv_curve.js";
import { Reveal } from "./tv_reveal.js";
import { RulesStrip } from "./tv_rules.js";
import { TvLobby } from "./tv_lobby.js";
import { say } from "../shared/words.js";

const byId = (id) => document.getElementById(id);
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
  document.querySelector("main").style.translate = `${x}px ${y}px`;
  setTimeout(wander, REST_MS, count + 1);
}
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) setTimeout(wander, REST_MS, 1);

// Hide lines of the log, and less important parts, that do not fit the screen. A narrow screen scrolls instead.
function fit() {
  const log = byId("log");
  const section = log.closest("section");
  const spare = [...document.querySelectorAll("#strip, #join, #result .hint, #result .curve")];
  const details = [...document.querySelectorAll("#result td small, #result .hint")]; // Hidden before the curve.
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

let told = null;
const review = new Review(() => told && show(told));
const series = new Standing(() => told && show(told));

connect((view) => reveal.take(view));

function lessonTitle({ game, lesson }) {
  const named = { game: game.title, title: lesson.title };
  return lesson.puzzle ? say("{game} · puzzle: {title}", named) : say("{game} · lesson: {title}", named);
}

function show(view) {
  told = view;
  review.follow(view);
  series.follow(view);
  byId("title").textContent = view.lesson ? lessonTitle(view) : view.turn ? say("{game} · turn {turn}", { game: view.game.title, turn: view.turn }) : view.game.title;
  byId("message").textContent = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  byId("message").hidden = Boolean(view.result) && !view.problem; // The result's card says the same, larger.
  showTrouble(byId("trouble"), view);
  byId("outlook").textContent = outlookText(view);
  byId("outlook").hidden = !view.foresight;
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
  byId("proposal").textContent = proposalWords(view);
  byId("proposal").hidden = !view.proposal;
  byId("decided").textContent = view.decided ? `${view.decided.words}.` : "";
  byId("decided").hidden = !view.decided || Boolean(view.result);
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
