// How the phase will end, as far as it is known: for whoever resolves, for the others, for the big screen.
import { attempt, element, post } from "./live.js";

const ENDS = { rest: "a rest", loop: "a loop" };

// "Best way so far: 3 steps to a rest." Without "so far" nothing is better.
function way(known) {
  if (!known.end || !known.steps_left) return "";
  const steps = known.steps_left === 1 ? "1 step" : `${known.steps_left} steps`;
  return `Best way${known.exact ? "" : " so far"}: ${steps} to ${ENDS[known.end]}.`;
}

// Only where pieces on the board are moved about, and nothing else can be done, may a phase circle for ever: there
// people are told how it will end. Who brings a new piece, ends a turn, or does the second half of one comes to an end anyway.
export function mayCircle(view) {
  return Boolean(view.foresight)
    || (view.steps.length > 0 && !view.stage?.length && view.steps.every((step) => step.moves.length && step.moves.every(([from]) => from !== null)));
}

export function outlookText(view) {
  const known = view.foresight;
  if (!known) return "";
  return [known.words, way(known), known.next_words && `Next: ${known.next_words}.`].filter(Boolean).join(" ");
}

// The part of a card that tells it. Its room is kept while nothing is known: what is below must not jump.
export function outlookBox(view, { mine = false } = {}) {
  const known = view.foresight;
  const lines = known ? [
    element("p", { class: "outlook-words" }, known.words),
    element("p", {}, way(known)),
    known.next_words && element("p", {}, "Next: ", element("b", {}, known.next_words), "."),
  ] : [element("p", { class: "hint" }, "Nothing is known yet of how this will end.")];
  return element("div", { class: mine ? "outlook mine" : "outlook" }, ...lines.filter((line) => line && line.textContent));
}

export function guidanceSwitch(seat) {
  return element("button", { id: "guidance", class: "switch", role: "switch", "aria-checked": seat.guided ? "true" : "false",
    onclick: () => attempt(() => post("guidance", { on: !seat.guided })) },
  element("span", {}, "Show the best way on the board"), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function loopButton(view) {
  return view.can.loop && element("button", { id: "propose-loop", class: "wide-button",
    onclick: () => attempt(() => post("propose", { what: "loop" })) }, "Ask all to call this a loop");
}
