// All games of this table: look at them again, keep them as a file, take them up again.
import { element, post } from "./live.js";
import { confirmThen, section } from "./host_ask.js";
import { modeWords } from "./lobby_seats.js";
import { runs } from "./host_new.js";
import { listed, locale, say, sayMany } from "./words.js";

const FIRST = 10; // So many are listed before "more" is asked for.

function when(time) {
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  if (Number.isNaN(date.getTime())) return "";
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(date);
}

function stateWords(state) {
  return { over: say("over"), "set aside": say("set aside"), abandoned: say("abandoned"), running: say("running") }[state] ?? state;
}

function line(view, game) {
  const take = () => post("host/take-up", { id: game.id });
  const text = runs(view) ? say("Resume {game}? The running game is set aside.", { game: game.title }) : say("Resume {game}?", { game: game.title });
  return element("li", { "data-game": game.id },
    element("p", {}, element("b", {}, game.title), ", ", modeWords(game.mode), element("span", { class: "marks state" }, stateWords(game.state))),
    element("p", { class: "hint" }, [when(game.started), listed(game.names), game.words].filter(Boolean).join(" · ")),
    element("div", { class: "row" },
      ["set aside", "abandoned"].includes(game.state) && element("button", { id: `take-up-${game.id}`, class: "primary", onclick: () => confirmThen(text, take) }, say("Resume")),
      element("a", { class: "button", href: `/host/replay/${encodeURIComponent(game.id)}` }, say("Replay")),
      game.withheld ? element("p", { class: "hint" }, say("This record tells the order of the stack: it can be downloaded when the game is over."))
        : element("a", { class: "button", href: `/api/host/records/${encodeURIComponent(game.id)}.jsonl`, download: `${game.id}.jsonl` }, say("Download"))));
}

export class Games {
  constructor(changed) {
    this.changed = changed;
    this.all = false;
  }

  card(view, games) {
    if (!games) return null;
    const shown = this.all ? games : games.slice(0, FIRST);
    return section("games", say("Games"),
      games.length ? element("ul", { class: "games" }, ...shown.map((game) => line(view, game))) : element("p", { class: "hint" }, say("None yet.")),
      shown.length < games.length && element("button", { id: "all-games", onclick: () => { this.all = true; this.changed(); } },
        sayMany("One more game", "{count} more games", games.length - shown.length)));
  }
}
