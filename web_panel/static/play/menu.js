// The menu of a game: what is not needed next, one tap away. The host's large buttons come first.
import { moreLines } from "../shared/agreements.js";
import { signParts } from "../shared/company.js";
import { computer, computerBox, levelChoice } from "../lobby/lobby_seats.js";
import { confirmThen } from "../shared/controls.js";
import { setNames } from "../shared/drawing.js";
import { allOf, byId, element, hintLine } from "../shared/elements.js";
import { closeSheet, disc, line, lineLink, lineSwitch, list, openSheet, renewSheet, tileButton } from "../shared/frame.js";
import { icon } from "../shared/icons.js";
import { attempt, getJson, post } from "../shared/live.js";
import { computerWords, legend, outWords, playerRows, proofLink, showCounted, showRules } from "../shared/parts.js";
import { lastWords } from "../shared/steps.js";
import { keep, recall } from "../shared/storage.js";
import { say, sayMany } from "../shared/words.js";

const NAMES = "lodestone-names"; // Whether the board shows the names of all nodes.

const namesShown = () => recall(NAMES) === "on";
setNames(namesShown());

/**
 * @typedef {object} Now What the menu shows, asked for again with every view.
 * @property {any} view
 * @property {any} seat This phone's seat.
 * @property {any} list The possible moves or placements in words; null if there are none.
 * @property {any} past The look back.
 * @property {() => void} redraw
 */

/** @param {() => Now} now */
export function openMenu(now) {
  openSheet(() => tableSheet(now));
}

// Close the menu, then act: what is refused is told on the page.
function act(path, body = {}) {
  closeSheet();
  attempt(() => post(path, body));
}

function tableSheet(now) {
  const { view, seat, list: moves } = now();
  const playing = view.phase !== "over" && !view.lesson;
  /** @type {[string, () => void]} */
  const back = [say("Back"), () => openMenu(now)];
  const sub = (title, ...parts) => () => openSheet(() => ({ title,
    parts: parts.map((make) => make && make(now())), back }));
  const lit = Object.keys(view.lights).length;
  return {
    title: say("The table"),
    note: view.host ? say("you are the host") : "",
    parts: [
      view.host && playing && hostTiles(now),
      list("game",
        lineLink("how", "help", say("How to play"), `/how-to-play/${encodeURIComponent(view.game.name)}`),
        line("happened", "replay", say("What has happened"), "",
          sub(say("What has happened"), playing && view.phase !== "setup" && backLine, logBox, proofBox)),
        lineSwitch("names", "names", say("Names on the board"), namesShown(), (on) => {
          keep(NAMES, on ? "on" : null);
          setNames(on);
          now().redraw();
        }),
        !view.lesson && line("signs", "speech", seat ? say("Give a sign") : say("Signs"), "",
          sub(say("Signs"), signBox)),
        line("sound-line", "sound", say("Sound and speech"), "", sub(say("Sound and speech"), soundBox))),
      list("shown",
        moves && line("moves", "play", view.phase === "sealing" ? say("Choose by words") : say("Moves in words"), "",
          sub(say("In words"), (one) => one.list)),
        line("legend", "bulb", say("Lights on the board"), lit ? `${lit}` : say("none"),
          sub(say("Lights on the board"), lightsBox)),
        line("players", "seats", say("Players"), "",
          sub(say("Players"), playersBox, countedLine, rulesLine)),
        languages().length > 1 && line("languages", "names", say("Language"),
          languages().find((one) => one.getAttribute("aria-pressed") === "true")?.textContent ?? "",
          sub(say("Language"), languagesBox))),
      moreLines(view, seat),
      list("away", view.result && seat && !view.lesson && element("button", { id: "new", type: "button",
        onclick: () => act("new") }, icon("seats"), element("span", {}, say("Next game, same seats"))),
      view.host && lineLink("another", "flag", say("Another game …"), "/host?part=games"),
        lineLink("lobby", "seats", say("To the lobby"), "/")),
    ].filter((part) => part && part.children.length),
  };
}

function hostTiles(now) {
  const { view } = now();
  const { nodes } = view.layout;
  const ignored = Object.keys(view.sensors.masked).length;
  const people = view.seats.filter((seat) => seat.taken && !seat.computer).length;
  const why = view.cannot["take-back"];
  const takeBack = () => confirmThen(say("Take the last step back? The lights lead the pieces back."),
    () => post("host/take-back"));
  return element("div", { class: "tiles", "data-card": "tiles" },
    view.paused
      ? tileButton("continue", "play", say("Go on"), say("the board is checked"), () => act("host/continue"))
      : tileButton("pause", "pause", say("Pause"), view.clocks ? say("clocks stand still") : say("nothing counts"),
        () => act("host/pause")),
    tileButton("take-back", "undo", say("Take back"), why || lastWords(view), () => { closeSheet(); takeBack(); },
      { why }),
    tileButton("seats-tile", "seats", say("Seats"), sayMany("one person", "{count} people", people),
      () => { openSheet(() => seatsSheet(now)); attempt(lookAtHost); }),
    tileButton("board-tile", "board", say("The board"), ignored
      ? sayMany("one sensor is ignored", "{count} sensors are ignored", ignored)
      : say("all {count} nodes well", { count: Object.keys(nodes).length }),
    () => location.assign("/host?part=hardware")),
    view.phase === "revealing" && tileButton("void", "seal", say("Void this turn"), say("all seal again"), () => {
      closeSheet();
      confirmThen(say("Void this turn? Nothing of what was sealed is shown, and all seal again."),
        () => post("host/void"));
    }));
}

// -- the seats, for the host --------------------------------------------------------------------------------------

function seatsSheet(now) {
  const { view } = now();
  return {
    title: say("Seats"),
    note: view.game.title,
    parts: [
      list("seats", ...view.seats.map((seat) => element("button", { id: `seat-${seat.seat}`, type: "button",
        onclick: () => openSheet(() => seatSheet(now, seat.seat)) }, disc(seat), element("span", {}, seat.name,
        element("small", {}, aboutWords(view, seat))), element("span", { class: "end" }, icon("down"))))),
      list("hints", ...view.seats.filter((seat) => seat.taken && !seat.computer).map((seat) =>
        lineSwitch(`hints-${seat.seat}`, "bulb", say("Hints for {name}", { name: seat.name }), seat.hints,
          (on) => attempt(() => post("host/hints", { on, seat: seat.seat }))))),
      rulesLine(now()),
      list("change", line("another-phone", "phone", say("Another phone for a seat"), "",
        () => openSheet(() => anotherPhone(now))),
      lineSwitch("tickets-shown", "qr", say("Everybody sees the codes"), hosted.shown, (on) => attempt(async () => {
        await post("host/tickets", { shown: on });
        await lookAtHost();
      }))),
    ],
    back: /** @type {[string, () => void]} */ ([say("Back"), () => openMenu(now)]),
  };
}

// How a player goes on with another phone: it opens the lobby, and the host is asked here.
function anotherPhone(now) {
  return {
    title: say("Another phone"),
    note: location.host,
    parts: [
      element("img", { class: "qr", src: "/qr/lobby.svg", alt: say("Code of this table"), "data-card": "qr" }),
      element("p", { class: "hint", "data-card": "foot" },
        say("A player who changes to another phone opens the lobby on it and says which seat is theirs. You are asked here.")),
    ],
    back: /** @type {[string, () => void]} */ ([say("Back"), () => openSheet(() => seatsSheet(now))]),
  };
}

// What the host alone knows.
let hosted = { shown: false };

async function lookAtHost() {
  hosted = await getJson("/api/host/state");
  renewSheet();
}

function aboutWords(view, seat) {
  const mine = view.you?.seat === seat.seat;
  const marks = [mine && view.host ? say("you, the host") : mine && say("you"), seat.computer && computerWords(seat),
    outWords(seat), !seat.taken && say("free")].filter(Boolean);
  return marks.join(" · ") || say("here");
}

// A computer in place of a person who is away, or another level for a computer that plays.
function seatSheet(now, number) {
  const { view } = now();
  const seat = view.seats.find((one) => one.seat === number);
  const may = !seat.resigned && view.phase !== "over";
  return {
    title: seat.name,
    note: aboutWords(view, seat),
    parts: [
      may && !seat.computer && element("div", { "data-card": "away" },
        hintLine(say("A computer plays on for {name}. A player who comes back asks for the seat in the lobby.",
          { name: seat.name })), computerBox(view, seat, say("Let a computer play on"))),
      may && seat.computer && element("div", { "data-card": "level" },
        levelChoice(view, seat, (level) => computer(seat, level))),
    ],
    back: /** @type {[string, () => void]} */ ([say("Back"), () => openSheet(() => seatsSheet(now))]),
  };
}

// -- what everybody can look at --------------------------------------------------------------------------------------

function playersBox({ view }) {
  return element("ul", { class: "players", "data-card": "players" }, ...playerRows(view));
}

function countedLine({ view }) {
  const line = element("p", { id: "counted", class: "hint", "data-card": "counted" });
  showCounted(line, view);
  return line;
}

function rulesLine({ view }) {
  const line = element("p", { id: "rules", class: "hint", "data-card": "rules" });
  showRules(line, view);
  return line;
}

function backLine({ view, past }) {
  return list("past", line("past", "undo", say("Step back through the moves"), "", () => {
    closeSheet();
    attempt(() => past.open(view));
  }));
}

function logBox({ view }) {
  return element("ol", { id: "log", class: "log", "data-card": "log" },
    ...view.log.slice().reverse().map((line) => element("li", { value: line.n }, line.text)));
}

function proofBox({ view }) {
  const link = proofLink(view);
  if (link) link.dataset.card = "proof";
  return link;
}

function lightsBox({ view }) {
  const lines = legend(view);
  return lines.length ? element("ul", { id: "lights", class: "key", "data-card": "lights" }, ...lines)
    : element("p", { class: "hint", "data-card": "lights" }, say("No light is on."));
}

const languages = () => allOf(".languages [data-language]");

// The buttons at the foot of every page, which this page does not show.
function languagesBox() {
  return list("languages", ...languages().map((one) => element("button", { type: "button", lang: one.lang,
    "aria-pressed": one.getAttribute("aria-pressed"), onclick: () => one.click() }, element("span", {}, one.textContent))));
}

const signBox = ({ view, seat, redraw }) => signParts(view, seat, redraw);

function soundBox() {
  return list("sounds", ...allOf("#sound button").map((one) => lineSwitch(`line-${one.id}`, "sound", one.textContent,
    one.getAttribute("aria-pressed") === "true", () => {
      byId(one.id).click();
      renewSheet();
    })));
}
