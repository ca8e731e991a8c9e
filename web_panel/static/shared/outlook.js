// How the phase will end, as far as it is known: for whoever resolves, for the others, for the big screen.
import { paused, tooSoon } from "./agreeing.js";
import { attempt, element, post } from "./live.js";
import { names } from "./parts.js";
import { say, sayAround, sayIn, sayMany } from "./words.js";

// "Best for Ann so far: 3 steps until the stones rest." Without "so far" nothing is better.
function way(view, known) {
  if (!known.end || !known.steps_left) return "";
  const count = known.steps_left;
  const mine = view.you?.seat === view.resolver;
  const who = { name: mine ? sayIn("best for", "you") : names(view, [view.resolver]) };
  if (known.end === "loop") {
    return known.exact ? sayMany("Best for {name}: {count} step into a loop.", "Best for {name}: {count} steps into a loop.", count, who)
      : sayMany("Best for {name} so far: {count} step into a loop.", "Best for {name} so far: {count} steps into a loop.", count, who);
  }
  return known.exact ? sayMany("Best for {name}: {count} step until the stones rest.", "Best for {name}: {count} steps until the stones rest.", count, who)
    : sayMany("Best for {name} so far: {count} step until the stones rest.", "Best for {name} so far: {count} steps until the stones rest.", count, who);
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
  return [known.words, way(view, known), known.next_words && say("Next: {step}.", { step: known.next_words })].filter(Boolean).join(" ");
}

// The part of a card that tells it. Its room is kept while nothing is known: what is below must not jump.
export function outlookBox(view, { mine = false } = {}) {
  const known = view.foresight;
  const lines = known ? [
    element("p", { class: "outlook-words" }, known.words),
    element("p", {}, way(view, known)),
    known.next_words && element("p", {}, ...sayAround("Next: {step}.", { step: element("b", {}, known.next_words) })),
  ] : [element("p", { class: "hint" }, say("How this will end is not known yet."))];
  return element("div", { class: mine ? "outlook mine" : "outlook" }, ...lines.filter((line) => line && line.textContent));
}

export function guidanceSwitch(view, seat) {
  return element("button", { id: "guidance", class: "switch", why: view.held ? paused() : "", role: "switch", "aria-checked": seat.guided ? "true" : "false",
    onclick: () => attempt(() => post("guidance", { on: !seat.guided })) },
  element("span", {}, say("Show me the best way on the board")), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function loopButton(view) {
  const mine = view.seats.find((seat) => seat.seat === view.you?.seat);
  return view.can.loop && element("button", { id: "propose-loop", class: "wide-button", why: tooSoon(mine, "loop"),
    onclick: () => attempt(() => post("propose", { what: "loop" })) }, say("Ask all to call this a loop"));
}
