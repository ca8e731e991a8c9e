// What players ask of each other, and what anybody may do at any time.
import { attempt, element, post } from "./live.js";
import { card, names } from "./parts.js";

export function proposalCard(view) {
  const open = view.proposal;
  if (!open) return null;
  const me = view.you?.seat ?? null;
  const mine = me !== null && open.waiting.includes(me);
  const by = me !== null && open.by === me;
  const about = me !== null && open.about === me && !by;
  const what = open.what;
  return card("proposal", element("p", {}, open.words, open.waiting.length ? ` Waiting for ${names(view, open.waiting)}.` : ""),
    element("div", { class: "row" },
      mine && element("button", { id: "agree", class: "primary big", onclick: () => attempt(() => post("agree", { what })) }, "I agree"),
      (mine || by || about) && element("button", { id: "decline", class: about ? "primary big" : "big",
        onclick: () => attempt(() => post("decline", { what })) }, by ? "Withdraw" : about ? "My phone is here" : "No")));
}

// What no play can change any more: everybody is told, and whoever plays may offer to stop here.
export function decidedCard(view, seat) {
  if (!view.decided || view.result || view.proposal?.what === "decided") return null;
  const may = seat && !seat.resigned && view.can.decided;
  return card("decided", element("p", {}, element("b", {}, `${view.decided.words}.`), may ? " End the game?" : ""),
    may && element("button", { id: "propose-decided", class: "primary big wide-button",
      onclick: () => attempt(() => post("propose", { what: "decided" })) }, `End it: ${names(view, [view.decided.winner])} wins`));
}

export function moreCard(view, seat, confirmThen) {
  if (!seat || view.result) return null;
  const propose = (what, words) => view.can[what] && element("button", { id: `propose-${what}`,
    onclick: () => attempt(() => post("propose", { what })) }, words);
  const lost = view.seats.filter((other) => other.may_reseal && !other.resigned).map((other) => element("button", {
    id: `reseal-${other.seat}`, onclick: () => attempt(() => post("propose", { what: "reseal", about: other.seat })) },
    other.seat === seat.seat ? "My seal is lost: ask to seal anew" : `${other.name}'s phone is lost: ask to seal anew`));
  const masked = Object.entries(view.sensors.masked).map(([node, reason]) => element("button", {
    onclick: () => attempt(() => post("unmask", { node })) }, `Believe the sensor of ${node} again`, element("small", {}, reason)));
  const list = [
    propose("take-back", "Ask to take the last action back"),
    ...lost,
    view.seats.some((other) => other.opened) && propose("reseal", "Ask all to seal this turn anew"),
    ...masked,
    !seat.resigned && view.phase !== "clearing" && element("button", { id: "resign", class: "danger",
      onclick: () => confirmThen("Resign this game?", () => post("resign")) }, "Resign"),
  ].filter(Boolean);
  if (!list.length) return null;
  return element("details", { class: "card", "data-card": "more" }, element("summary", {}, "More"),
    element("div", { class: "column" }, ...list));
}

export function newGame() {
  return card("new", element("button", { id: "new", class: "primary big wide-button",
    onclick: () => attempt(() => post("new")) }, "Next game"));
}
