// Proposals of players to one another, and actions that are always possible.
import { button, confirmThen, postButton } from "./controls.js";
import { element, hintLine, row } from "./elements.js";
import { closeSheet, list } from "./frame.js";
import { icon } from "./icons.js";
import { attempt, mySeat, post, seatOf } from "./live.js";
import { card, names } from "./parts.js";
import { say } from "./words.js";

const DECLINED = say("Just declined. You can ask again in half a minute.");

// The known end of a phase: for the resolving player, for the others, for the big screen.

// A phase may circle for ever only if its steps move pieces on the board and nothing else: then the end is shown.
// Bringing a new piece, ending a turn or the second stage of a step comes to an end anyway. Of a computer's steps only
// the chosen one is in the view: it tells nothing about the others.
export function mayCircle(view) {
  const acts = seatOf(view, view.resolver);
  return Boolean(view.analysis)
    || (!acts?.computer && view.steps.length > 0 && !view.stage?.length
      && view.steps.every((step) => step.moves.length && step.moves.every(([from]) => from !== null)));
}

// The part of a card with the known end. It keeps its room while nothing is known, so that nothing below jumps.
export function outlookBox(view) {
  const words = view.analysis ? element("p", { class: "outlook-words" }, view.analysis.words)
    : hintLine(say("How this will end is not known yet."));
  return element("div", { class: "outlook", "data-card": "outlook" }, words);
}

export function loopButton(view) {
  return view.can.loop && postButton(
    { id: "propose-loop", class: "wide-button", why: tooSoon(mySeat(view), "loop") },
    say("Ask all to call this a loop"), "propose", { what: "loop" });
}

// The words of the open proposal, and the players who have not answered yet.
export function proposalWords({ proposal, ...view }) {
  if (!proposal) return "";
  const others = proposal.waiting.filter((seat) => seat !== view.you?.seat);
  const missing = others.length && say("Waiting for {names}.", { names: names(view, others) });
  return [proposal.words, missing].filter(Boolean).join(" ");
}

export function proposalCard(view) {
  const open = view.proposal;
  if (!open) return null;
  const me = view.you?.seat ?? null;
  const mine = me !== null && open.waiting.includes(me);
  const by = me !== null && open.by === me;
  const about = me !== null && open.about === me && !by;
  const what = open.what;
  const why = view.paused ? pausedWords() : "";
  return card("proposal", element("p", {}, proposalWords(view)),
    row(mine && postButton({ id: "agree", class: "primary", why }, say("I agree"), "agree", { what }),
      (mine || by || about) && postButton({ id: "decline", class: about ? "primary" : "", why },
        by ? say("Withdraw") : about ? say("My phone is here") : say("No"), "decline", { what })));
}

export function pausedWords() {
  return say("The host has paused the game.");
}

// The reason why this seat can't propose something now: it has just been declined. Empty if it can.
function tooSoon(seat, what, about = null) {
  const no = seat?.declined.some((one) => one.what === what && one.about === about);
  return no ? DECLINED : "";
}

// What this seat has asked for, and somebody has declined: told until it may ask again.
export function declinedCard(seat) {
  return seat?.declined.length ? card("declined", hintLine(DECLINED)) : null;
}

// The result can no longer change: all are informed, and a player may propose to end the game.
export function decidedCard(view, seat) {
  if (!view.decided || view.result || view.proposal?.what === "decided") return null;
  const may = seat && !seat.resigned && view.can.decided;
  return card("decided", element("p", {}, element("b", {}, `${view.decided.words}.`),
    may ? ` ${say("End the game?")}` : ""),
    may && postButton({ id: "propose-decided", class: "wide-button", why: tooSoon(seat, "decided") },
      say("End it: {name} wins", { name: names(view, [view.decided.winner]) }), "propose", { what: "decided" }));
}

// Ask to take the last action back, as one of the buttons for the next step.
export function takeBackButton(view, seat) {
  if (!view.can["take-back"] || !seat || view.proposal) return null;
  const why = tooSoon(seat, "take-back");
  return button({ id: "take-back-asked", disabled: Boolean(why), title: why || null,
    "aria-label": say("Ask to take back the last action") }, element("span", { class: "row" }, icon("undo"),
    element("span", {}, say("Take back"))), () => post("propose", { what: "take-back" }));
}

// What a player can ask of the others at any time, as lines of the menu.
export function moreLines(view, seat) {
  if (!seat || view.lesson) return null;
  const held = view.paused ? pausedWords() : "";
  const ask = (id, name, words, act, why = "", more = {}) => {
    return element("button", { id, type: "button", ...more, disabled: Boolean(why), title: why || null,
      onclick: () => { closeSheet(); act(); } }, icon(name),
    element("span", {}, ...[words].flat(), why && element("small", { class: "why" }, why)));
  };
  const propose = (body) => () => attempt(() => post("propose", body));
  const back = view.can["take-back"] && ask("propose-take-back", "undo", say("Ask to take back the last action"),
    propose({ what: "take-back" }), tooSoon(seat, "take-back"));
  const draw = !seat.resigned && view.can.draw && ask("propose-draw", "even", say("Offer a draw"),
    propose({ what: "draw" }), tooSoon(seat, "draw"));
  const lost = view.seats.filter((other) => other.may_reseal && !other.resigned && other.seat !== seat.seat)
    .map((other) => ask(`reseal-${other.seat}`, "phone", say("{name}'s phone is lost: ask for a new seal",
      { name: other.name }), propose({ what: "reseal", about: other.seat }),
    held || tooSoon(seat, "reseal", other.seat)));
  const masked = Object.entries(view.sensors.masked).map(([node, reason]) => ask(`unmask-${node}`, "board",
    [say("Use the sensor of {node} again", { node }), element("small", {}, reason)],
    () => attempt(() => post("unmask", { node }))));
  const resign = !seat.resigned && view.phase !== "clearing" && ask("resign", "flag", say("Resign"),
    () => confirmThen(say("Resign this game?"), () => post("resign"),
      ({ game, result }) => `${game.id} ${Boolean(result)}`), held, { class: "danger" });
  return list("more", ...(view.result ? [back] : [back, ...lost, ...masked, draw, resign]));
}
