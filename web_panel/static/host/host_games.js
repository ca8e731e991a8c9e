// All games of this table: replay, download, resume; and what is whole of a damaged one.
import { isPlaying } from "./host_now.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { askButton, button, confirmThen } from "../shared/controls.js";
import { element, hintLine, row } from "../shared/elements.js";
import { attempt, getJson, post } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { listOf, locale, say, sayMany } from "../shared/words.js";

// The last game is damaged: what is whole of it can be saved.
export function damagedCard(known, look) {
  return known?.repair && section("damaged", say("The last game is damaged."),
    row(askButton({ id: "repair", class: "primary" }, say("Save the undamaged part"),
      say("Save the undamaged part of the game? It then goes on from the last action before the damage. The damaged files are kept beside it."),
      () => post("host/repair").finally(look))));
}

const PAGE = 50; // Games in one answer of the table.

function when(time) {
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  if (Number.isNaN(date.getTime())) return "";
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(date);
}

function stateWords(state) {
  return { over: say("over"), "set aside": say("set aside"), abandoned: say("abandoned"),
    running: say("running") }[state] ?? state;
}

function line(view, game, taken) {
  const take = () => post("host/take-up", { id: game.id }).then(taken);
  const question = say("Resume {game}? The running game is set aside.", { game: game.title });
  return element("li", { "data-game": game.id },
    element("p", {}, element("b", {}, game.title), ", ", modeWords(game.mode),
      element("span", { class: "marks state" }, stateWords(game.state))),
    hintLine([when(game.started), listOf(game.names), game.words].filter(Boolean).join(" · ")),
    row(["set aside", "abandoned"].includes(game.state) && button({ id: `take-up-${game.id}` }, say("Resume"),
      () => (isPlaying(view) ? confirmThen(question, take) : take())),
      element("a", { class: "button", href: `/host/replay/${encodeURIComponent(game.id)}` }, say("Replay")),
      game.withheld ? hintLine(
        say("This record tells the order of the stack: it can be downloaded when the game is over."))
        : element("a", { class: "button", href: `/api/host/records/${encodeURIComponent(game.id)}.jsonl`,
          download: `${game.id}.jsonl` }, say("Download"))));
}

// The newest games come with every state; older ones are fetched a page at a time, and again when the game changes.
export class Games {
  // taken() is called when an earlier game has been resumed.
  constructor(changed, taken) {
    this.changed = changed;
    this.taken = taken;
    this.shown = new Map(); // Id → the game, and the number of games before it.
    this.pages = 0;
    this.playing = "";
  }

  note({ first, in_all: all, games }) {
    games.forEach((game, at) => this.shown.set(game.id, { game, before: all - first - at }));
  }

  async fetch(page) {
    this.note(await getJson(`/api/host/games/${page * PAGE}`));
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
    const shown = [...this.shown.values()].sort((one, other) => other.before - one.before);
    const left = known.games_in_all - shown.length;
    return section("games", say("Earlier games"),
      shown.length ? element("ul", { class: "games" }, ...shown.map(({ game }) => line(view, game, this.taken)))
        : hintLine(say("None yet.")),
      left > 0 && button({ id: "more-games" }, sayMany("One more game", "{count} more games", left),
        () => this.more()));
  }
}
