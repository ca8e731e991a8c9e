// The menu of a game: what is not needed next, one tap away. The host's large buttons come first.
import { added } from "../shared/added.js";
import { moreLines } from "../shared/agreements.js";
import { act, hostTiles } from "../host/host_now.js";
import { signParts } from "../shared/company.js";
import { setNames } from "../shared/drawing.js";
import { element } from "../shared/elements.js";
import { languageLine, line, lineLink, lineSwitch, list, openSheet, renewSheet } from "../shared/frame.js";
import { icon } from "../shared/icons.js";
import { legend, playerRows, showCounted, showRules } from "../shared/parts.js";
import { lettersShown, showLetters, tint } from "../shared/pieces.js";
import { keep, recall } from "../shared/storage.js";
import { say, sayIn } from "../shared/words.js";

const NAMES = "lodestone-names"; // Whether the board shows the names of all nodes.

const namesShown = () => recall(NAMES) === "on";
setNames(namesShown());

/**
 * @typedef {object} Now What the menu shows, asked for again with every view.
 * @property {any} view
 * @property {any} seat This phone's seat.
 * @property {any} list The possible moves or placements in words; null if there are none.
 * @property {() => void} redraw
 */

/** @param {() => Now} now */
export function openMenu(now) {
  openSheet(() => tableSheet(now));
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
      view.host && playing && hostTiles(now, back, rulesLine),
      list("game",
        ...added("game-line", view.game),
        line("happened", "replay", say("What has happened"), "",
          sub(say("What has happened"), playing && view.phase !== "setup" && aboveLog, logBox, moreOfLog)),
        lineSwitch("names", "names", say("Names on the board"), namesShown(), (on) => {
          keep(NAMES, on ? "on" : null);
          setNames(on);
          now().redraw();
        }),
        Object.keys(view.pieces).some((piece) => ["white", "black"].includes(tint(piece, view)))
          && lineSwitch("letters", "names", say("Letters on the stones"), lettersShown(), showLetters),
        !view.lesson && line("signs", "speech", seat ? say("Give a sign") : say("Signs"), "",
          sub(say("Signs"), signBox)),
        ...added("menu-line", seat, renewSheet, back)),
      list("shown",
        moves && line("moves", "play", view.phase === "sealing" ? say("Choose by words") : say("Moves in words"), "",
          sub(say("In words"), (one) => one.list)),
        line("legend", "bulb", say("Lights on the board"), lit ? `${lit}` : sayIn("lights", "none"),
          sub(say("Lights on the board"), lightsBox)),
        line("players", "seats", say("Players"), "",
          sub(say("Players"), playersBox, countedLine, rulesLine)),
        languageLine(back)),
      moreLines(view, seat),
      list("away", view.result && seat && !view.lesson && element("button", { id: "new", type: "button",
        onclick: () => act("new", { game: view.game.id }) },
      icon("seats"), element("span", {}, say("Next game, same seats"))),
      view.host && lineLink("another", "flag", say("Another game …"), "/host?part=games"),
        lineLink("lobby", "seats", say("To the lobby"), "/")),
    ].filter((part) => part && part.children.length),
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

function aboveLog({ view, redraw }) {
  const lines = added("above-log", view, redraw);
  return lines.length && list("above-log", ...lines);
}

function logBox({ view }) {
  return element("ol", { id: "log", class: "log", "data-card": "log" },
    ...view.log.slice().reverse().map((line) => element("li", { value: line.n }, line.text)));
}

function moreOfLog({ view }) {
  return element("div", { "data-card": "log-more" }, ...added("log", view));
}

function lightsBox({ view }) {
  const lines = legend(view);
  return lines.length ? element("ul", { id: "lights", class: "key", "data-card": "lights" }, ...lines)
    : element("p", { class: "hint", "data-card": "lights" }, say("No light is on."));
}

const signBox = ({ view, seat, redraw }) => signParts(view, seat, redraw);
