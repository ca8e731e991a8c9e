// The club's page: all tables live, rounds, standings, and the games that have come in.
import { follow, Seldom } from "./follow.js";
import { headLine, placeOf, roundTable, standingsTable } from "./lists.js";
import { isPlaying, Tables } from "./tables.js";
import { button, selectBox } from "/static/shared/controls.js";
import { byId, element, renew, row, setText } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";
import { listOf, locale, say } from "/static/shared/words.js";

const REST_MS = 2000;
const REST_A_PLAYER_MS = 10;
const PARTS = ["tables", "rounds", "standings", "records"];
const WORDS = { tables: say("Tables"), rounds: say("Rounds"), standings: say("Standings"), records: say("Games") };
const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

const tables = new Tables(byId("tables"));
let state = null;
let chosen = 0; // The tournament,
let view = null; // all of it,
let version = -1;
let shown = 0; // and its round, 0 for the last one.
let records = null;
let part = partOf();

const tournament = new Seldom(async () => {
  if (!chosen) return;
  const found = await getJson(`/api/tournament/${chosen}`).catch(() => null);
  if (!found || found.id !== chosen) return;
  view = found;
  version = view.version;
  // Results come with the events; the whole of a large tournament is not fetched by everybody after each of them.
  tournament.rest = Math.max(REST_MS, view.players.length * REST_A_PLAYER_MS);
  draw(null);
});
const games = new Seldom(async () => {
  records = await getJson("/api/records").catch(() => records);
  drawRecords();
});

function partOf() {
  const wanted = location.hash.slice(1);
  return PARTS.includes(wanted) ? wanted : PARTS[0];
}

function choose(id) {
  chosen = id;
  view = null;
  version = -1;
  shown = 0;
  draw(null);
  tournament.last = 0;
  tournament.want();
}

function draw(changed) {
  if (!state) return;
  const all = Object.values(state.tables);
  setText(byId("counted"), say("{here} tables, games under way: {playing}",
    { here: all.filter((one) => one.here).length, playing: all.filter(isPlaying).length }));
  tables.show(state.tables, changed, (id) => placeOf(view, id), byId("find").value);
  if (changed === null) drawLists();
}

// Enter results of boards that are shown; whether there was one.
function enter(results) {
  let any = false;
  for (const { tournament: id, round, board, ...result } of results) {
    const found = id === chosen ? view?.rounds[round - 1]?.boards[board - 1] : null;
    if (found) any = Boolean(Object.assign(found, result));
  }
  return any;
}

function pick() {
  if (state.tournaments.length < 2) return null;
  return selectBox({ id: "tournament", "aria-label": say("Tournament") },
    state.tournaments.map((one) => [String(one.id), one.name]), String(chosen), (value) => choose(Number(value)));
}

// A row of buttons of which one is pressed; `choices` are [id, value, words].
function choiceRow(label, chosen, choices, choose) {
  return element("div", { class: "row modes", role: "group", "aria-label": label },
    ...choices.map(([id, value, words]) =>
      button({ id, "aria-pressed": value === chosen ? "true" : "false" }, words, () => choose(value))));
}

function drawLists() {
  renew(byId("parts"), [choiceRow(say("Parts of the page"), part,
    PARTS.map((one) => [`to-${one}`, one, WORDS[one]]), (one) => { location.hash = one; })]);
  const none = element("p", { class: "soft", "data-card": "none" }, say("No tournament has begun yet."));
  const top = () => element("div", { "data-card": "top" }, pick(), element("h2", {}, view.name),
    element("p", { class: "soft" }, headLine(view)));
  if (part === "rounds") {
    const which = shown || (view?.rounds.length ?? 0);
    renew(byId("part-rounds"), !view ? [none] : [top(),
      element("div", { "data-card": "which" }, choiceRow(say("Round"), which,
        view.rounds.map((_, at) => [`round-${at + 1}`, at + 1, String(at + 1)]),
        (one) => { shown = one; drawLists(); })),
      element("div", { "data-card": "round" }, which ? roundTable(view, which - 1, state.tables)
        : element("p", { class: "soft" }, say("The first round is not paired yet.")))]);
  }
  if (part === "standings") {
    renew(byId("part-standings"), !view ? [none] : [top(),
      element("div", { "data-card": "standings" }, standingsTable(view)),
      row(element("a", { class: "button", href: `/tournament/${view.id}/standings.csv` }, say("Standings as CSV")),
        element("a", { class: "button", href: `/tournament/${view.id}/records.zip` }, say("All records")))]);
  }
}

function drawRecords() {
  if (part !== "records") return;
  renew(byId("part-records"), [records?.length
    ? element("ul", { "data-card": "records" }, ...records.map((one) => element("li", {},
      element("p", {}, element("a", { href: `/record/${one.digest}.jsonl` }, listOf(one.names)), " – ",
        one.winners.length === 1 ? say("{name} won", { name: one.winners[0] }) : say("a draw")),
      element("p", { class: "soft" }, [one.title, say("{turns} turns", { turns: one.turns }), one.table,
        moment.format(new Date(one.received))].join(" · ")))))
    : element("p", { class: "soft", "data-card": "records" }, say("No game has come in yet."))]);
}

function open() {
  part = partOf();
  for (const one of PARTS) byId(`part-${one}`).hidden = one !== part;
  draw(null);
  drawLists();
  if (part === "records") games.want();
}

addEventListener("hashchange", open);
byId("find").addEventListener("input", () => draw([]));

follow((now, changed) => {
  const before = state?.records;
  state = now;
  if (!chosen && state.tournaments.length) choose(state.tournaments[0].id);
  draw(enter(state.results ?? []) ? null : changed);
  const newest = state.tournaments.find((one) => one.id === chosen)?.version ?? -1;
  if (chosen && newest !== version) tournament.want();
  if (part === "records" && (before !== state.records || changed === null)) games.want();
});
open();
