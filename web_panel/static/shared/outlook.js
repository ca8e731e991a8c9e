// How the phase will end, as far as it is known: for the resolving player, for the others, for the big screen.
import { tooSoon } from "./agreeing.js";
import { attempt, element, post } from "./live.js";
import { say } from "./words.js";

// Only where pieces on the board are moved about, and nothing else can be done, may a phase circle for ever: there
// people are told how it will end. Who brings a new piece, ends a turn, or does the second half of one comes to an end anyway.
export function mayCircle(view) {
  return Boolean(view.foresight)
    || (view.steps.length > 0 && !view.stage?.length && view.steps.every((step) => step.moves.length && step.moves.every(([from]) => from !== null)));
}

export function outlookText(view) {
  return view.foresight?.words ?? "";
}

// The part of a card that tells it. Its room is kept while nothing is known: what is below must not jump.
export function outlookBox(view, { mine = false } = {}) {
  const words = view.foresight ? element("p", { class: "outlook-words" }, view.foresight.words)
    : element("p", { class: "hint" }, say("How this will end is not known yet."));
  return element("div", { class: mine ? "outlook mine" : "outlook" }, words);
}

export function loopButton(view) {
  const mine = view.seats.find((seat) => seat.seat === view.you?.seat);
  return view.can.loop && element("button", { id: "propose-loop", class: "wide-button", why: tooSoon(mine, "loop"),
    onclick: () => attempt(() => post("propose", { what: "loop" })) }, say("Ask all to call this a loop"));
}
