// What a screen for the room shows in the lobby: the codes of the free seats, and the players who sit.
import { seatCode, seatWords } from "/static/lobby/lobby_seats.js";
import { Tickets } from "/static/lobby/lobby_tickets.js";
import { added } from "/static/shared/added.js";
import { element, renew } from "/static/shared/elements.js";
import { disc } from "/static/shared/frame.js";
import { computerWords, ownNodes, playsMark } from "/static/shared/parts.js";
import { capital } from "/static/shared/steps.js";
import { wax } from "/static/shared/wax.js";
import { say } from "/static/shared/words.js";

// Team and nodes of a seat.
function aboutSeat(view, seat) {
  const shared = view.seats.some((other) => other.seat !== seat.seat && other.team === seat.team);
  const about = [shared && say("team {team}", { team: seat.team }), ownNodes(seat, view.game)]
    .filter(Boolean).join(", ");
  return about && element("p", { class: "hint" }, capital(about));
}

function seatCard(view, seat, ticket) {
  return element("section", { class: `seatcard seat-${seat.colour ?? seat.seat}`, "aria-label": seatWords(seat),
    "data-card": seat.seat },
  element("h2", {}, disc(seat), seat.taken ? seat.name : seatWords(seat)),
  seat.taken ? wax(view, seat) : ticket && seatCode(seat, ticket), !seat.taken && aboutSeat(view, seat),
  seat.plays && element("p", {}, playsMark(view, seat)), seat.taken && element("p", {}, seat.computer
    ? computerWords(seat) : say("sits at the table")));
}

// The code of the lobby, shown if the seats' codes are not.
function lobbyCard() {
  return element("section", { class: "seatcard to-table", "aria-label": say("To the lobby"), "data-card": "lobby" },
    element("h2", {}, say("To the table")),
    element("img", { class: "code", width: 168, height: 168, src: "/qr/lobby.svg", alt: say("QR code of the lobby") }),
    element("p", {}, say("The host gives out the seats.")));
}

function codeCard({ card, title, label, parts }) {
  return element("section", { class: `seatcard ${card}`, "aria-label": label, "data-card": card },
    element("h2", {}, title), ...parts);
}

// The line about joining: it mentions codes only where this screen shows them.
function showJoining(line, view, tickets) {
  const free = view.phase === "lobby" ? view.seats.filter((seat) => !seat.taken) : [];
  const shown = tickets.shown || free.some((seat) => tickets.of(seat));
  const words = shown
    ? say("To join, scan the code of a free seat with another phone on the same network.")
    : say("The host has the links to the free seats.");
  line.textContent = [words, ...added("joining", tickets.answer)].join(" ");
  line.hidden = !free.length || tickets.shown === null;
}

export class SeatCodes {
  // `host` and `line` are elements of the page, hidden except in the lobby; `line` says how to join.
  // changed() is called when new codes have changed the display.
  constructor(host, line, changed) {
    this.host = host;
    this.line = line;
    this.view = null;
    this.tickets = new Tickets(() => {
      if (!this.view) return;
      this.draw();
      changed();
    });
  }

  // Return whether the lobby is shown: then the board is not, as nothing has happened on it yet.
  follow(view) {
    this.view = view;
    this.tickets.follow(view);
    this.draw();
    return !this.host.hidden;
  }

  draw() {
    const { view, tickets } = this;
    this.host.hidden = view.phase !== "lobby";
    showJoining(this.line, view, tickets);
    if (this.host.hidden) return renew(this.host, []);
    const codes = view.seats.filter((seat) => tickets.of(seat)).length;
    const free = view.seats.some((seat) => !seat.taken);
    const first = free ? added("code", tickets.answer) : [];
    return renew(this.host, [...first.map(codeCard), free && !codes && lobbyCard(),
      ...view.seats.map((seat) => seatCard(view, seat, tickets.of(seat)))]);
  }
}
