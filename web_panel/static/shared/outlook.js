// The known end of a phase: for the resolving player, for the others, for the big screen.
import { tooSoon } from "./agreeing.js";
import { attempt, element, post } from "./live.js";
import { say } from "./words.js";

// A phase may circle for ever only if its steps move pieces on the board and nothing else: then the end is shown. Bringing
// a new piece, ending a turn or the second stage of a step comes to an end anyway. Of a computer's steps only the chosen one
// is in the view: it tells nothing about the others.
export function mayCircle(view) {
  const acts = view.seats.find((seat) => seat.seat === view.resolver);
  return Boolean(view.foresight)
    || (!acts?.computer && view.steps.length > 0 && !view.stage?.length && view.steps.every((step) => step.moves.length && step.moves.every(([from]) => from !== null)));
}

export function outlookText(view) {
  return view.foresight?.words ?? "";
}

// The part of a card with the known end. It keeps its room while nothing is known, so that nothing below jumps.
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
