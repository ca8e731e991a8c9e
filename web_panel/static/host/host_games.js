// All games of this table: replay, download, resume.
import { attempt, element, fetched, post } from "../shared/live.js";
import { confirmThen } from "../shared/ask.js";
import { section } from "./host_section.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { runs } from "./host_new.js";
import { listed, locale, say, sayMany } from "../shared/words.js";

const PAGE = 50; // Games in one answer of the table.

function when(time) {
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  if (Number.isNaN(date.getTime())) return "";
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(date);
}

function stateWords(state) {
  return { over: say("over"), "set aside": say("set aside"), abandoned: say("abandoned"), running: say("running") }[state] ?? state;
}

function line(view, game, taken) {
  const take = () => post("host/take-up", { id: game.id }).then(taken);
  const resume = () => (runs(view) ? confirmThen(say("Resume {game}? The running game is set aside.", { game: game.title }), take) : attempt(take));
  return element("li", { "data-game": game.id },
    element("p", {}, element("b", {}, game.title), ", ", modeWords(game.mode), element("span", { class: "marks state" }, stateWords(game.state))),
    element("p", { class: "hint" }, [when(game.started), listed(game.names), game.words].filter(Boolean).join(" · ")),
    element("div", { class: "row" },
      ["set aside", "abandoned"].includes(game.state) && element("button", { id: `take-up-${game.id}`, onclick: resume }, say("Resume")),
      element("a", { class: "button", href: `/host/replay/${encodeURIComponent(game.id)}` }, say("Replay")),
      game.withheld ? element("p", { class: "hint" }, say("This record tells the order of the stack: it can be downloaded when the game is over."))
        : element("a", { class: "button", href: `/api/host/records/${encodeURIComponent(game.id)}.jsonl`, download: `${game.id}.jsonl` }, say("Download"))));
}

// The newest games come with every state; older ones are fetched a page at a time, and again when the game changes.
export class Games {
  // taken() is called when an earlier game has been resumed.
  constructor(changed, taken) {
    this.changed = changed;
    this.taken = taken;
    this.told = new Map(); // Id → the game, and the number of games before it.
    this.pages = 0;
    this.playing = "";
  }

  note({ first, in_all: all, games }) {
    games.forEach((game, at) => this.told.set(game.id, { game, before: all - first - at }));
  }

  async fetch(page) {
    const response = await fetched(`/api/host/games/${page * PAGE}`);
    if (!response.ok) throw new Error(say("refused ({status})", { status: response.status }));
    this.note(await response.json());
  }

  async more() {
    await this.fetch(this.pages);
    this.pages += 1;
    this.changed();
  }

  async again() {
    for (let page = 0; page < this.pages; page += 1) await this.fetch(page);
    this.changed();
  }

  card(view, known) {
    if (!known) return null;
    const playing = `${view.game.id} ${view.phase === "over"}`;
    if (playing !== this.playing && this.pages) attempt(() => this.again());
    this.playing = playing;
    this.note({ first: 0, in_all: known.games_in_all, games: known.games });
    const shown = [...this.told.values()].sort((one, other) => other.before - one.before);
    const left = known.games_in_all - shown.length;
    return section("games", say("Earlier games"),
      shown.length ? element("ul", { class: "games" }, ...shown.map(({ game }) => line(view, game, this.taken))) : element("p", { class: "hint" }, say("None yet.")),
      left > 0 && element("button", { id: "more-games", onclick: () => attempt(() => this.more()) }, sayMany("One more game", "{count} more games", left)));
  }
}
