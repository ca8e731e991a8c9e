// The lobby: the seats round the board, taking one, and the own name and colour.
import { askCards } from "../host/host_now.js";
import { Learning } from "../learn/lessons.js";
import { Asking } from "./lobby_asking.js";
import {
  aboutWords, askName, colourChoice, gameWords, joinPath, knownName, moveLine, nameForm, pageLines, rename, seatCode,
  seatWords, takeSeat,
} from "./lobby_seats.js";
import { around } from "./lobby_places.js";
import { Tickets } from "./lobby_tickets.js";
import { added } from "../shared/added.js";
import { button } from "../shared/controls.js";
import { Board } from "../shared/board.js";
import { byId, element, hintLine, renew, renewKeepingText, setText } from "../shared/elements.js";
import {
  barButton, closeSheet, disc, languageLine, line, list, openSheet, renewSheet, showBar,
} from "../shared/frame.js";
import { connect, mySeat, post } from "../shared/live.js";
import { playsMark, seatColours, showRules } from "../shared/parts.js";
import { dealHint, noteDeal, openWhenAsked } from "../shared/seal.js";
import { noticeLines } from "../shared/sensors.js";
import { hasVisited, requireStorage, visit } from "../shared/storage.js";
import { listOf, say, sayMany } from "../shared/words.js";

let view = null;
let leaving = false;
let chosen = 0; // The free seat that was tapped.
let watching = false; // Whether this phone only watches.

const board = new Board(byId("board"));
const tickets = new Tickets(() => view && draw());
const learning = new Learning(() => view && draw(), seatFree);
const asking = new Asking(() => view && draw(), () => location.assign("/play"));

const close = () => /** @type {[string, () => void]} */ ([say("Back"), closeSheet]);

// Where this phone takes a free seat of which it knows the ticket.
function seatFree() {
  const seat = view.seats.find((one) => tickets.of(one));
  return seat ? joinPath(seat, tickets.of(seat)) : null;
}

const freeSeats = () => view.seats.filter((seat) => !seat.taken);

// The free seat that the button takes.
function wanted() {
  if (view.you || watching) return null;
  const can = freeSeats().filter((seat) => tickets.of(seat));
  return can.find(({ seat }) => seat === (chosen || added("own-seat", view)[0])) ?? can[0] ?? null;
}

// The stream of views belongs to who opened it: another one begins.
async function sit(seat, name = "") {
  await takeSeat(seat, tickets.of(seat), name);
  location.reload();
}

// Who has no name here yet is asked for it.
function sitDown(seat) {
  requireStorage();
  return knownName() ? sit(seat) : askName(say("Sit in seat {seat}", { seat: seat.seat }), (name) => sit(seat, name),
    close());
}

// -- the seats round the board ----------------------------------------------------------------------------------------

function placeOf(seat, where) {
  const about = [aboutWords(view, seat), seat.taken && playsMark(view, seat, { brief: true })].filter(Boolean);
  const kind = ["place", where, seat.taken ? `seat-${seat.colour ?? seat.seat}` : `free seat-${seat.seat}`,
    seat === wanted() && "on"];
  return element("button", { type: "button", id: `seat-${seat.seat}`, class: kind.filter(Boolean).join(" "),
    "data-card": seat.seat, "aria-pressed": seat.taken || view.you ? null : seat === wanted() ? "true" : "false",
    onclick: () => tap(seat.seat) }, disc(seat), element("span", { class: "name" },
    seat.taken ? seat.name : seatWords(seat)), element("small", {}, ...about));
}

function tap(number) {
  const seat = view.seats.find((one) => one.seat === number);
  if (!seat.taken && !view.you && tickets.of(seat)) {
    chosen = number;
    watching = false;
    draw();
  } else if (seat.seat !== view.you?.seat) {
    openSheet(() => seatSheet(number));
  }
}

// A free seat has a code for another phone; of a seat that is taken another phone may say that it is its own.
function seatSheet(number) {
  const seat = view.seats.find((one) => one.seat === number);
  const ticket = seat && tickets.of(seat);
  return {
    title: seat?.taken ? seat.name : seatWords({ seat: number }),
    note: seat && aboutWords(view, seat),
    parts: seat ? [seat.taken ? asking.sheetPart(view, seat) : ticket ? codePart(seat, ticket)
      : element("p", { "data-card": "free" }, say("Free: the host gives you a code for this seat."))] : [],
    back: close(),
  };
}

function codePart(seat, ticket) {
  const move = moveLine(view, seat, ticket);
  return element("div", { class: "centre", "data-card": `code-${seat.seat}` },
    move && list("moving", move), seatCode(seat, ticket),
    hintLine(say("Scan it with another phone: it is good for one.")));
}

// -- headline and tray ------------------------------------------------------------------------------------------------

function waitingWords() {
  const free = freeSeats().map(({ seat }) => seat);
  if (!free.length) return say("All are here. The host starts the game.");
  return sayMany("Waiting for seat {seats}. The host starts the game.",
    "Waiting for seats {seats}. The host starts the game.",
    free.length, { seats: listOf(free) });
}

function headline() {
  if (view.phase !== "lobby") return [view.game.title, view.message];
  if (view.you) return [say("You sit"), waitingWords()];
  if (watching || !freeSeats().length) return [say("You watch"), say("The game opens here when the host starts.")];
  if (wanted()) return [say("Where do you sit?"), say("Tap a free seat.")];
  return [say("Where do you sit?"), tickets.shown === null ? "" : say("The host has the links to the free seats.")];
}

const bare = (id, words, act) => element("button", { id, type: "button", class: "bare", onclick: act }, words);

const learnButton = () => bare("learn-open", say("Learn {game}", { game: view.game.title }), openLearning);

function quiet() {
  return element("div", { class: "quiet", "data-card": "quiet" },
    learning.card(view) && learnButton(),
    ...added("lobby-button"),
    view.you ? button({ id: "stand-up", class: "bare" }, say("Stand up"), () => post("leave"))
      : freeSeats().length > 0 && bare("watch", watching ? say("Take a seat") : say("Just watch"), () => {
        watching = !watching;
        draw();
      }));
}

function tray() {
  const open = view.phase === "lobby";
  const seat = mySeat(view);
  if (!open) {
    return [asking.card(view), element("a", { id: "play", class: "button go", "data-card": "play", href: "/play" },
      view.you ? say("To the game") : say("Watch the game")),
    learning.card(view) && element("div", { class: "quiet", "data-card": "quiet" }, learnButton())];
  }
  if (seat) {
    return [nameForm(seat, rename), colourChoice(view, seat, (colour) => post("colour", { colour })), dealHint(view),
      quiet()];
  }
  const free = wanted();
  return [asking.waits && asking.card(view), free && button({ id: "sit", class: "go", "data-card": "sit" },
    say("Sit in seat {seat}", { seat: free.seat }), () => sitDown(free)), dealHint(view), quiet()];
}

function openLearning() {
  openSheet(() => ({ title: say("Learn {game}", { game: view.game.title }), parts: [learning.card(view)],
    back: close() }));
}

// -- the menu ---------------------------------------------------------------------------------------------------------

function openMenu() {
  /** @type {[string, () => void]} */
  const back = [say("Back"), openMenu];
  const codes = () => openSheet(() => ({ title: say("Codes of free seats"), back, parts: freeSeats()
    .filter((seat) => tickets.of(seat)).map((seat) => element("section", { class: "centre", "data-card": seat.seat },
      element("h3", {}, seatWords(seat)), seatCode(seat, tickets.of(seat)))) }));
  const mine = () => openSheet(() => ({ title: say("Is one of these seats yours?"), back,
    parts: [asking.card(view)] }));
  openSheet(() => {
    const rules = element("p", { id: "rules", class: "hint", "data-card": "rules" });
    showRules(rules, view);
    return {
      title: gameWords(view.game),
      parts: [
        view.game.aim && element("p", { id: "aim", class: "soft", "data-card": "aim" }, view.game.aim),
        rules.textContent && rules,
        list("here",
          ...added("game-line", view.game),
          freeSeats().some((seat) => tickets.of(seat)) && line("codes", "qr", say("Codes of free seats"), "", codes),
          asking.card(view) && line("mine", "phone", say("One of these seats is mine"), "", mine)),
        list("screens", ...pageLines(), languageLine(back)),
      ],
      back: close(),
    };
  });
}

// -- drawing ----------------------------------------------------------------------------------------------------------

function draw() {
  const open = view.phase === "lobby";
  if (open && view.host) return location.replace("/host"); // The host's page is the host's lobby.
  showBar(view, gameWords(view.game), ...added("bar-button", view.game),
    barButton("menu", "menu", say("Menu"), openMenu));
  const [head, words] = headline();
  setText(byId("title"), head);
  setText(byId("message"), words);
  board.show(open ? { ...view, lights: {}, arrows: [], tasks: [] } : view);
  byId("board").classList.toggle("angular", !view.layout.circles.length);
  const where = around(view);
  renew(byId("seats"), view.seats.map((seat) => placeOf(seat, where.get(seat.seat))));
  renew(byId("asks"), [...noticeLines(view), ...(view.host ? askCards(view) : []),
    ...added("ask", view, (seat) => tickets.of(seat)).flat()]);
  renewKeepingText(byId("panel"), tray());
  renewSheet();
}

// The page may be restored when somebody returns from the table.
addEventListener("pageshow", () => { leaving = false; });

connect((latest) => {
  const first = !view;
  view = latest;
  openWhenAsked(view);
  noteDeal(view);
  tickets.follow(view);
  asking.follow(view);
  learning.follow(view);
  seatColours(view);
  const open = view.phase === "lobby";
  if (leaving) return;
  if (open) visit(""); // The next game, even a resumed one, leads to the table again.
  if (!open && (view.you || watching) && !hasVisited(view.game.id)) {
    leaving = true;
    return location.assign("/play");
  }
  draw();
  if (first && location.hash === "#learn") openLearning();
});
