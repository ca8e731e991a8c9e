// The host's page.
import { Games, keepCare } from "./host_games.js";
import { Choices, NewGame } from "./host_new.js";
import { askCards, closedLessons, networkCard, nowCard, primary } from "./host_now.js";
import { clocksCard, footBox, hintsBox, modeBox, seatCards } from "./host_seats.js";
import { handSwitch, hardwareCard, lightsCard, Sensors, Workshop } from "./host_workshop.js";
import { Learning } from "../learn/lessons.js";
import { joinPath } from "../lobby/lobby_seats.js";
import { byId, renew, renewKeepingText } from "../shared/elements.js";
import { onSubmit } from "../shared/controls.js";
import { attempt, connect, explain, fetchInTime, post } from "../shared/live.js";
import { seatColours } from "../shared/parts.js";
import { openWhenAsked } from "../shared/seal.js";

const REST_MS = 1500; // Shortest time between two requests for the host's state.
const EVERY_MS = 5000;

let view = null;
let known = null; // The last answer of /api/host/state.
let tag = null; // Its ETag: an unchanged state is not sent again.
let looking = false;
let wanted = false;

const PARTS = ["table", "games", "hardware"];
const learning = new Learning(draw, seatFree);
const newGame = new NewGame(draw, () => turnTo("table"));
const choices = new Choices(byId("choices"), (board) => newGame.want({ board, mode: null, rules: null }));
const sensors = new Sensors();
const workshop = new Workshop(draw, () => byId("page").dataset.part === "hardware");
const lookAfter = keepCare(byId("care"), () => view?.host);
const games = new Games(draw, () => turnTo("table"));

// Where the host's phone takes a free seat.
function seatFree() {
  const [seat, ticket] = Object.entries(known?.tickets ?? {})[0] ?? [];
  return seat ? joinPath({ seat }, ticket.ticket) : null;
}

// Show one of the page's three parts.
function open(part) {
  for (const one of PARTS) {
    byId(`part-${one}`).hidden = one !== part;
    byId(`to-${one}`).setAttribute("aria-pressed", one === part ? "true" : "false");
  }
  byId("page").dataset.part = part;
  if (view) draw();
  lookAfter();
}

// The same, also after the page is loaded again, in another language for instance.
function turnTo(part) {
  history.replaceState(null, "", part === PARTS[0] ? "/host" : `/host?part=${part}`);
  open(part);
}

// The token is what follows the # of the link, which people open on a phone or paste.
async function enter(text) {
  await post("host/enter", { token: text.trim().split("#").at(-1) });
  history.replaceState(null, "", "/host");
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

function draw() {
  if (!view) return;
  byId("looking").hidden = true;
  byId("page").hidden = !view.host;
  byId("enter").hidden = Boolean(view.host);
  if (!view.host) return;
  seatColours(view);
  const chosen = byId("page").dataset.part === "games" && newGame.button(view, known?.choices);
  byId("message").textContent = view.message;
  renew(byId("go"), [chosen || primary(view, () => open("games"))]);
  renew(byId("now"), [nowCard(view), closedLessons(known, look)]);
  renew(byId("asks"), [networkCard(known?.network), ...askCards(view)]);
  renew(byId("lobby-head"), [modeBox(view)]);
  renewKeepingText(byId("clocks"), [clocksCard(view)]);
  renewKeepingText(byId("seats"), seatCards(view, known));
  renew(byId("lobby-foot"), [footBox(view, known), known && handSwitch(known.hardware?.hands, look), hintsBox(view)]);
  renew(byId("learn"), [learning.card(view)]);
  newGame.show(view, known?.choices, choices, byId("new"));
  renew(byId("sensors"), [sensors.card(view)]);
  renew(byId("hardware"), [hardwareCard(known?.hardware, byId("page").dataset.sensors)]);
  renew(byId("workshop"), [workshop.card(view)]);
  renew(byId("rest"), [lightsCard(known?.rest, look)]);
  renew(byId("games"), [games.card(view, known)]);
}

function follow() {
  connect((latest) => {
    view = latest;
    openWhenAsked(view);
    const first = view.host && !known;
    if (view.host) look();
    learning.follow(view);
    draw();
    if (first) lookAfter(); // After draw(): a hidden card does not fetch.
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

// Opening the host's link where this page is already open changes the # only.
addEventListener("hashchange", () => location.hash && location.reload());

onSubmit(byId("token-form"), async () => {
  await enter(byId("token").value);
  location.reload();
});

for (const part of PARTS) byId(`to-${part}`).addEventListener("click", () => turnTo(part));

byId("leave").addEventListener("click", () => attempt(async () => {
  await post("host/leave");
  location.reload();
}));

begin();
