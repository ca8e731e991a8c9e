// The lobby: the seats and their players, taking a seat, and the own name and colour.
import { askCards, start } from "../host/host_now.js";
import { Learning } from "../learn/lessons.js";
import { Asking } from "./lobby_asking.js";
import {
  aboutSeat, codeBox, colourChoice, computer, computerBox, dot, joinPath, levelChoice, nameForm, seatWords,
  showJoining, sitsWords,
} from "./lobby_seats.js";
import { Tickets } from "./lobby_tickets.js";
import { postButton } from "../shared/controls.js";
import { byId, element, renew, renewKeepingText } from "../shared/elements.js";
import { connect, post } from "../shared/live.js";
import { playsMark, seatColours, showAim, showRules } from "../shared/parts.js";
import { openOverPage } from "../shared/rules.js";
import { dealHint, noteDeal, openWhenAsked } from "../shared/seal.js";
import { hasVisited, visit } from "../shared/storage.js";
import { say } from "../shared/words.js";

let view = null;
let leaving = false;

const tickets = new Tickets(() => view && draw());
const learning = new Learning(() => view && draw(), seatFree);
const asking = new Asking(() => view && draw(), () => location.assign("/play"));

// Where this phone takes a free seat of which it knows the ticket.
function seatFree() {
  const seat = view.seats.find((one) => tickets.of(one));
  return seat ? joinPath(seat, tickets.of(seat)) : null;
}

function free(seat) {
  const ticket = tickets.of(seat);
  const machine = view.host && computerBox(view, seat, say("A computer plays"));
  if (!ticket) return [element("p", { class: "sits" }, say("Free: the host gives you a code for this seat.")), machine];
  const first = view.seats.find((one) => !one.taken) === seat;
  return [
    !view.you && element("a", { class: first ? "button primary" : "button", id: `sit-${seat.seat}`,
      href: joinPath(seat, ticket) }, say("Sit here")),
    codeBox(seat, ticket, say("Free: code for another phone"), Boolean(view.you) && first),
    machine,
  ];
}

function mine(seat) {
  return [
    element("p", {}, say("That is you.")),
    nameForm(seat, (name) => post("name", { name })),
    colourChoice(view, seat, (colour) => post("colour", { colour })),
    postButton({ id: "stand-up" }, say("Leave"), "leave"),
  ];
}

function card(seat) {
  const open = view.phase === "lobby";
  const own = view.you?.seat === seat.seat;
  const box = element("section", { class: "card seat", "aria-label": seatWords(seat), "data-card": seat.seat },
    element("h2", {}, dot(seat), seat.taken ? seat.name : seatWords(seat)), aboutSeat(view, seat),
    seat.plays && element("p", {}, playsMark(view, seat)));
  const rest = !seat.taken ? open && free(seat) : own && open ? mine(seat)
    : [element("p", { class: "sits" }, sitsWords(seat, own)),
      open && view.host && seat.computer && levelChoice(view, seat, (level) => computer(seat, level))];
  box.append(...(rest || []).filter(Boolean));
  return box;
}

function starting() {
  if (view.phase !== "lobby") return null;
  const missing = view.seats.filter((seat) => !seat.taken).length;
  if (!view.host) {
    return element("p", { class: "hint", "data-card": "starting" },
      missing ? say("When all seats are taken, the host starts the game.") : say("The host starts the game."));
  }
  return element("div", { class: "row actions", "data-card": "starting" },
    !missing && element("button", { id: "start", class: "primary big", onclick: start }, say("Start the game")),
    element("a", { class: "button big", href: "/host" }, say("The host's page")),
    element("a", { class: "button big", href: "/host?part=games" }, say("Another game")));
}

function draw() {
  showJoining(byId("joining"), view, tickets);
  renew(byId("asks"), view.host ? askCards(view) : []);
  renew(byId("asking"), [asking.card(view)]);
  renewKeepingText(byId("seats"), view.seats.map(card));
  const lessons = learning.card(view);
  renew(byId("learn-first"), [learning.first && lessons]);
  renew(byId("learn-later"), [!learning.first && lessons]);
  renew(byId("starting"), [starting(), view.phase === "lobby" && dealHint(view)]);
}

openOverPage();
// The page may be restored when somebody returns from the table.
addEventListener("pageshow", () => { leaving = false; });

connect((latest) => {
  view = latest;
  openWhenAsked(view);
  noteDeal(view);
  tickets.follow(view);
  asking.follow(view);
  learning.follow(view);
  seatColours(view);
  byId("title").textContent = view.game.title;
  showAim(byId("aim"), view);
  showRules(byId("rules"), view);
  byId("message").textContent = view.message;
  const open = view.phase === "lobby";
  if (leaving) return;
  if (open) visit(""); // The next game, even a resumed one, leads to the table again.
  if (!open && view.you && !hasVisited(view.game.id)) {
    leaving = true;
    return location.assign("/play");
  }
  byId("play").hidden = open;
  byId("intro").hidden = !open;
  byId("host").hidden = open && Boolean(view.host); // The host has the same link above.
  draw();
});
