// The big screen in the lobby: the codes of the free seats, and the players. tv.js calls it with every view.
import { element, renew } from "../shared/live.js";
import { aboutSeat, dot, seatCode, seatWords, showJoining, sitsWords } from "../lobby/lobby_seats.js";
import { Tickets } from "../lobby/lobby_tickets.js";
import { playsMark } from "../shared/parts.js";
import { say } from "../shared/words.js";

function tile(view, seat, ticket) {
  const head = element("h2", {}, dot(seat), seat.taken ? seat.name : seatWords(seat));
  return element("section", { class: `tv-seat${seat.taken ? " sits" : ""}`, "aria-label": seatWords(seat), "data-card": seat.seat }, head,
    ticket && seatCode(seat, ticket), aboutSeat(view, seat), seat.plays && element("p", {}, playsMark(view, seat)),
    seat.taken && element("p", {}, sitsWords(seat, false)));
}

// The code of the lobby, shown if the seats' codes are not.
function lobbyTile() {
  return element("section", { class: "tv-seat to-table", "aria-label": say("To the lobby"), "data-card": "lobby" },
    element("h2", {}, say("To the table")),
    element("img", { class: "code", width: 168, height: 168, src: "/qr/lobby.svg", alt: say("QR code of the lobby") }),
    element("p", {}, say("The host gives out the seats.")));
}

export class TvLobby {
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
    this.host.style.setProperty("--rows", Math.ceil(view.seats.length / 2)); // Sets the codes' size, so that nothing has to be scrolled.
    return renew(this.host, [free && !codes && lobbyTile(), ...view.seats.map((seat) => tile(view, seat, tickets.of(seat)))]);
  }
}
