// The seats, for the host: a line each, which opens a sheet with all that can be done about it.
import {
  aboutWords, askName, colourChoice, levelLines, moveLine, nameForm, seatCode, seatWords, takeSeat,
} from "../lobby/lobby_seats.js";
import { confirmThen, copyFrom } from "../shared/controls.js";
import { element, hintLine } from "../shared/elements.js";
import { closeSheet, disc, line, lineSwitch, list, openSheet, renewSheet } from "../shared/frame.js";
import { icon } from "../shared/icons.js";
import { attempt, getJson, post } from "../shared/live.js";
import { say } from "../shared/words.js";

/**
 * @typedef {() => {view: any, known?: any, look?: () => void}} Now The view; what only the host knows, and how to ask
 *   for that again.
 * @typedef {[string, () => void] | null} Back The last button of a sheet.
 */

/**
 * @param {Now} now
 * @param {Back} back What the sheets of the seats lead back to.
 */
export function seatLines(now, back) {
  const { view, known } = now();
  const open = view.phase === "lobby";
  return list("seats", ...view.seats.map((seat) => {
    const about = aboutWords(view, seat);
    return element("button", { id: `seat-${seat.seat}`, type: "button", "data-card": seat.seat,
      onclick: () => openSheet(() => seatSheet(now, seat.seat, back)) }, disc(seat, { free: !seat.taken }),
    element("span", { class: "name" }, seat.taken ? seat.name : say("Free"),
      !open && about && element("small", {}, about)),
    element("span", { class: "end" }, open && (seat.taken ? about : known?.tickets[seat.seat] && say("Code")),
      icon(seat.taken || !open ? "down" : "qr")));
  }));
}

/**
 * @param {Now} now
 * @param {Back} back
 * @param {...((now: any) => any)} more
 */
export function openSeats(now, back, ...more) {
  /** @type {Back} */
  const here = [say("Back"), () => openSeats(now, back, ...more)];
  openSheet(() => ({
    title: say("Seats"),
    note: now().view.game.title,
    parts: [
      seatLines(now, here),
      hintLines(now().view), ...more.map((make) => make(now())),
      list("change", line("another-phone", "phone", say("Another phone for a seat"), "",
        () => openSheet(() => anotherPhone(here))), codesSwitch(now)),
    ],
    back: back ?? [say("Back"), closeSheet],
  }));
  if (!now().known) attempt(lookAtHost);
}

// How a player goes on with another phone: it opens the lobby, and the host is asked here.
function anotherPhone(back) {
  return {
    title: say("Another phone"),
    note: location.host,
    parts: [
      element("img", { class: "qr", src: "/qr/lobby.svg", alt: say("Code of this table"), "data-card": "qr" }),
      element("p", { class: "hint", "data-card": "foot" },
        say("A player who changes to another phone opens the lobby on it and says which seat is theirs. You are asked here.")),
    ],
    back,
  };
}

// What the host alone knows, on a page that does not follow it.
let hosted = { shown: false };

async function lookAtHost() {
  hosted = await getJson("/api/host/state");
  renewSheet();
}

/** @param {Now} now */
function codesSwitch(now) {
  const { known, look } = now();
  return lineSwitch("tickets-shown", "qr", say("Everybody sees the codes"), (known ?? hosted).shown,
    (shown) => attempt(() => post("host/tickets", { shown }).finally(look ?? lookAtHost)));
}

// Who may ask for hints.
export function hintLines(view) {
  return list("hints", ...view.seats.filter((seat) => seat.taken && !seat.computer && !seat.table).map((seat) =>
    lineSwitch(`hints-${seat.seat}`, "bulb", say("Hints for {name}", { name: seat.name }), seat.hints,
      (on) => attempt(() => post("host/hints", { on, seat: seat.seat })))));
}

/**
 * @param {Now} now
 * @param {number} number
 * @param {Back} back
 */
function seatSheet(now, number, back) {
  const { view } = now();
  const seat = view.seats.find((one) => one.seat === number);
  const way = { back: back ?? /** @type {Back} */ ([say("Back"), closeSheet]) };
  if (!seat) return { title: say("Seats"), parts: [], ...way };
  const parts = seat.table ? [] : view.phase !== "lobby" ? playingParts(view, seat)
    : seat.taken ? takenParts(view, seat) : freeParts(now, seat);
  return { title: seat.taken ? seat.name : seatWords(seat), note: seat.taken ? aboutWords(view, seat) : say("free"),
    parts, ...way };
}

// A computer in place of a person who is away, or another level for a computer that plays.
function playingParts(view, seat) {
  if (seat.resigned || view.phase === "over") return [];
  return [
    !seat.computer && element("p", { class: "hint", "data-card": "away" },
      say("A computer plays on for {name}. A player who comes back asks for the seat in the lobby.",
        { name: seat.name })),
    levelLines(view, seat, seat.computer ? say("Level of the computer") : say("Let a computer play on")),
  ];
}

function takenParts(view, seat) {
  const about = { seat: seat.seat };
  const mine = view.you?.seat === seat.seat;
  const free = () => confirmThen(say("Free {name}'s seat? That phone can only watch then.", { name: seat.name }),
    () => post("host/dismiss", about));
  return [
    nameForm(seat, (name) => post("host/name", { ...about, name })),
    colourChoice(view, seat, (colour) => post("host/colour", { ...about, colour })),
    seat.computer && levelLines(view, seat, say("Level of the computer")),
    list("leave", mine ? line("stand-up", "seats", say("Stand up"), "", () => attempt(() => post("leave")))
      : seat.computer ? line(`dismiss-${seat.seat}`, "seats", say("Remove the computer"), "",
        () => attempt(() => post("host/dismiss", about)))
      : element("button", { id: `dismiss-${seat.seat}`, type: "button", class: "danger", onclick: free },
        icon("seats"), element("span", {}, say("Free this seat")))),
  ];
}

/** @param {Now} now */
function freeParts(now, seat) {
  const { view, known } = now();
  const { ticket, link } = known?.tickets[seat.seat] ?? {};
  return [
    ticket && element("div", { class: "centre", "data-card": "code" }, seatCode(seat, ticket),
      hintLine(say("Scan it with another phone: it is good for one."))),
    ticket && linkBox(seat, link),
    list("sitting",
      ticket && !view.you && line(`sit-${seat.seat}`, "phone", say("Sit here with this phone"), "",
        () => askName(say("Sit in seat {seat}", { seat: seat.seat }), async (name) => {
          await takeSeat(seat, ticket, name);
          location.reload(); // The stream of views belongs to who opened it.
        }, [say("Back"), closeSheet])),
      moveLine(view, seat, ticket),
      codesSwitch(now)),
    levelLines(view, seat, say("A computer plays")),
  ];
}

let copied = {}; // The link that was copied last, and the message about it, which must survive drawing again.

function copy(field, result) {
  copied = { link: field.value, words: copyFrom(field) };
  result.textContent = copied.words;
}

function linkBox(seat, link) {
  const field = element("input", { id: `link-${seat.seat}`, readonly: true, value: link,
    "aria-label": say("Link to seat {seat}", { seat: seat.seat }) });
  const result = element("p", { class: "hint copied", role: "status" }, copied.link === link && copied.words);
  return element("div", { "data-card": "link" }, element("div", { class: "row tight" }, field,
    element("button", { id: `copy-${seat.seat}`, onclick: () => copy(field, result) }, say("Copy the link"))), result);
}
