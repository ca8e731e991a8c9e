// A seal that does not open: the options of its player, of the others, and of the phone that holds the seal.
import { attempt, element, post } from "../shared/live.js";
import { card, names } from "../shared/parts.js";
import { kept } from "../shared/seal.js";
import { say } from "../shared/words.js";

const LATE_MS = 5000; // Phones that are awake open within a second or two.

const propose = (what, about) => attempt(() => post("propose", about ? { what, about } : { what }));

function button(id, words, act) {
  return element("button", { id, class: "big wide-button", onclick: act }, words);
}

// Whether a seat has a seal to open that is not on this phone.
export function isElsewhere(view, seat) {
  return seat.sealed && !seat.opened && !isDrawn(view, seat) && !kept(view.seal, seat.seat);
}

// Whether the table has sealed for a seat whose time was up: then no phone holds that seal.
function isDrawn(view, seat) {
  return Boolean(view.clocks?.seats.some((clock) => clock.seat === seat.seat && clock.late));
}

export function drawnCard(view, seat) {
  return seat.sealed && isDrawn(view, seat) && card("drawn", element("h2", {}, say("Your time is up")),
    element("p", {}, say("A placement was drawn by lot and sealed for you. The table opens it together with the others.")));
}

// The player's own card, shown at once: waiting would not help.
export function elsewhereCard(view, seat) {
  const anew = !view.proposal && (seat.may_reseal
    ? button("reseal-own", say("That phone is lost: ask the others to let me seal again"), () => propose("reseal"))
    : view.can.void && button("propose-void", say("That phone is lost: ask that all seal this turn again"), () => propose("void")));
  return card("elsewhere", element("h2", {}, say("Your seal is not on this phone")),
    element("p", {}, say("It is on the phone, or in the browser, with which you sealed. Only that phone or browser can open it.")),
    element("p", {}, say("If you have that phone, open the game on it and ask for your seat. Then it opens the seal by itself.")), anew);
}

let since = { key: "", at: 0 };

// Whether the table has waited for these seals for LATE_MS; calls redraw() when that time is over.
function waitedLong(view, redraw) {
  const key = [view.game.id, ...Object.values(view.seal.commitments)].join(" ");
  if (since.key !== key) {
    since = { key, at: performance.now() };
    setTimeout(redraw, LATE_MS + 50);
  }
  return performance.now() - since.at >= LATE_MS;
}

function isLate(view, seat) {
  return seat.sealed && !seat.opened && !seat.computer && (view.seal.open || !view.seal.awake.includes(seat.seat));
}

// The card of the other players: after a while it offers solutions.
export function revealCard(view, seat, redraw) {
  const late = view.seats.filter((other) => other.seat !== seat.seat && isLate(view, other));
  const stuck = waitedLong(view, redraw) && late.length && !seat.resigned;
  const offered = stuck && !view.proposal;
  return card("reveal", element("h2", {}, say("All have sealed")), element("p", {}, say("The phones are opening their seals.")),
    stuck && element("p", { class: "hint" }, say("Is the phone of {names} awake, with this page open? If it can't be found, you can ask the others:", { names: names(view, late.map((one) => one.seat)) })),
    ...(offered ? late.filter((other) => other.may_reseal).map((other) => button(`lost-${other.seat}`,
      say("{name}'s phone is lost: ask for a new seal", { name: other.name }), () => propose("reseal", other.seat))) : []),
    offered && view.can.void && button("propose-void", say("Void this turn: all seal again"), () => propose("void")));
}

// The card of a phone that holds a seal whose seat has moved to another phone.
export function heldCard(view, asking) {
  const mine = !view.you && view.seal && view.seats.find((seat) => !seat.opened && kept(view.seal, seat.seat));
  if (!mine) return null;
  if (asking.mine) return asking.waiting();
  return card("held", element("h2", {}, say("The seal of {name} is on this phone", { name: mine.name })),
    element("p", {}, say("{name} plays with another phone now, which can't open it. If this phone gets the seat back, it opens the seal by itself.", { name: mine.name })),
    element("button", { id: "ask-back", class: "primary big wide-button", onclick: () => attempt(() => asking.ask(mine)) }, say("Ask the host for the seat")));
}
