// What the host settles before a game: the game, its players, clocks, hints, and whether there is a board. A line each,
// which opens a sheet.
import { modeWords } from "../lobby/lobby_seats.js";
import { folded, form, selectBox } from "../shared/controls.js";
import { byId, element } from "../shared/elements.js";
import { choices, closeSheet, line, lineChoice, lineSwitch, list, openSheet } from "../shared/frame.js";
import { attempt, post, seatOf } from "../shared/live.js";
import { say, sayIn } from "../shared/words.js";
import { added } from "../shared/added.js";
import { hintLines } from "./host_seats.js";

/** @import { Now } from "./host_seats.js" */

const back = () => /** @type {[string, () => void]} */ ([say("Back"), closeSheet]);

/** @param {Now} now */
export function ruleLines(now) {
  const { view, known, look } = now();
  const { hands } = known?.hardware ?? {};
  // Without a board the simulated hand makes all moves that are chosen on phones.
  const phones = (everybody) => {
    known.hardware.hands = everybody ? "all" : "none"; // The table's next view comes before what is asked for below.
    return attempt(() => post("host/hands", { everybody }).finally(look));
  };
  return list("rules",
    view.phase === "lobby" && line("clocks", "clock", say("Clock"), clockWords(view.clocks),
      () => openSheet(() => clockSheet(now().view))),
    view.phase !== "over" && line("hints", "bulb", say("Hints"), hintWords(view),
      () => openSheet(() => hintSheet(now().view))),
    ...added("host-line", now),
    (hands ?? null) !== null && lineSwitch("hands-all", "phone", say("All phones, no board"), hands === "all", phones));
}

// -- the address ------------------------------------------------------------------------------------------------------

/** @param {Now} now */
export function addressLine(now) {
  const { known } = now();
  return known?.addresses.length > 1 && list("reach", line("address", "qr", say("Address of this table"),
    hostOf(known.address), () => openSheet(() => addressSheet(now))));
}

const hostOf = (address) => new URL(address).hostname;

/** @param {Now} now */
function addressSheet(now) {
  const { known, look } = now();
  const choose = (address) => attempt(() => post("host/address", { address }).finally(look));
  return { title: say("Address of this table"), back: back(), parts: [
    element("p", { class: "soft", "data-card": "about" },
      say("All codes lead phones there. Choose the network in which the phones are.")),
    choices("addresses", say("Address of this table"), ...known.addresses.map((address) =>
      lineChoice(`address-${hostOf(address)}`, hostOf(address), "", address === known.address,
        () => choose(address)))),
  ] };
}

// -- the game ---------------------------------------------------------------------------------------------------------

/**
 * @param {Now} now
 * @param {() => void} toGames
 */
export function openGame(now, toGames) {
  openSheet(() => {
    const { game } = now().view;
    const change = (mode) => attempt(() => post("host/mode", { mode }));
    return {
      title: game.title,
      parts: [
        game.aim && element("p", { class: "soft", "data-card": "aim" }, game.aim),
        game.modes.length > 1 && choices("modes", say("Players"), ...game.modes.map((mode) =>
          lineChoice(`mode-${mode}`, modeWords(mode), "", mode === game.mode, () => change(mode)))),
        list("other", line("other-games", "flag", say("Another game …"), "", () => { closeSheet(); toGames(); })),
      ],
      back: back(),
    };
  });
}

// -- clocks, for the next game and those after it ---------------------------------------------------------------------

// Seconds: main time of each player (0: no limit), increment after each turn, free delay before it.
const PRESETS = {
  relaxed: { main: 0, increment: 0, delay: 0 },
  family: { main: 600, increment: 10, delay: 0 },
  club: { main: 1200, increment: 10, delay: 0 },
  fast: { main: 300, increment: 3, delay: 0 },
};

// Name and explanation of each preset.
function presetWords(name) {
  const minutes = (main, increment) => say("{main} min + {increment} s", { main, increment });
  return {
    none: [sayIn("clock", "none"), ""], relaxed: [say("Relaxed"), say("time is only shown")],
    family: [say("Family"), minutes(10, 10)], club: [say("Club"), minutes(20, 10)], fast: [say("Fast"), minutes(5, 3)],
    own: [say("custom times"), ""],
  }[name];
}

function presetOf(clocks) {
  if (!clocks) return "none";
  const fits = ([, preset]) => (clocks.main ?? 0) === preset.main && clocks.increment === preset.increment
    && clocks.delay === preset.delay;
  return Object.entries(PRESETS).find(fits)?.[0] ?? "own";
}

const clockWords = (clocks) => presetWords(presetOf(clocks))[0];

const choose = (clocks) => attempt(() => (clocks ? post("host/clocks", clocks) : post("host/no-clocks")));

function clockSheet({ clocks, ...view }) {
  const now = presetOf(clocks);
  return {
    title: say("Clock"),
    parts: [
      clocks && element("p", { class: "hint", "data-card": "now" }, say("Now: {clocks}.", { clocks: clocks.words })),
      choices("presets", say("Clock"), ...["none", ...Object.keys(PRESETS)].map((name) =>
        lineChoice(`clock-${name}`, presetWords(name)[0], presetWords(name)[1], name === now,
          () => choose(name !== "none" && { ...PRESETS[name], strict: Boolean(clocks?.strict) })))),
      clocks?.main && strictBox(clocks), ownTimes(clocks), clocks?.main && odds(view, clocks),
    ],
    back: back(),
  };
}

function strictBox({ main, increment, delay, strict }) {
  const line = lineSwitch("clock-strict", "flag", say("Strict: running out of time counts"), strict,
    (on) => choose({ main, increment, delay, strict: on }));
  line.setAttribute("aria-describedby", "strict-hint");
  return element("div", { "data-card": "strict" }, element("div", { class: "list" }, line),
    element("p", { class: "hint", id: "strict-hint" },
      say("Strict: in a game of turns the player has lost; where placements are sealed, lots are drawn for two turns, and with the next one the player is out. Otherwise it is only said that time is up.")));
}

function number(id, label, value, least, most) {
  const words = say("{least} to {most}", { least, most });
  const input = element("input", { id, inputmode: "numeric", pattern: least ? "0*[1-9][0-9]{0,3}" : "[0-9]{1,4}",
    maxlength: 4, size: 5, value, required: true, title: words });
  const look = () => input.setCustomValidity(input.validity.patternMismatch || Number(input.value) > most ? words : "");
  input.addEventListener("input", look);
  return element("label", { class: "line", for: id }, element("span", {}, label), input);
}

function ownTimes(clocks) {
  const value = (id) => Math.round(Number(byId(id).value));
  const send = () => choose({ main: 60 * value("clock-main"), increment: value("clock-increment"),
    delay: value("clock-delay"), strict: Boolean(clocks?.strict) });
  const box = folded("clock-own", say("Other times"), form({}, send,
    number("clock-main", say("Minutes for each player"), Math.max(1, Math.round((clocks?.main ?? 600) / 60)), 1, 1440),
    number("clock-increment", say("Seconds more after each turn"), clocks?.increment ?? 10, 0, 600),
    number("clock-delay", say("Free seconds at the start of each turn"), clocks?.delay ?? 0, 0, 600),
    element("button", { id: "clock-own" }, say("Use these times"))));
  box.dataset.card = "own";
  return box;
}

// Handicaps: five minutes for an expert, twenty for a child.
function odds(view, clocks) {
  const words = (seconds) => say("{minutes} min", { minutes: Math.round(seconds / 6) / 10 });
  const box = folded("clock-odds", say("Other times for some players"), ...clocks.seats.map(({ seat, main }) => {
    const times = [...new Set([60, 180, 300, 600, 1200, 1800, clocks.main, main])];
    const options = times.sort((one, other) => one - other).map((seconds) => [seconds, words(seconds)]);
    return element("label", { class: "line", for: `odds-${seat}` },
      element("span", {}, seatOf(view, seat)?.name ?? ""),
      selectBox({ id: `odds-${seat}` }, options, main, (time) => post("host/odds", { seat, main: Number(time) })));
  }));
  box.dataset.card = "odds";
  return box;
}

// -- hints ------------------------------------------------------------------------------------------------------------

function hintWords({ seats }) {
  if (seats.every((seat) => seat.hints)) return say("whoever asks");
  return seats.some((seat) => seat.hints) ? say("some") : say("nobody");
}

function hintSheet(view) {
  const all = (on) => attempt(() => post("host/hints", { on }));
  const is = (on) => view.seats.every((seat) => seat.hints === on);
  return {
    title: say("Who may ask for hints?"),
    parts: [
      choices("all-hints", say("Who may ask for hints?"),
        lineChoice("hints-all", say("Everybody"), "", is(true), () => all(true)),
        lineChoice("hints-none", say("Nobody"), "", is(false), () => all(false))),
      view.seats.filter((seat) => seat.taken && !seat.computer).length > 1 && hintLines(view),
    ],
    back: back(),
  };
}
