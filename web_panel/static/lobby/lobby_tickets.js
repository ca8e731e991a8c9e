// The tickets of the free seats, as far as this screen may see them, fetched while the lobby is open.
import { getJson } from "../shared/live.js";

const EVERY_MS = 4000;

export class Tickets {
  constructor(changed) {
    this.changed = changed;
    this.shown = null; // Not known yet.
    this.tickets = {};
    this.answer = {}; // The whole answer, with what extensions add to it.
    this.open = false;
    this.asking = false;
    setInterval(() => this.open && !document.hidden && this.ask(), EVERY_MS);
  }

  // Call with every view: a seat that is freed has another ticket.
  follow(view) {
    this.open = view.phase === "lobby";
    const seats = JSON.stringify([view.game.id, view.seats.map((seat) => seat.taken)]);
    if (this.open && seats !== this.seats) this.ask();
    this.seats = seats;
  }

  of(seat) {
    return seat.taken ? null : this.tickets[seat.seat] ?? null;
  }

  async ask() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    const found = await getJson("/api/tickets").catch(() => null); // The next request follows soon.
    if (found) this.take(found);
    this.asking = false;
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  take(answer) {
    const before = JSON.stringify(this.answer);
    Object.assign(this, { shown: answer.shown, tickets: answer.tickets, answer });
    if (JSON.stringify(answer) !== before) this.changed();
  }
}
