// Rounds and standings of a tournament as tables.
import { element } from "/static/shared/elements.js";
import { locale, say, sayIn } from "/static/shared/words.js";

const HALF = { 0: "0", 1: "½", 2: "1" };
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

export const namesOf = (view) => Object.fromEntries(view.players.map((one) => [one.number, one.name]));

// The result of a board in short; `won` without a game has signs of its own.
export function resultWords({ points, how }) {
  if (!points) return "–";
  if (how === "forfeit") return points.map((one) => (one ? "+" : "–")).join(" : ");
  return points.map((one) => HALF[one]).join(" : ");
}

export const systemWords = (view) => (view.system === "swiss" ? say("Swiss system") : say("Round robin"));

export function headLine(view) {
  const rounds = say("{done} of {planned} rounds", { done: view.rounds.length, planned: view.planned || "–" });
  const ended = view.over ? say("finished") : rounds;
  const state = view.ended ? say("ended by the arbiter") : ended;
  return [view.title, systemWords(view), state].join(" · ");
}

const head = (...cells) => element("thead", {}, element("tr", {}, ...cells));
const th = (words, looks = "") => element("th", { scope: "col", class: looks }, words);
const td = (looks, ...content) => element("td", { class: looks }, ...content);

/**
 * One round; `more` gives further cells of a board.
 * @param {any} view The tournament.
 * @param {number} which The round, from 0.
 * @param {Record<string, any>} tables The club's tables.
 * @param {((board: any, place: number) => any[]) | null} more
 */
export function roundTable(view, which, tables, more = null) {
  const names = namesOf(view);
  const { boards, bye, resting } = view.rounds[which];
  const rows = boards.map((board, at) => element("tr", { id: `board-${which + 1}-${at + 1}` },
    td("num", String(at + 1)), td("", names[board.first]),
    td("middle", board.record && !more
      ? element("a", { href: `/record/${board.record}.jsonl`, title: say("Download the record") }, resultWords(board))
      : resultWords(board)),
    td("", names[board.second]),
    more ? td("acts", ...more(board, at + 1)) : td("spare soft", tables[board.table]?.name ?? "")));
  for (const one of resting) {
    rows.push(element("tr", {}, td("num", ""), td("", names[one]), td("middle", HALF[1]),
      td("soft", say("rests")), td("spare", "")));
  }
  if (bye) {
    rows.push(element("tr", {}, td("num", ""), td("", names[bye]), td("middle", "1"),
      td("soft", say("has no opponent")), td("spare", "")));
  }
  return element("table", { class: "boards" },
    element("caption", {}, say("Round {round}", { round: which + 1 })),
    head(th(say("Board"), "num"), th(say("First seat")), th(say("Result"), "middle"), th(say("Second seat")),
      th(say("Table"), more ? "acts" : "spare")),
    element("tbody", {}, ...rows));
}

function standingsWords({ rounds }) {
  const round = rounds.length;
  if (!round) return say("Standings");
  return rounds.at(-1).boards.every((board) => board.points) ? say("Standings after round {round}", { round })
    : say("Standings in round {round}", { round });
}

export function standingsTable(view) {
  const names = namesOf(view);
  const gone = new Set(view.players.filter((one) => one.withdrawn).map((one) => one.number));
  return element("table", {},
    element("caption", {}, standingsWords(view)),
    head(th(sayIn("rank", "Place"), "num"), th(say("Name")), th(say("Points"), "num"),
      th(element("abbr", { title: say("Sum of the opponents' points") }, say("Buchholz")), "num"),
      th(element("abbr", { title: say("Points of the opponents that were beaten, and half of those of draws") },
        say("Sonneborn-Berger")), "num spare"),
      th(say("Won"), "num spare"), th(say("Played"), "num spare"),
      th(element("abbr", { title: say("Glicko-2; the number after ± shows how certain it is") }, say("Rating")),
        "num")),
    element("tbody", {}, ...view.standings.map((line) => element("tr", {},
      td("num", String(line.place)),
      element("th", { scope: "row" }, names[line.player], gone.has(line.player) ? ` (${say("withdrawn")})` : ""),
      td("num", number.format(line.points)), td("num", number.format(line.buchholz)),
      td("num spare", number.format(line.sonneborn)), td("num spare", String(line.wins)),
      td("num spare", String(line.played)), td("num", `${line.rating} ± ${line.within}`)))));
}

// Where a table plays in the last round of a tournament, in words; empty if it does not.
export function placeOf(view, id) {
  const boards = (view?.ended ? null : view?.rounds.at(-1)?.boards) ?? [];
  const at = boards.findIndex((board) => board.table === id && !board.points);
  return at < 0 ? "" : say("Board {board}", { board: at + 1 });
}
