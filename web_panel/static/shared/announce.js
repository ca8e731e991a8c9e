// Announcements for screen readers: one polite region, each matter once, in order. It announces only what everybody may
// know: nobody must hear a secret choice before the reveal.
import { added } from "./added.js";
import { aloud } from "./aloud.js";
import { mySeat } from "./live.js";
import { names } from "./parts.js";
import { afterLead } from "./steps.js";
import { say, sayMany } from "./words.js";

const KEPT_MS = 20000; // Time after which an announcement is removed.
const region = document.createElement("div");
region.id = "announced";
region.className = "unseen";
region.setAttribute("role", "log");
region.setAttribute("aria-live", "polite");
region.setAttribute("aria-relevant", "additions");
(document.querySelector("main") ?? document.body).append(region);

let before = null; // The last announced view.

// What this seat has to do now, or nothing.
function turnWords(view) {
  const seat = mySeat(view);
  if (!seat || seat.resigned || seat.computer) return "";
  if (view.phase === "sealing") return seat.sealed ? "" : say("Turn {turn}: choose in secret.", { turn: view.turn });
  if (view.phase === "resolving" && view.resolver === seat.seat) return say("It is your turn.");
  return "";
}

function standsStill(view) {
  if (view.standstill || view.paused) return view.message;
  return view.problem?.fault && view.phase !== "setup" ? view.problem.text : "";
}

function askedWords(view) {
  return view.proposal?.waiting.includes(view.you?.seat)
    ? say("{proposal} Do you agree?", { proposal: view.proposal.words }) : "";
}

// Only the host is asked, on any page.
function askWords(view) {
  return view.host ? (view.asks ?? []).map(({ name }) =>
    say("Another phone asks for {name}'s seat", { name })).join(". ") : "";
}

function resultWords(view) {
  const { winners, words } = view.result ?? { winners: [], words: "" };
  if (!words) return "";
  const won = winners.length ? sayMany("{names} has won.", "{names} have won.", winners.length,
    { names: names(view, winners) }) : say("A draw.");
  return `${won} ${words}`;
}

// What a lesson says about the last try.
function verdictWords({ lesson }) {
  if (!lesson?.said) return lesson?.right ? say("Right!") : "";
  if (!lesson.right) return `${say("Not this way")}. ${lesson.said}`;
  return afterLead(lesson.said, say("Right")) ? lesson.said : `${say("Right!")} ${lesson.said}`;
}

// The new lines of the log, in order.
function fresh(view) {
  const last = before?.game.id === view.game.id ? before.log.at(-1)?.n ?? -1 : null;
  return last === null ? [] : view.log.filter((line) => line.n > last).map((line) => line.text);
}

// Call with every view. The first view announces only what matters now.
export function announce(view) {
  const changed = (words) => (words(view) && (!before || words(before) !== words(view)) ? [words(view)] : []);
  const mine = before && before.turn === view.turn && before.phase === view.phase && turnWords(before);
  const said = [...fresh(view), ...changed(verdictWords), ...changed((one) => one.lesson?.task),
    ...changed(resultWords), ...changed(standsStill), ...changed(askedWords), ...changed(askWords),
    ...(mine ? [] : changed(turnWords)), ...changed((one) => one.notices.join(" "))];
  before = view;
  for (const words of said) tell(aloud(words, view.layout));
}

export function tell(text) {
  added("announced", text);
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  setTimeout(() => line.remove(), KEPT_MS);
}
