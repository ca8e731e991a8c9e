// The club's state on this page: the whole once, then what changes (server-sent events).
import { byId, setText } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";
import { say } from "/static/shared/words.js";

const AGAIN_MS = 3000; // Pause before the whole state is asked for again.
const QUIET_MS = 25000; // The club tells more often that it is there.
const REST_MS = 2000; // Shortest time between two requests for the same thing.

/**
 * @typedef {object} ClubState
 * @property {string} club The club's name.
 * @property {Record<string, any>} tables Each table by its id.
 * @property {{id: number, name: string, version: number}[]} tournaments The latest first.
 * @property {number} records How many games have come in since the club was opened.
 * @property {any[]} [results] Boards that have a result since the last call.
 * @property {boolean} connected Whether the club can hear its tables.
 */

/**
 * Call show(state, changed) now and after every change; `changed` has the ids of tables, null for all of them.
 * @param {(state: ClubState, changed: string[] | null) => void} show
 */
export function follow(show) {
  const net = byId("net");
  let state = null;
  let source = null;
  let quiet = 0;

  function lost() {
    document.body.classList.add("lost");
    setText(net, say("No connection to the club. What you see may be old. Trying again …"));
  }

  function alive() {
    document.body.classList.remove("lost");
    clearTimeout(quiet);
    quiet = setTimeout(begin, QUIET_MS);
  }

  const words = () => (state.connected ? "" : say("The club can't hear its tables now. Trying again …"));

  /** @param {string[] | null} changed */
  function tell(changed) {
    setText(net, words());
    show(state, changed);
  }

  async function begin() {
    source?.close();
    clearTimeout(quiet);
    try {
      state = await getJson("/api/club");
    } catch {
      lost();
      setTimeout(begin, AGAIN_MS);
      return;
    }
    alive();
    tell(null);
    source = new EventSource(`/api/events?after=${encodeURIComponent(state.state)}`);
    source.onmessage = ({ data }) => {
      alive();
      const { tables = {}, ...rest } = JSON.parse(data);
      Object.assign(state.tables, tables);
      state.results = [];
      Object.assign(state, rest);
      if (Object.keys(tables).length || Object.keys(rest).length) tell(Object.keys(tables));
      else setText(net, words());
    };
    source.addEventListener("anew", begin);
    source.onerror = () => {
      lost();
      if (source.readyState === EventSource.CLOSED) setTimeout(begin, AGAIN_MS);
    };
  }

  begin();
}

// Asks for something not more often than every `rest` ms, and always once more after the last wish.
export class Seldom {
  constructor(ask) {
    this.ask = ask;
    this.rest = REST_MS;
    this.last = -this.rest;
    this.timer = 0;
  }

  want() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.last = performance.now();
      this.ask();
    }, Math.max(0, this.last + this.rest - performance.now()));
  }
}
