// The seats on the host's page.
import { attempt, element, post } from "../shared/live.js";
import { confirmThen } from "../shared/ask.js";
import { aboutSeat, colourChoice, dot, foldedCode, levelChoice, modeWords, nameForm, seatWords, sitsWords } from "../lobby/lobby_seats.js";
import { levelChosen } from "../lobby/levels.js";
import { computerWords, playsMark } from "../shared/parts.js";
import { say } from "../shared/words.js";

let copied = {}; // The link that was copied last, and the message about it, which must survive drawing again.

// Pages on plain HTTP have no clipboard API, but a selected field can be copied.
function copy(field, told) {
  field.focus();
  field.select();
  field.setSelectionRange(0, field.value.length);
  copied = { link: field.value, words: document.execCommand("copy") ? say("Copied.") : say("The link is selected: copy it.") };
  told.textContent = copied.words;
}

function linkBox(seat, link) {
  const field = element("input", { id: `link-${seat.seat}`, readonly: true, value: link, "aria-label": say("Link to seat {seat}", { seat: seat.seat }) });
  const told = element("p", { class: "hint told-copied", role: "status" }, copied.link === link && copied.words);
  return element("div", {}, element("div", { class: "row tight" }, field,
    element("button", { id: `copy-${seat.seat}`, onclick: () => copy(field, told) }, say("Copy the link"))), told);
}

function computer(seat, level) {
  return attempt(() => post("host/computer", { seat: seat.seat, level }));
}

// The choice of a computer, and its level, for a seat where none plays yet.
function computerBox(view, seat, words) {
  return element("div", {}, levelChoice(view, seat),
    element("button", { id: `computer-${seat.seat}`, onclick: () => computer(seat, levelChosen(view, seat)) }, words));
}

function freeSeat(view, seat, known) {
  const { ticket, link } = known?.tickets[seat.seat] ?? {};
  const first = view.seats.find((one) => !one.taken) === seat;
  return [
    ticket && foldedCode(seat, ticket, say("Code and link"), first, linkBox(seat, link)),
    ticket && !view.you && element("a", { class: "button", id: `sit-${seat.seat}`, href: `/join/${seat.seat}#${ticket}` }, say("Sit here with this phone")),
    computerBox(view, seat, say("A computer plays")),
  ];
}

function takenSeat(view, seat) {
  const mine = view.you?.seat === seat.seat;
  const dismiss = () => post("host/dismiss", { seat: seat.seat });
  return [
    element("p", {}, sitsWords(seat, mine)),
    seat.computer && levelChoice(view, seat, (level) => computer(seat, level)),
    element("details", { "data-key": `name-${seat.seat}` }, element("summary", {}, view.game.colours ? say("Name and colour") : say("Name")),
      nameForm(seat, (name) => post("host/name", { seat: seat.seat, name })),
      colourChoice(view, seat, (colour) => post("host/colour", { seat: seat.seat, colour }))),
    seat.computer
      ? element("button", { id: `dismiss-${seat.seat}`, onclick: () => attempt(dismiss) }, say("Send it away"))
      : element("button", { id: `dismiss-${seat.seat}`, class: "danger",
        onclick: () => confirmThen(say("Free {name}'s seat? That phone can only watch then.", { name: seat.name }), dismiss) }, say("Free this seat")),
  ];
}

function lobbySeat(view, seat, known) {
  return element("section", { class: "card seat", "aria-label": seatWords(seat), "data-card": seat.seat },
    element("h3", {}, dot(seat), seat.taken ? seat.name : seatWords(seat)), aboutSeat(view, seat),
    seat.plays && element("p", {}, playsMark(view, seat)),
    ...(seat.taken ? takenSeat(view, seat) : freeSeat(view, seat, known)).filter(Boolean));
}

// A seat in a running game: a computer may play for a person who is away.
function playingSeat(view, seat) {
  const marks = [seatWords(seat), seat.computer && computerWords(seat), seat.resigned && say("resigned"), view.you?.seat === seat.seat && say("you")];
  return element("section", { class: "card seat", "aria-label": seatWords(seat), "data-card": seat.seat },
    element("h3", {}, dot(seat), seat.name), seat.plays && element("p", {}, playsMark(view, seat)),
    element("p", { class: "hint" }, marks.filter(Boolean).join(" · ")), standIn(view, seat));
}

// A computer in place of a person who is away, or another level for a computer that plays.
function standIn(view, seat) {
  if (seat.resigned || view.phase === "over") return null;
  if (seat.computer) return levelChoice(view, seat, (level) => computer(seat, level));
  return element("details", { "data-key": `away-${seat.seat}` }, element("summary", {}, say("Is somebody away?")),
    element("p", { class: "hint" }, say("A computer plays on for {name}. A player who comes back asks for the seat in the lobby.", { name: seat.name })),
    computerBox(view, seat, say("Let a computer play on")));
}

export function seatCards(view, known) {
  const open = view.phase === "lobby";
  return view.seats.map((seat) => (open ? lobbySeat(view, seat, known) : playingSeat(view, seat)));
}

// The number of players.
export function modeBox(view) {
  if (view.phase !== "lobby" || view.game.modes.length < 2) return null;
  return element("div", { class: "row modes", role: "group", "aria-label": say("Players"), "data-card": "modes" }, ...view.game.modes.map((mode) =>
    element("button", { id: `mode-${mode}`, "aria-pressed": mode === view.game.mode ? "true" : "false",
      onclick: () => attempt(() => post("host/mode", { mode })) }, modeWords(mode))));
}

function ticketSwitch(known) {
  return element("button", { id: "tickets-shown", class: "switch", role: "switch", "aria-checked": known.shown ? "true" : "false",
    onclick: () => attempt(() => post("host/tickets", { shown: !known.shown })) },
  element("span", {}, say("Show the codes of free seats in the lobby and on the big screen")), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function footBox(view, known) {
  if (view.phase !== "lobby") {
    const people = view.seats.some((seat) => seat.taken && !seat.computer);
    return people && element("p", { class: "hint", "data-card": "foot" },
      say("A player who changes to another phone opens the lobby on it and says which seat is theirs. You are asked here."));
  }
  if (view.seats.every((seat) => seat.taken)) return null;
  return element("div", { "data-card": "foot" },
    element("p", { class: "hint" }, say("Let a phone scan the code of a free seat, or send its link: each is good for one phone. A computer can play, too.")),
    known ? ticketSwitch(known) : null);
}
