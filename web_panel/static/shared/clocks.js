// Running clocks, computed on this page from the last view, so that the table need not send one every second.
import { tell } from "./announce.js";
import { clockOf, face, LAST_S, spoken, standing } from "./clock_face.js";
import { element, needStyle, setText } from "./elements.js";
import { getJson } from "./live.js";
import { say } from "./words.js";

const DRAW_MS = 200;
const AGAIN_MS = 60000; // Time between two comparisons of this page's time with the table's.
const ANSWER_MS = 5000;

let view = null;
let ahead = null; // The table's time minus this page's, milliseconds; null before the first comparison.
let asked = -Infinity;
let came = 0; // Time of the last view's arrival.
let drawing = 0;
let before = null; // Time left on the own clock at the last drawing.

async function compare() {
  asked = performance.now();
  try {
    const sent = performance.now();
    const { now } = await getJson("/api/time", ANSWER_MS);
    ahead = now - (sent + performance.now()) / 2;
  } catch {
    asked = -Infinity; // Compared again with the next view.
  }
}

function now() {
  return ahead === null ? view.clocks.at + performance.now() - came : performance.now() + ahead;
}

function write(box) {
  const { left, used, runs, free } = standing(view.clocks, Number(box.dataset.clock), now());
  const text = face(left ?? used);
  setText(box, text);
  box.classList.toggle("runs", runs);
  box.classList.toggle("free", free);
  box.classList.toggle("low", runs && left !== null && left <= LAST_S * 1000);
}

function draw() {
  for (const box of document.querySelectorAll("[data-clock]")) write(box);
  const seat = view.clocks.seats.find((one) => one.seat === view.you?.seat);
  const left = seat?.runs && seat.left !== null ? standing(view.clocks, seat.seat, now()).left : null;
  const words = before !== null && left !== null && spoken(before, left);
  before = left;
  if (words) tell(words);
}

// Call with every view, after the page was drawn.
export function followClocks(latest) {
  view = latest;
  came = performance.now();
  clearInterval(drawing);
  if (!view.clocks) return;
  needStyle(new URL("clocks.css", import.meta.url));
  const running = view.clocks.seats.some((one) => one.runs);
  if (running && performance.now() - asked > AGAIN_MS) compare();
  draw();
  if (running) drawing = setInterval(draw, DRAW_MS);
}

// performance.now() may stand still while a device sleeps.
document.addEventListener("visibilitychange", () => {
  asked = -Infinity;
  if (document.visibilityState === "visible" && view?.clocks) compare();
});

// The own clock, large, and what happens when time is up.
export function ownClock(host, latest) {
  const mine = latest.clocks?.seats.find((one) => one.seat === latest.you?.seat);
  host.hidden = !mine || latest.phase === "lobby" || latest.phase === "over";
  if (host.hidden) return host.replaceChildren();
  const more = mine.late ? say("Your time is up: this is drawn by lot.") : latest.clocks.main === null
    ? say("thinking time") : "";
  return host.replaceChildren(...[clockOf(latest, mine.seat), more && element("small", {}, more)].filter(Boolean));
}
