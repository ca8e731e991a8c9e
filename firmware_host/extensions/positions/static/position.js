// A position set up by hand: pieces are laid by tapping, or on the board, whose sensors this page follows.
import { modeWords } from "/static/lobby/lobby_seats.js";
import { added } from "/static/shared/added.js";
import { Board } from "/static/shared/board.js";
import { button, selectBox } from "/static/shared/controls.js";
import { byId, element, hintLine, renew, row, setText } from "/static/shared/elements.js";
import { lineSwitch, list, showBar } from "/static/shared/frame.js";
import { attempt, connect, explain, getJson, post } from "/static/shared/live.js";
import { card } from "/static/shared/parts.js";
import { chip } from "/static/shared/pieces.js";
import { capital } from "/static/shared/steps.js";
import { keep, recallJson } from "/static/shared/storage.js";
import { tilePicture } from "/static/shared/tiles.js";
import { say } from "/static/shared/words.js";

const FOLLOW_MS = 700;
const LOOK_MS = 5000;
const AGAIN_MS = 600;
const EIGHTHS = 8;
const TAKE = ""; // Instead of a piece: what is tapped is taken off.
/** @type {any} */
const here = { set: null, table: null, mode: "", chosen: {}, lying: {}, unknown: [], piece: null, follows: false,
  why: "", checked: 0, searches: [], found: {}, searching: "", looking: false };

const board = new Board(byId("board"), { choose: tap });
board.drawing.nameFrom(byId("told"), byId("panel"));

const laid = () => ({ mode: here.mode, board: here.lying, chosen: here.chosen });
const placeOf = ({ game }) => `lodestone-position ${game}`; // What was laid is kept for the tab.
const isTile = (piece) => here.set.tiles.includes(piece);

// -- laying -----------------------------------------------------------------------------------------------------------

// Another piece of the same kind makes a stack; a tile is turned by each tap; a full place is cleared.
function tap(node) {
  if (!node || here.piece === null) return;
  const stack = here.lying[node] ?? [];
  if (here.piece === TAKE) here.lying[node] = [];
  else if (isTile(here.piece)) here.lying[node] = [`${here.piece}r${turnAfter(stack[0])}`];
  else here.lying[node] = stack.length < here.set.highest && here.set.highest > 1 ? [...stack, here.piece]
    : stack.at(-1) === here.piece ? [] : [here.piece];
  if (!here.lying[node].length) delete here.lying[node];
  here.unknown = here.unknown.filter((one) => one !== node);
  changed();
}

function turnAfter(lying = "") {
  const [tile, turn] = lying.split("r");
  return tile === here.piece ? (Number(turn) + 1) % EIGHTHS : 0;
}

// What the board's sensors tell; where they can't tell the piece, what was tapped before counts, or it is asked for.
async function follow() {
  if (!here.follows || here.looking || document.visibilityState !== "visible") return;
  here.looking = true;
  try {
    const { board: lying } = await getJson("/api/position/lying", LOOK_MS);
    if (!here.follows) return;
    const now = {};
    for (const [node, stack] of Object.entries(lying)) {
      if (stack ?? here.lying[node]) now[node] = stack ?? here.lying[node];
    }
    const unknown = Object.keys(lying).filter((node) => !now[node]);
    if (JSON.stringify([now, unknown]) === JSON.stringify([here.lying, here.unknown])) return;
    here.lying = now;
    here.unknown = unknown;
    changed();
  } catch (error) {
    if (error.away) return; // The next look follows soon.
    here.follows = false;
    explain(error.message);
    show();
  } finally {
    here.looking = false;
  }
}

async function changed() {
  Object.assign(here, { found: {}, searching: "" });
  keep(placeOf(here.set), JSON.stringify(laid()), true);
  here.checked += 1;
  const number = here.checked;
  show();
  const why = here.unknown.length ? say("What lies on {node}? Tap a piece below, then the place.",
    { node: here.unknown[0] })
    : await post("position/check", laid()).then(() => "", (error) => `${capital(error.message)}.`);
  if (number !== here.checked) return; // Something else has been laid since.
  here.why = why;
  show();
}

// -- what can be done with it -----------------------------------------------------------------------------------------

// Ask until the search has ended, or something else is laid.
async function search({ id, path, show: picture }) {
  const number = here.checked;
  here.searching = id;
  show();
  try {
    for (;;) {
      const found = await post(path, laid());
      if (number !== here.checked) return;
      const shown = picture(found);
      if (shown) {
        here.found[id] = shown;
        return;
      }
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
      if (number !== here.checked) return;
    }
  } finally {
    if (number === here.checked) here.searching = "";
    show();
  }
}

const best = ({ modes }) => ({
  id: "best",
  modes: Object.keys(modes),
  path: "position/best",
  words: say("Show the best moves"),
  busy: say("Searching …"),
  forHost: false,
  show: ({ best: moves }) => moves && card("best", element("h2", {}, say("The best moves")),
    element("ol", { class: "best" }, ...moves.map((one) =>
      element("li", {}, element("b", {}, one.words), " ", element("small", {}, one.leads))))),
});

async function play() {
  await post("position/play", laid());
  location.assign("/play");
}

function doings() {
  const { set, table, searching, why, mode } = here;
  const hosting = Boolean(table?.host);
  const busy = why || (searching && say("A search is going on."));
  const missing = why || (hosting ? "" : say("The host begins games."));
  const offered = here.searches.filter((one) => one.modes.includes(mode) && (hosting || !one.forHost));
  return card("doings",
    button({ id: "play-it", class: missing ? "wait" : "go", why: missing }, say("Play from here"), play),
    set.searches && row(...offered.map((one) => button(
      { id: one.id, why: busy }, searching === one.id ? one.busy : one.words, () => search(one)))));
}

// -- the tray ---------------------------------------------------------------------------------------------------------

function palette() {
  const { set } = here;
  const plain = Object.entries(set.pieces).filter(([piece]) => !set.tiles.includes(piece.split("r")[0]));
  const choose = (piece) => () => {
    here.piece = piece;
    show();
  };
  const one = (piece, words, ...drawn) => element("button", { type: "button",
    id: `piece-${piece || "none"}`,
    "aria-label": words, "aria-pressed": here.piece === piece ? "true" : "false", onclick: choose(piece) }, ...drawn);
  return card("pieces",
    element("div", { class: "palette", role: "group", "aria-label": say("Pieces to lay") },
      ...plain.map(([piece, words]) => one(piece, words, chip(piece, set), element("span", {}, capital(words)))),
      one(TAKE, say("Take off"), say("Take off"))),
    set.tiles.length > 0 && element("div", { class: "palette many", role: "group", "aria-label": say("Tiles to lay") },
      ...set.tiles.map((tile) => one(tile, say("tile {tile}", { tile }), tilePicture(tile, set.layout.tiles[tile])))));
}

// Where to begin: with the board as a game begins, or with an empty one.
function fromStart() {
  const start = here.set.starts[here.mode];
  const lay = (lying) => () => {
    here.lying = JSON.parse(JSON.stringify(lying)); // structuredClone came with Chrome 98.
    here.unknown = [];
    return changed();
  };
  return !here.follows && card("from", row(
    Object.keys(start).length > 0 && button({ id: "lay-start", class: "bare" }, say("The start of a game"), lay(start)),
    Object.keys(here.lying).length > 0 && button({ id: "clear", class: "bare" }, say("Clear the board"), lay({}))));
}

function beside() {
  const { set, mode, chosen } = here;
  const modes = Object.keys(set.modes);
  return card("beside", element("div", { class: "beside" },
    modes.length > 1 && element("label", {}, say("Players"), selectBox({ id: "mode" },
      modes.map((one) => [one, modeWords(one)]), mode, (value) => chooseMode(value))),
    ...set.modes[mode].map(({ name, words, options }) => element("label", {}, words,
      selectBox({ id: `choose-${name}` }, Object.entries(options), chosen[name], (value) => {
        here.chosen[name] = value;
        changed();
      })))));
}

function chooseMode(mode) {
  here.mode = mode;
  here.chosen = Object.fromEntries(here.set.modes[mode].map(({ name, options }) => {
    const known = here.chosen[name];
    return [name, known in options ? known : Object.keys(options)[0]];
  }));
  changed();
}

function scene() {
  const { set, lying, unknown } = here;
  const lamp = { meaning: "confirm", words: say("what lies here?"), seat: null };
  return { layout: set.layout, board: lying, tints: set.tints, pieces: set.pieces, seats: [], arrows: [],
    lights: Object.fromEntries(unknown.map((node) => [node, lamp])) };
}

function show() {
  const { set, why, follows } = here;
  if (!set) return;
  showBar({ seats: [], game: { name: set.game, title: set.title } }, set.title, ...added("bar-button", { name: set.game }));
  const wells = set.layout.wells ?? [];
  const offered = Object.keys(set.layout.nodes).filter((node) => here.piece === TAKE
    || (here.piece !== null && wells.includes(node) === isTile(here.piece)));
  board.show(scene(), { role: "button", offered });
  setText(byId("told"), why || (Object.keys(here.lying).length ? say("This position works: play from here, or study it.")
    : say("Choose a piece, then tap where it lies.")));
  const following = lineSwitch("follows", "board", say("Follow the stones on the board"), follows, (on) => {
    here.follows = on;
    show();
    attempt(follow);
  }, { about: say("Lay them in any order: they appear here.") });
  const out = card("out", hintLine(element("a", { href: "/" }, say("To the lobby"))));
  renew(byId("panel"), [palette(), fromStart(), beside(), list("following", following), doings(),
    ...Object.values(here.found), out]
    .filter(Boolean));
}

async function load() {
  try {
    const set = await getJson("/api/position");
    here.searches = [best(set), ...await Promise.all(added("position-search", set))];
    here.set = set;
    here.piece = Object.keys(here.set.pieces)[0];
    const { mode, board: lying, chosen } = recallJson(placeOf(set), true) ?? {};
    here.chosen = chosen ?? {};
    here.lying = Object.fromEntries(Object.entries(lying ?? {}).filter(([node]) => node in set.layout.nodes));
    chooseMode([mode, set.mode].find((one) => one in set.modes) ?? Object.keys(set.modes)[0]);
  } catch (error) {
    explain(error.message);
  }
}

load();
setInterval(follow, FOLLOW_MS);
connect((table) => {
  const before = Boolean(here.table?.host);
  here.table = table;
  if (before !== Boolean(table.host)) show();
});
