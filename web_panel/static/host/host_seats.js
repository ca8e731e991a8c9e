// The seats on the host's page, the clocks, and who may ask for hints.
import {
  aboutSeat, codeBox, colourChoice, computer, computerBox, dot, levelChoice, modeWords, nameForm, seatWords,
  sitsWords,
} from "../lobby/lobby_seats.js";
import { askButton, choiceRow, folded, form, postButton, selectBox, switchButton } from "../shared/controls.js";
import { byId, element, hintLine, row } from "../shared/elements.js";
import { post, seatOf } from "../shared/live.js";
import { computerWords, outWords, playsMark } from "../shared/parts.js";
import { say } from "../shared/words.js";

// The clocks: chosen in the lobby, for the next game and those after it.

// Seconds: main time of each player (0: no limit), increment after each turn, free delay before it.
const PRESETS = {
  relaxed: { main: 0, increment: 0, delay: 0 },
  family: { main: 600, increment: 10, delay: 0 },
  club: { main: 1200, increment: 10, delay: 0 },
  fast: { main: 300, increment: 3, delay: 0 },
};

function presetWords(name) {
  return { none: say("No clocks"), relaxed: say("Relaxed: time is only shown"), family: say("Family: 10 min + 10 s"),
    club: say("Club: 20 min + 10 s"), fast: say("Fast: 5 min + 3 s") }[name];
}

function presetOf(clocks) {
  if (!clocks) return "none";
  const fits = ([, preset]) => (clocks.main ?? 0) === preset.main && clocks.increment === preset.increment
    && clocks.delay === preset.delay;
  return Object.entries(PRESETS).find(fits)?.[0] ?? "own";
}

const choose = (clocks) => (clocks ? post("host/clocks", clocks) : post("host/no-clocks"));

function number(id, label, value, most) {
  const input = element("input", { id, inputmode: "numeric", pattern: "[0-9]{1,4}", maxlength: 4, size: 5, value,
    required: true, title: say("0 to {most}", { most }) });
  return element("label", { class: "line", for: id }, element("span", {}, label), input);
}

export function clocksCard(view) {
  const { clocks } = view;
  if (view.phase !== "lobby") {
    return clocks && element("p", { class: "hint", "data-card": "clocks" },
      say("Clocks: {clocks}.", { clocks: clocks.words }));
  }
  const names = ["none", ...Object.keys(PRESETS)];
  return element("fieldset", { "data-card": "clocks", class: "clocks" }, element("legend", {}, say("Clocks")),
    choiceRow(say("Clocks"), presetOf(clocks), names.map((name) => [`clock-${name}`, name, presetWords(name)]),
      (name) => choose(name !== "none" && { ...PRESETS[name], strict: Boolean(clocks?.strict) })),
    clocks && hintLine(say("Now: {clocks}.", { clocks: clocks.words })),
    ...(clocks?.main ? strictBox(clocks) : []), ownTimes(clocks), clocks?.main && odds(view));
}

function strictBox({ main, increment, delay, strict }) {
  return [
    switchButton({ id: "clock-strict", "aria-describedby": "strict-hint" }, say("Strict: the end of time counts"),
      strict, (on) => choose({ main, increment, delay, strict: on })),
    element("p", { class: "hint", id: "strict-hint" },
      say("Strict: in a game of turns the player has lost; where placements are sealed, lots are drawn for two turns, and with the next one the player is out. Otherwise it is only said that time is up.")),
  ];
}

function ownTimes(clocks) {
  const value = (id) => Math.round(Number(byId(id).value));
  const send = () => choose({ main: 60 * value("clock-main"), increment: value("clock-increment"),
    delay: value("clock-delay"), strict: Boolean(clocks?.strict) });
  return folded("clock-own", say("Other times"), form({}, send,
    number("clock-main", say("Minutes for each player"), Math.max(1, Math.round((clocks?.main ?? 600) / 60)), 1440),
    number("clock-increment", say("Seconds more after each turn"), clocks?.increment ?? 10, 600),
    number("clock-delay", say("Free seconds before each turn"), clocks?.delay ?? 0, 600),
    element("button", { id: "clock-own" }, say("Use these times"))));
}

// Handicaps: five minutes for an expert, twenty for a child.
function odds(view) {
  const words = (seconds) => say("{minutes} min", { minutes: Math.round(seconds / 6) / 10 });
  return folded("clock-odds", say("Other times for some players"), ...view.clocks.seats.map(({ seat, main }) => {
    const times = [...new Set([60, 180, 300, 600, 1200, 1800, view.clocks.main, main])];
    const options = times.sort((one, other) => one - other).map((seconds) => [seconds, words(seconds)]);
    return element("label", { class: "line", for: `odds-${seat}` },
      element("span", {}, seatOf(view, seat)?.name ?? ""),
      selectBox({ id: `odds-${seat}` }, options, main, (time) => post("host/odds", { seat, main: Number(time) })));
  }));
}

// Permission to ask for hints: everybody, nobody, or some players.
export function hintsBox(view) {
  if (view.phase === "over") return null;
  const people = view.seats.filter((seat) => seat.taken && !seat.computer);
  const all = (id, on, words) => postButton(
    { id, "aria-pressed": view.seats.every((seat) => seat.hints === on) ? "true" : "false" }, words, "host/hints",
    { on });
  return element("section", { "data-card": "hints", "aria-labelledby": "hints-title" },
    element("h3", { id: "hints-title" }, say("Who may ask for hints?")),
    row(all("hints-all", true, say("Everybody")), all("hints-none", false, say("Nobody"))),
    people.length > 1 && element("div", { class: "column" }, ...people.map(({ seat, name, hints }) =>
      switchButton({ id: `hints-${seat}` }, name, hints, (on) => post("host/hints", { on, seat })))));
}

let copied = {}; // The link that was copied last, and the message about it, which must survive drawing again.

// Pages on plain HTTP have no clipboard API, but a selected field can be copied.
function copy(field, result) {
  field.focus();
  field.select();
  field.setSelectionRange(0, field.value.length);
  copied = { link: field.value, words: document.execCommand("copy")
    ? say("Copied.") : say("The link is selected: copy it.") };
  result.textContent = copied.words;
}

function linkBox(seat, link) {
  const field = element("input", { id: `link-${seat.seat}`, readonly: true, value: link,
    "aria-label": say("Link to seat {seat}", { seat: seat.seat }) });
  const result = element("p", { class: "hint copied", role: "status" }, copied.link === link && copied.words);
  return element("div", {}, element("div", { class: "row tight" }, field,
    element("button", { id: `copy-${seat.seat}`, onclick: () => copy(field, result) }, say("Copy the link"))), result);
}

function freeSeat(view, seat, known) {
  const { ticket, link } = known?.tickets[seat.seat] ?? {};
  const first = view.seats.find((one) => !one.taken) === seat;
  return [
    ticket && codeBox(seat, ticket, say("Code and link"), first, linkBox(seat, link)),
    ticket && !view.you && element("a", { class: "button", id: `sit-${seat.seat}`,
      href: `/join/${seat.seat}#${ticket}` }, say("Sit here with this phone")),
    computerBox(view, seat, say("A computer plays")),
  ];
}

function takenSeat(view, seat) {
  const mine = view.you?.seat === seat.seat;
  return [
    element("p", {}, sitsWords(seat, mine)),
    seat.computer && levelChoice(view, seat, (level) => computer(seat, level)),
    folded(`name-${seat.seat}`, view.game.colours ? say("Name and colour") : say("Name"),
      nameForm(seat, (name) => post("host/name", { seat: seat.seat, name })),
      colourChoice(view, seat, (colour) => post("host/colour", { seat: seat.seat, colour }))),
    seat.computer
      ? postButton({ id: `dismiss-${seat.seat}` }, say("Remove the computer"), "host/dismiss", { seat: seat.seat })
      : askButton({ id: `dismiss-${seat.seat}`, class: "danger" }, say("Free this seat"),
        say("Free {name}'s seat? That phone can only watch then.", { name: seat.name }),
        () => post("host/dismiss", { seat: seat.seat })),
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
  const marks = [seatWords(seat), seat.computer && computerWords(seat), outWords(seat),
    view.you?.seat === seat.seat && say("you")];
  return element("section", { class: "card seat", "aria-label": seatWords(seat), "data-card": seat.seat },
    element("h3", {}, dot(seat), seat.name), seat.plays && element("p", {}, playsMark(view, seat)),
    hintLine(marks.filter(Boolean).join(" · ")), standIn(view, seat));
}

// A computer in place of a person who is away, or another level for a computer that plays.
function standIn(view, seat) {
  if (seat.resigned || view.phase === "over") return null;
  if (seat.computer) return levelChoice(view, seat, (level) => computer(seat, level));
  return folded(`away-${seat.seat}`, say("Is somebody away?"),
    hintLine(
      say("A computer plays on for {name}. A player who comes back asks for the seat in the lobby.",
        { name: seat.name })),
    computerBox(view, seat, say("Let a computer play on")));
}

export function seatCards(view, known) {
  const open = view.phase === "lobby";
  return view.seats.map((seat) => (open ? lobbySeat(view, seat, known) : playingSeat(view, seat)));
}

// The number of players.
export function modeBox(view) {
  if (view.phase !== "lobby" || view.game.modes.length < 2) return null;
  return choiceRow(say("Players"), view.game.mode,
    view.game.modes.map((mode) => [`mode-${mode}`, mode, modeWords(mode)]), (mode) => post("host/mode", { mode }),
    { "data-card": "modes" });
}

export function footBox(view, known) {
  if (view.phase !== "lobby") {
    const people = view.seats.some((seat) => seat.taken && !seat.computer);
    return people && element("p", { class: "hint", "data-card": "foot" },
      say("A player who changes to another phone opens the lobby on it and says which seat is theirs. You are asked here."));
  }
  if (view.seats.every((seat) => seat.taken)) return null;
  return element("div", { "data-card": "foot" },
    hintLine(
      say("Let a phone scan the code of a free seat, or send its link: each is good for one phone. A computer can play, too.")),
    known && switchButton({ id: "tickets-shown" }, say("Show the codes of free seats in the lobby and on the big screen"),
      known.shown, (shown) => post("host/tickets", { shown })));
}
