// A recorded game, moment by moment: shared by all screens, or in this browser only (replay_own.js).
import { Own } from "./replay_own.js";
import { added } from "../shared/added.js";
import { Board } from "../shared/board.js";
import { face } from "../shared/clock_face.js";
import { seatHue } from "../shared/lamps.js";
import { byId, element, firstOf, needStyle, renew, showText } from "../shared/elements.js";
import { attempt, connect, post, seatOf } from "../shared/live.js";
import { lightGroups, lamp, playsMark, seatColours, showAim, showRules } from "../shared/parts.js";
import { locale, say, sayIn } from "../shared/words.js";

// The seals at a moment of a replay: player, commitment, content.
function fact(name, value) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, element("code", {}, value)));
}

function row(view, seal) {
  const name = seatOf(view, seal.seat)?.name ?? "";
  return element("li", {},
    element("p", {}, element("span", { class: `dot ${seatHue(view, seal.seat)}`, "aria-hidden": "true" }),
      element("b", {}, name), " ", element("span", {},
        seal.void ? say("void: all sealed again") : seal.words ?? say("sealed, and never opened"))),
    element("dl", {}, fact(sayIn("noun", "Seal"), seal.commitment),
      seal.action && fact(say("Opened as"), seal.action), seal.nonce && fact(say("Secret number"), seal.nonce)));
}

function showSeals(host, view) {
  host.hidden = !view.seals.length;
  if (host.hidden) return;
  needStyle(new URL("replay_seals.css", import.meta.url));
  const turn = view.seals[0].turn;
  const opened = view.seals.some((seal) => seal.nonce);
  host.querySelector("summary").textContent = opened ? say("What was sealed in turn {turn}", { turn })
    : say("What is sealed in turn {turn}", { turn });
  host.querySelector("p").textContent = opened
    ? say("Each commitment was there before any placement was opened. It was worked out again from what was opened, and is the same.")
    : say("These seals were never opened: nobody knows their contents.");
  host.querySelector("ul").replaceChildren(...view.seals.map((seal) => row(view, seal)));
}

// `lodestone replay`: the server holds the moment, all screens show the same one and send their commands to the server.

export function follow(show) {
  connect(show);
  return { order: (body) => attempt(() => post("replay", body)) };
}

const PACES = [0.5, 1, 2, 4, 8];
const DRAG_MS = 120; // Pause between two commands of a dragged slider.
const HELD_MS = 600; // Time after a drag for which the slider keeps the finger's position.
const MARKS = {
  put: say("put down"), movable: say("lifted here"), best: say("moved here"), line: say("moved along"),
  loop: say("taken off"),
  remove: say("taken off"), dead: say("taken off"),
};

const board = new Board(byId("board"));
board.drawing.nameFrom(byId("words"));
const slider = byId("slider");
let shown = null;
let dragged = -Infinity;
let waiting = null;

const { record } = firstOf("main").dataset;
const hosting = location.pathname.startsWith("/host/");
if (record) byId("here").parentElement.append(...added("replay-record", record, hosting));
const own = record ? new Own(record, show, refuse) : null;
const source = own ?? follow(show);
const order = (body) => source.order(body);
const toggle = () => order({ do: shown?.playing ? "pause" : "play" });

function seatRow(view, seat) {
  return element("li", { class: view.actor === seat.seat ? "acts" : "" },
    element("span", { class: `dot ${seatHue(view, seat.seat)}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, seat.name), playsMark(view, seat),
    element("span", { class: "marks" }, view.actor === seat.seat ? say("this action") : ""),
      clockThen(view, seat.seat));
}

// A seat's clock at this moment, and its thinking time for this moment.
function clockThen(view, seat) {
  const stood = (view.clocks ?? []).find((one) => one.seat === seat);
  if (!stood) return null;
  const time = face(stood.left ?? stood.used);
  return element("span", { class: "clock" }, stood.thought
    ? say("{time} (thought for {thought})", { time, thought: face(stood.thought) }) : time);
}

// The meanings of the lights, one line each, for readers who can't see colours or motion.
function marks(view) {
  const words = (light) => MARKS[light.meaning] ?? light.words;
  return lightGroups(view.lights, words).map(({ light, nodes }) => element("li", {}, lamp(light, view),
    element("span", {}, words(light)), element("b", {}, nodes.join(", "))));
}

function paces(pace) {
  return [...new Set([...PACES, pace])].sort((one, other) => one - other).map((seconds) =>
    element("option", { value: seconds, selected: seconds === pace }, say("{seconds} s per moment", { seconds })));
}

function clock(when) {
  const at = new Date(when);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}

function refuse(message) {
  byId("words").textContent = message;
  firstOf("main").classList.add("nothing");
  byId("play").setAttribute("aria-disabled", true);
  byId("play").title = message;
}

function lines(id, all) {
  byId(id).hidden = !all.length;
  byId(id).replaceChildren(...all.map((line) => element("li", {}, line)));
}

// Update the slider, the buttons and the count of moments.
function controls(view, before) {
  document.body.classList.toggle("playing", view.playing);
  byId("play").setAttribute("aria-label", view.playing ? say("Pause") : sayIn("film", "Play"));
  byId("count").textContent = say("{number} of {moments}", { number: view.moment + 1, moments: view.moments });
  slider.max = view.moments - 1;
  const spoken = { number: view.moment + 1, moments: view.moments, words: view.words };
  slider.setAttribute("aria-valuetext", say("moment {number} of {moments}: {words}", spoken));
  if (performance.now() > dragged + HELD_MS) slider.value = view.moment;
  if (before?.pace !== view.pace) byId("pace").replaceChildren(...paces(view.pace));
  const [first, last] = [view.moment === 0, view.moment === view.moments - 1];
  for (const [id, off] of Object.entries({ first, back: first, on: last, last })) {
    byId(id).setAttribute("aria-disabled", `${off}`);
    byId(id).title = off ? (first ? say("This is the first moment.") : say("This is the last moment.")) : "";
  }
  if (record) byId("here").setAttribute("href", `#${view.moment + 1}`);
}

function show(latest) {
  const before = shown;
  const view = { ...latest, seats: latest.seats.map((seat) => ({ ...seat, plays: latest.plays[seat.seat] ?? null })) };
  shown = view;
  byId("title").textContent = say("{game} · turn {turn}", { game: view.game.title, turn: view.turn });
  byId("words").textContent = view.words;
  byId("game").textContent = say("Replay of {id}, played {when}", { id: view.game.id, when: clock(view.when) });
  seatColours(view);
  board.show(view);
  byId("marks").replaceChildren(...marks(view));
  byId("seats").replaceChildren(...view.seats.map((seat) => seatRow(view, seat)));
  lines("standing", view.standing);
  lines("scores", view.standing.length ? [] : view.scores);
  showSeals(byId("seals"), view);
  showAim(byId("aim"), view);
  showRules(byId("rules"), view);
  showText(byId("notice"), view.notice);
  controls(view, before);
  renew(byId("added"), added("film", view, order));
}

for (const id of ["first", "back", "on", "last"]) byId(id).addEventListener("click", () => order({ do: id }));
byId("play").addEventListener("click", toggle);
byId("pace").addEventListener("change", (event) => order({ do: "pace", seconds: Number(event.target.value) }));
slider.addEventListener("input", () => {
  dragged = performance.now();
  waiting ??= setTimeout(() => {
    waiting = null;
    order({ do: "to", moment: Number(slider.value) });
  }, DRAG_MS);
});

// Commands of other screens that came while the slider was held are shown once it is released.
slider.addEventListener("change", () => setTimeout(() => {
  if (shown && performance.now() > dragged + HELD_MS) slider.value = shown.moment;
}, HELD_MS + 100));

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
addEventListener("keydown", (event) => {
  const at = document.activeElement?.tagName;
  if (event.ctrlKey || event.altKey || event.metaKey || at === "SELECT") return;
  if (KEYS[event.key] && at !== "INPUT") {
    event.preventDefault();
    order({ do: KEYS[event.key] });
  } else if (event.key === " " && at !== "BUTTON" && at !== "SUMMARY") {
    event.preventDefault();
    toggle();
  }
});

own?.begin();
