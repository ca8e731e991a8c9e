// "This is my seat": a phone asks for a seat that another phone holds, and gets it when the host allows it.
import { button } from "../shared/controls.js";
import { element, hintLine } from "../shared/elements.js";
import { disc } from "../shared/frame.js";
import { post, state } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { keep, recallJson, requireStorage } from "../shared/storage.js";
import { say } from "../shared/words.js";

const PLACE = "lodestone-asking";

export class Asking {
  // changed() is called to draw again, got() when this phone has the seat.
  constructor(changed, got) {
    this.changed = changed;
    this.got = got;
    this.mine = recallJson(PLACE, true); // {seat, name, code}
    this.refused = "";
    this.collecting = false;
    this.since = 0;
  }

  // Call with every view: once the request is no longer in it, the host has answered.
  follow(view) {
    if (view.you && this.mine) this.end();
    if (!this.mine || this.collecting || this.sending || view.seq < this.since) return;
    if (!view.asks?.some((one) => one.code === this.mine.code)) this.collect();
  }

  async ask(seat) {
    requireStorage();
    this.refused = "";
    this.sending = true;
    try {
      const { code } = await post("ask", { seat: seat.seat });
      this.mine = { seat: seat.seat, name: seat.name, code };
      keep(PLACE, JSON.stringify(this.mine), true);
      this.changed();
      // A view that was sent before the request does not contain it.
      const now = await state();
      this.since = now.seq;
      this.sending = false;
      this.follow(now);
    } finally {
      this.sending = false;
    }
  }

  async collect() {
    this.collecting = true;
    try {
      await post("collect");
      this.end();
      this.got();
    } catch (error) {
      if (!error.away) { // Without an answer the request stays, and the next view collects again.
        this.refused = error.message;
        this.end();
      }
    }
    this.collecting = false;
    this.changed();
  }

  end() {
    this.mine = null;
    keep(PLACE, null, true);
  }

  /** Whether this phone waits for the host's answer. */
  get waits() {
    return Boolean(this.mine || this.refused);
  }

  // The card for a phone without a seat: the taken seats to ask for, or the code to show.
  card(view) {
    if (view.you) return null;
    if (this.mine) return this.waiting();
    const held = view.seats.filter((seat) => isHeld(view, seat));
    if (!held.length) return null;
    return section("asking", say("Is one of these seats yours?"), this.refusal(), this.about(),
      element("div", { class: "row", role: "group", "aria-label": say("This is my seat") },
        ...held.map((seat) => this.button(seat, seat.name))));
  }

  // The same for one seat, in a sheet.
  sheetPart(view, seat) {
    if (view.you || !isHeld(view, seat)) return null;
    if (this.mine) return this.waiting();
    return element("div", { "data-card": "asking" }, this.refusal(), this.about(),
      element("div", { class: "list" }, this.button(seat, say("This is my seat"))));
  }

  button(seat, words) {
    const made = button({ id: `mine-${seat.seat}` }, disc(seat), () => this.ask(seat));
    made.append(words);
    return made;
  }

  refusal() {
    return this.refused && element("p", { class: "notice error", role: "alert" }, this.refused);
  }

  about() {
    return hintLine(
      say("If you already play with another phone, or a computer plays for you: say which seat is yours. The host is asked, and this phone takes it over."));
  }

  waiting() {
    const { name, code } = this.mine;
    return section("asking", say("{name}'s seat: show this code to the host", { name }),
      element("p", { class: "ask-code", role: "status" }, code),
      hintLine(say("As soon as the host allows it, this phone continues by itself.")));
  }
}

// Whether a phone may say that a seat is its own.
const isHeld = (view, seat) => seat.taken && !seat.table && !seat.resigned
  && (!seat.computer || view.phase !== "lobby");
