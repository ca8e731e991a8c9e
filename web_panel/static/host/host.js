// The host's page.
import { added } from "../shared/added.js";
import { damagedCard, Games } from "./host_games.js";
import { Choices, NewGame } from "./host_new.js";
import { askCards, closedLessons, codesCard, nowCard, primary } from "./host_now.js";
import { addressLine, openGame, ruleLines } from "./host_rules.js";
import { seatLines } from "./host_seats.js";
import { hardwareCard, lightsCard, Sensors } from "./host_board.js";
import { Learning } from "../learn/lessons.js";
import { besideBoard, isAlone, joinPath, modeWords, pageLines } from "../lobby/lobby_seats.js";
import { button, dropQuestion, onSubmit } from "../shared/controls.js";
import { byId, firstOf, renew, setText, showText } from "../shared/elements.js";
import {
  barButton, closeSheet, languageLine, line, list, openSheet, renewSheet, showBar,
} from "../shared/frame.js";
import { attempt, connect, explain, fetchInTime, post } from "../shared/live.js";
import { seatColours } from "../shared/parts.js";
import { openWhenAsked } from "../shared/seal.js";
import { noticeLines } from "../shared/sensors.js";
import { requireCookies } from "../shared/storage.js";
import { say } from "../shared/words.js";

const REST_MS = 1500; // Shortest time between two requests for the host's state.
const EVERY_MS = 5000;

let view = null;
let known = null; // The last answer of /api/host/state.
let tag = null; // Its ETag: an unchanged state is not sent again.
let looking = false;
let wanted = false;
let waiting = false; // Whether this page has shown the lobby last.

const PARTS = ["table", "games", "hardware"];
const learning = new Learning(draw, seatFree);
const newGame = new NewGame(draw, () => turnTo("table"));
const choices = new Choices(byId("choices"), (wish) => newGame.want(wish));
const sensors = new Sensors();
const games = new Games(draw, () => turnTo("table"));

const now = () => ({ view, known, look });

// Where the host's phone takes a free seat.
function seatFree() {
  const [seat, ticket] = Object.entries(known?.tickets ?? {})[0] ?? [];
  return seat ? joinPath({ seat }, ticket.ticket) : null;
}

// Show one of the page's three parts.
function open(part) {
  for (const one of PARTS) byId(`part-${one}`).hidden = one !== part;
  byId("page").dataset.part = part;
  if (view) draw();
  scrollTo(0, 0);
}

// The same, also after the page is loaded again, in another language for instance.
function turnTo(part) {
  history.replaceState(null, "", part === PARTS[0] ? "/host" : `/host?part=${part}`);
  open(part);
}

// A part that was opened from the menu has an entry of its own in the history.
addEventListener("popstate", () => {
  const part = new URLSearchParams(location.search).get("part") ?? PARTS[0];
  if (part !== byId("page").dataset.part && PARTS.includes(part)) open(part);
});

// The token is what follows the # of the link, which people open on a phone or paste.
async function enter(text) {
  requireCookies();
  await post("host/enter", { token: text.trim().split("#").at(-1) });
  history.replaceState(null, "", location.pathname + location.search); // Without the token; the part stays.
}

async function look() {
  if (looking) {
    wanted = true;
    return;
  }
  looking = true;
  try {
    const response = await fetchInTime("/api/host/state", tag ? { "If-None-Match": tag } : {});
    if (response.ok) {
      known = await response.json();
      tag = response.headers.get("ETag");
    }
  } catch {
    // The stream reports that the table does not answer; the next request follows soon.
  }
  draw();
  setTimeout(() => {
    looking = false;
    if (wanted) {
      wanted = false;
      look();
    }
  }, REST_MS);
}

// -- the menu ---------------------------------------------------------------------------------------------------------

function openMenu() {
  /** @type {[string, () => void]} */
  const back = [say("Back"), openMenu];
  const to = (part) => () => {
    closeSheet();
    turnTo(part);
  };
  const learn = () => openSheet(() => ({ title: say("Learn {game}", { game: view.game.title }),
    parts: [learning.card(view)], back }));
  openSheet(() => ({
    title: say("The host's page"),
    note: view.game.title,
    parts: [
      list("parts", line("to-table", "seats", say("Table"), "", to("table")),
        line("to-games", "flag", say("Games"), "", to("games")),
        line("to-hardware", "board", say("Hardware"), "", to("hardware"))),
      list("screens", ...added("game-line", view.game),
        learning.card(view) && line("learn-open", "bulb", say("Learn {game}", { game: view.game.title }), "", learn),
        ...pageLines(), languageLine(back)),
      list("leaving", line("leave", "phone", say("Stop being the host on this phone"), "", () => attempt(leave))),
    ],
    back: [say("Back"), closeSheet],
  }));
}

async function leave() {
  closeSheet();
  await post("host/leave");
  location.reload();
}

// -- drawing ----------------------------------------------------------------------------------------------------------

// The game at the table; a tap changes it.
function showGame(open) {
  const card = byId("game-card");
  card.hidden = !open;
  if (!open) return;
  const { minutes } = known?.choices.find((one) => one.current) ?? {};
  const [title, players, time] = card.children;
  setText(title, view.game.title);
  setText(players, modeWords(view.game.mode));
  setText(time, minutes ? say("{least} to {most} minutes", { least: minutes[0], most: minutes[1] }) : "");
  added("cover", byId("cover-now"), view.game.name);
}

function headline(part, open) {
  if (part === "games") return [say("What shall we play?"), ""];
  if (part === "hardware") return [say("The board"), view.standstill ?? ""];
  const { game, turn } = view;
  return [open || !turn ? game.title : say("{game}, turn {turn}", { game: game.title, turn }), view.message];
}

function draw() {
  if (!view) return;
  byId("page").hidden = firstOf(".tray").hidden = !view.host;
  byId("enter").hidden = Boolean(view.host);
  if (!view.host) return showText(byId("message"), say("For the person who runs the table"));
  const { part } = byId("page").dataset;
  const open = view.phase === "lobby";
  seatColours(view);
  showBar(view, say("host"), ...added("bar-button", view.game), barButton("menu", "menu", say("Menu"), openMenu));
  const [head, words] = headline(part, open);
  setText(byId("headline"), head);
  showText(byId("message"), words);
  // In the lobby the card is the headline.
  firstOf(".head").classList.toggle("unseen", open && part === "table" && !view.standstill);
  const back = part !== "table" && button({ id: "back", class: "bare", "data-card": "back" }, say("Back to the table"),
    () => turnTo("table"));
  renew(byId("go"), [part === "games" && newGame.button(view, known?.choices),
    part === "table" && primary(now, () => turnTo("games")), back]);
  renew(byId("asks"), [...(open ? noticeLines(view) : []), damagedCard(known, look), ...added("host-ask", now),
    ...askCards(view),
    closedLessons(known, look),
    ...(part === "table" ? added("ask", view, ({ seat }) => known?.tickets[seat]?.ticket).flat() : [])]);
  showGame(open);
  renew(byId("now"), [!open && nowCard(now)]);
  renew(byId("seats"), [!view.lesson && seatLines(now, null), open && codesCard(now)]);
  renew(byId("rules"), [!view.lesson && ruleLines(now)]);
  newGame.show(view, known?.choices, choices, byId("new"));
  renew(byId("added"), added("host-card", now));
  renew(byId("sensors"), [sensors.card(view)]);
  renew(byId("hardware"), [hardwareCard(known?.hardware)]);
  renew(byId("rest"), [lightsCard(known?.rest, look), addressLine(now)]);
  renew(byId("games"), [games.card(view, known)]);
  renewSheet();
}

function follow() {
  connect((latest) => {
    view = latest;
    openWhenAsked(view);
    dropQuestion(view);
    const first = view.host && !known;
    const open = view.phase === "lobby";
    // Who has seen the game begin here, and plays, goes to their seat.
    if (waiting && !open && view.you && view.host && byId("page").dataset.part === "table") {
      location.assign((isAlone(view) && besideBoard()) || "/play");
    }
    waiting = open;
    if (view.host) look();
    learning.follow(view);
    draw();
    if (first) post("host/clock", { now: Date.now() }).catch(() => {}); // A machine without a network has no date.
  });
  setInterval(() => view?.host && !document.hidden && look(), EVERY_MS);
}

async function begin() {
  const asked = new URLSearchParams(location.search).get("part");
  open(asked && PARTS.includes(asked) ? asked : "table");
  try {
    if (location.hash) await enter(location.hash);
  } catch (error) {
    explain(error.message);
  }
  follow();
}

byId("game-card").addEventListener("click", () => openGame(now, () => turnTo("games")));

// Opening the host's link where this page is already open changes the # only.
addEventListener("hashchange", () => location.hash && location.reload());

onSubmit(byId("token-form"), async () => {
  await enter(byId("token").value);
  location.reload();
});

begin();
