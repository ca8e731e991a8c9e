// A recorded game at a running table: this browser steps by itself and fetches some moments at a time.
import { byId, setText } from "../shared/elements.js";
import { explain, getJson } from "../shared/live.js";
import { say } from "../shared/words.js";

const AHEAD = 12; // Moments before the end of a piece at which the next one is fetched.
const PACE_S = 2;
const LOADING_MS = 400; // Waiting time after which "loading …" is shown.
const FRAGMENT_MS = 400; // Browsers limit how often a page may change its address.
const ANSWER_MS = 60000; // A long game takes a Pi some seconds to verify.

// The moment in an address, from 0: `#12` is the twelfth. Null without one.
function momentOf(hash) {
  return /^#[1-9]\d{0,5}$/.test(hash) ? Number(hash.slice(1)) - 1 : null;
}

// Calls show(view) for every moment shown, refuse(message) if the game can't be shown.
export class Own {
  constructor(id, show, refuse) {
    this.base = `/api${location.pathname.startsWith("/host/") ? "/host" : ""}/replay/${encodeURIComponent(id)}`;
    this.show = show;
    this.refuse = refuse;
    this.film = null;
    this.pieces = new Map();
    this.at = 0;
    this.playing = false;
    this.pace = PACE_S;
    this.timer = 0;
    this.turn = 0;
    this.orders = {
      first: () => this.step(0), back: () => this.step(this.at - 1), on: () => this.step(this.at + 1),
      last: () => this.step(this.film.moments - 1),
      to: ({ moment }) => this.step(moment), play: () => this.play(), pause: () => this.stop(),
      pace: ({ seconds }) => this.paced(seconds),
    };
    addEventListener("hashchange", (event) => {
      const moment = momentOf(new URL(event.newURL).hash);
      if (this.film && moment !== null && moment !== this.at) this.step(moment);
    });
  }

  async begin() {
    try {
      await this.load();
    } catch (error) {
      return this.refuse(error.message);
    }
    return this.step(momentOf(location.hash) ?? 0);
  }

  async load() {
    this.film = await getJson(this.base, ANSWER_MS);
    this.pieces.clear();
  }

  order(body) {
    if (this.film) this.orders[body.do](body);
  }

  play() {
    if (this.film.moments === 1) return;
    this.playing = true;
    this.go(this.at === this.film.moments - 1 ? 0 : this.at);
  }

  stop() {
    this.playing = false;
    return this.go(this.at);
  }

  step(moment) {
    this.playing = false;
    return this.go(moment);
  }

  paced(seconds) {
    this.pace = seconds;
    this.go(this.at);
  }

  // Show a moment. The last one asked for wins, even if an earlier answer arrives later.
  async go(moment) {
    clearTimeout(this.timer);
    this.turn += 1;
    const turn = this.turn;
    this.at = Math.min(Math.max(moment, 0), this.film.moments - 1);
    const late = setTimeout(() => this.status(say("loading …")), LOADING_MS);
    let found;
    try {
      found = await this.moment(this.at);
      explain(null);
    } catch (error) {
      if (turn !== this.turn) return;
      this.playing = false;
      explain(error.message);
    } finally {
      clearTimeout(late);
    }
    if (turn !== this.turn) return;
    this.status("");
    if (found) this.tell(found);
    else if (this.last) this.show({ ...this.last, playing: false });
  }

  tell(found) {
    this.last = { ...this.film, ...found, moments: this.film.moments, moment: this.at, playing: this.playing,
      pace: this.pace, notice: null };
    this.show(this.last);
    this.name();
    if (this.playing && this.at < this.film.moments - 1) {
      this.timer = setTimeout(() => {
        if (this.at + 1 === this.film.moments - 1) this.playing = false; // Playing stops at the last moment.
        this.go(this.at + 1);
      }, this.pace * 1000);
    }
    if (this.at + AHEAD < this.film.moments) this.piece(this.at + AHEAD).catch(() => {}); // Fetched again when needed.
  }

  // Put this moment into the address, unless the address has changed meanwhile.
  name() {
    const { hash } = location;
    clearTimeout(this.naming);
    this.naming = setTimeout(() => {
      if (location.hash === hash) history.replaceState(history.state, "", `#${this.at + 1}`);
    }, FRAGMENT_MS);
  }

  async moment(at) {
    try {
      return await this.inPiece(at);
    } catch (error) {
      if (error.code !== "gone_on") throw error;
      await this.load(); // The game is still being played: its earlier moments are unchanged.
      this.at = Math.min(at, this.film.moments - 1);
      return this.inPiece(this.at);
    }
  }

  async inPiece(at) {
    const { first, moments } = await this.piece(at);
    return moments[at - first];
  }

  piece(at) {
    const first = at - (at % this.film.chunk);
    if (!this.pieces.has(first)) {
      const asked = getJson(`${this.base}/${this.film.version}/${first}`, ANSWER_MS);
      const { pieces } = this;
      pieces.set(first, asked);
      asked.catch(() => pieces.get(first) === asked && pieces.delete(first));
    }
    return this.pieces.get(first);
  }

  status(text) {
    setText(byId("net"), text);
  }
}
