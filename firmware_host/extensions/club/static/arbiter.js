// The arbiter's page: tournaments, players, pairing, boards, forfeits, corrections, undo.
import { follow, Seldom } from "./follow.js";
import { headLine, namesOf, roundTable } from "./lists.js";
import { askButton, button, confirmThen, folded, form, onSubmit, selectBox, tickBox } from "/static/shared/controls.js";
import { byId, element, hintLine, renew, renewKeepingText, row } from "/static/shared/elements.js";
import { explain, getJson, post } from "/static/shared/live.js";
import { requireCookies } from "/static/shared/storage.js";
import { say } from "/static/shared/words.js";

let state = null;
let known = null; // The answer of /api/arbiter.
let chosen = 0;
let view = null;
let shown = 0; // The round whose boards are shown, 0 for the last one.
let records = []; // The latest first.
const wish = { game: "", mode: "", rules: new Set(), system: "swiss", form: formName() };
// Why a record does not count by itself.
const REMARKS = {
  computer: say("a computer took part"),
  changed: say("somebody took over a seat"),
  given: say("it began in a position that was set up"),
  "played-on": say("its end was taken back"),
};

const look = new Seldom(async () => {
  known = await getJson("/api/arbiter").catch(() => known);
  if (known?.arbiter && chosen) {
    view = await getJson(`/api/tournament/${chosen}`).catch(() => view);
    records = await getJson("/api/records").catch(() => []);
  }
  draw();
});

// Do what an arbiter may; then look at once.
async function act(what, fields) {
  await post(`arbiter/${what}`, fields);
  explain(null);
  look.last = 0;
  look.want();
}

// Names a filled-in form, so that it begins one tournament however often it is sent.
function formName() {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

// Pair the next round; who has to meet again for that does so if the arbiter agrees, to just what the page shows.
async function pair(tournament, agreed = 0) {
  const { version } = view;
  await act("pair", { tournament, agreed }).catch((error) => {
    if (error.code !== "not_agreed") throw error;
    confirmThen(error.message, () => pair(tournament, version));
  });
}

// A card that looks the same is not drawn anew (renew): that of another tournament, which does other things, never does.
const card = (key, heading, ...content) => element("section",
  { class: "card", "data-card": key, "data-tournament": view?.id }, element("h2", {}, heading), ...content);

function draw() {
  byId("enter").hidden = !known || known.arbiter;
  byId("page").hidden = !known?.arbiter;
  if (!known?.arbiter || !state) return;
  renew(byId("choice"), state.tournaments.length > 1 ? [element("div", { "data-card": "choice" },
    selectBox({ id: "tournament", "aria-label": say("Tournament") },
      state.tournaments.map((one) => [String(one.id), one.name]), String(chosen), (id) => choose(Number(id))))] : []);
  renew(byId("now"), view ? [nowCard()] : []);
  renew(byId("boards"), view?.rounds.length ? [boardsCard()] : []);
  renewKeepingText(byId("players"), view ? [playersCard()] : []);
  renewKeepingText(byId("new"), [newCard()]);
  renew(byId("club"), [clubCard()]);
}

// Until the answer is there, the tournament before is shown, and what is done concerns that one.
function choose(id) {
  chosen = id;
  shown = 0;
  look.last = 0;
  look.want();
}

function nowCard() {
  const tournament = view.id;
  const undo = known.tournaments.find((one) => one.id === view.id)?.undo;
  const round = view.rounds.at(-1);
  const open = view.ended ? 0 : round?.boards.filter((board) => !board.points).length ?? 0;
  const next = view.rounds.length + 1;
  return card("now", view.name, element("p", { class: "soft" }, headLine(view)),
    open ? element("p", {}, say("Open boards: {count}. Results come from the tables by themselves.", { count: open }))
      : null,
    row(
      view.over || open ? null : button({ id: "pair", class: "primary" }, say("Pair round {round}", { round: next }),
        () => pair(tournament)),
      open ? button({ id: "assign-free" }, say("Assign free tables"), () => act("assign-free", { tournament })) : null,
      undo ? askButton({ id: "undo", "data-act": undo.act }, say("Undo"), say("Undo this: {act}?", { act: undo.words }),
        () => act("undo", { tournament, act: undo.act })) : null,
      view.over ? null : askButton({ id: "end" }, say("End the tournament"),
        say("End {name}? Its open boards take no results any more, and its tables are free.", { name: view.name }),
        () => act("end", { tournament }))),
    undo ? hintLine(say("Last: {act}", { act: undo.words })) : null);
}

function boardsCard() {
  const last = view.rounds.length;
  const round = shown && shown < last ? shown : last; // Rounds may be undone.
  const here = Object.values(state.tables).filter((one) => one.here)
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  const names = namesOf(view);
  const acts = (board, place) => {
    const which = { tournament: view.id, round, board: place };
    return board.points ? finishedActs(which, board, names, round === last) : openActs(which, board, names, here);
  };
  const rounds = view.rounds.map((_, at) => [String(at + 1), say("Round {round}", { round: at + 1 })]);
  return card("boards", say("Boards"),
    last > 1 ? row(selectBox({ id: "round", "aria-label": say("Round") }, rounds, String(round), (value) => {
      shown = Number(value) % last; // The last one stays the last when another is paired.
      draw();
    })) : null,
    roundTable(view, round - 1, state.tables, acts));
}

// What may be done with a board that has a result; in the last round it can be struck.
function finishedActs(which, board, names, isLast) {
  const why = isLast && {
    record: say("Strike this result? The record stays in the archive and does not count again."),
    typed: say("Strike this result? It was typed in."),
  }[board.how];
  const first = { name: names[board.first] };
  const second = { name: names[board.second] };
  const place = which.board;
  const question = say("Correct the result of board {board}? Paired rounds stay; standings and ratings follow.",
    { board: place });
  return [
    selectBox({ "aria-label": say("Correct the result of board {board}", { board: place }), id: `correct-${place}` },
      [["", say("correct …")], ["typed first", say("{name} wins", first)], ["typed draw", say("draw")],
        ["typed second", say("{name} wins", second)], ["forfeit first", say("{name} wins without a game", first)],
        ["forfeit second", say("{name} wins without a game", second)], ["forfeit none", say("both lose")],
        ...recordChoices(names[board.first], board.record).map(([value, words]) => [`record ${value}`, words])], "",
      (value) => {
        const [how, what, seat] = value.split(" ");
        const fields = how === "record" ? { record: what, seat: Number(seat) } : { winner: what };
        if (how) confirmThen(question, () => act("correct", { ...which, how, ...fields }));
      }),
    why ? askButton({}, say("Strike"), why, () => act("strike", which)) : null,
  ];
}

function openActs(which, board, names, here) {
  const place = which.board;
  const away = board.table && !here.some((one) => one.id === board.table) ? [state.tables[board.table]] : [];
  const tables = [...away, ...here];
  const question = say("Enter a result without a game? It counts points, but not for ratings.");
  const forfeit = (winner) => confirmThen(question, () => act("forfeit", { ...which, winner }));
  const typed = say("Type in the result of a game that no table has recorded? It counts for ratings, too.");
  const result = (winner) => confirmThen(typed, () => act("result", { ...which, winner }));
  return [
    view.ended ? null : selectBox({ "aria-label": say("Table of board {board}", { board: place }),
      id: `table-of-${place}` },
    [["", say("any table")], ...tables.filter(Boolean).map((one) => [one.id, one.name])], board.table,
    (table) => act("assign", { ...which, table })),
    selectBox({ "aria-label": say("Result of board {board} without a game", { board: place }),
      id: `forfeit-${place}` },
    [["", say("no game …")], ["first", say("{name} wins", { name: names[board.first] })],
      ["second", say("{name} wins", { name: names[board.second] })], ["none", say("both lose")]], "",
    (winner) => winner && forfeit(winner)),
    selectBox({ "aria-label": say("Result of board {board} by hand", { board: place }), id: `result-${place}` },
      [["", say("result …")], ["first", say("{name} wins", { name: names[board.first] })], ["draw", say("draw")],
        ["second", say("{name} wins", { name: names[board.second] })]], "",
      (winner) => winner && result(winner)),
    recordBox(which, names[board.first]),
  ];
}

// The records that could be a board's as values and words: who sat where says whose points are whose.
function recordChoices(first, own = "") {
  const fitting = records.filter((one) => (!one.used || one.digest === own) && one.title === view.title
    && one.names.length === 2).slice(0, 20);
  return fitting.flatMap((one) => one.names.map((name, at) => [`${one.digest} ${one.seats[at]}`,
    [say("{name} played as {seat} ({players})", { name: first, seat: name, players: one.names.join(" – ") }),
      ...one.remarks.map((remark) => REMARKS[remark])].join(" · ")]));
}

function recordBox(which, first) {
  const options = recordChoices(first);
  if (!options.length) return null;
  const place = which.board;
  const question = say("Let this record count for board {board}?", { board: place });
  return selectBox({ "aria-label": say("Record of board {board}", { board: place }), id: `record-${place}` },
    [["", say("record …")], ...options], "", (value) => {
      const [record, seat] = value.split(" ");
      if (record) confirmThen(question, () => act("record", { ...which, record, seat: Number(seat) }));
    });
}

function playersCard() {
  const closed = view.ended || (view.system !== "swiss" && view.rounds.length);
  const field = element("textarea", { id: "names", rows: 4, autocapitalize: "words", spellcheck: "false" });
  return card("players", say("Players: {count}", { count: view.players.length }),
    closed ? null : form({}, async () => {
      const now = byId("names");
      await act("players", { tournament: view.id, names: now.value });
      now.value = "";
    }, element("label", { for: "names" }, say("Names, one on each line, as players type them at the table")), field,
    row(element("button", { id: "add-players" }, say("Enter players")))),
    folded("players", say("All players"), element("table", {}, element("tbody", {}, ...view.players.map((one) =>
      element("tr", {}, element("td", { class: "num" }, String(one.number)), element("td", {}, one.name),
        element("td", { class: "num" }, String(one.rating)),
        element("td", { class: "acts" }, view.system !== "swiss" || view.over || one.withdrawn ? null : one.rests
          ? hintLine(say("rests")) : askButton({ id: `rest-${one.number}` }, say("Rests once"),
            say("Pair the next round without {name}, who gets half a point for it?", { name: one.name }),
            () => act("rest", { tournament: view.id, player: one.number })), one.withdrawn
          ? button({}, say("Plays again"), () => act("return", { tournament: view.id, player: one.number }))
          : button({}, say("Withdraws"), () => act("withdraw", { tournament: view.id, player: one.number })))))))));
}

function newCard() {
  const game = known.games.find((one) => one.name === wish.game) ?? known.games[0];
  wish.game = game.name;
  if (!game.modes.includes(wish.mode)) wish.mode = game.modes[0];
  const swiss = wish.system === "swiss";
  const label = (words, field) => element("label", {}, words, field);
  const box = element("details", { "data-key": "new", open: !known.tournaments.length },
    element("summary", {}, say("New tournament")),
    form({}, async () => {
      const before = chosen;
      chosen = 0; // The new one is shown as soon as the stream names it.
      await act("create", {
        name: byId("new-name").value, game: wish.game, mode: wish.mode, rules: [...wish.rules], system: wish.system,
        rounds: swiss ? Number(byId("new-rounds").value) : 0, form: wish.form,
      }).catch((error) => {
        chosen = before;
        throw error;
      });
      wish.form = formName();
      const name = byId("new-name");
      name.value = "";
      name.closest("details").open = false; // It is done: what comes next stands above.
    },
    element("div", { class: "fields" },
      label(say("Name"), element("input", { id: "new-name", maxlength: 24, required: true, autocomplete: "off" })),
      label(say("Game"), selectBox({ id: "new-game" }, known.games.map((one) => [one.name, one.title]), wish.game,
        (name) => { wish.game = name; wish.rules.clear(); draw(); })),
      game.modes.length > 1 ? label(say("Mode"), selectBox({ id: "new-mode" }, game.modes.map((one) => [one, one]),
        wish.mode, (mode) => { wish.mode = mode; })) : null,
      label(say("System"), selectBox({ id: "new-system" },
        [["swiss", say("Swiss system")], ["round-robin", say("Round robin")]], wish.system,
        (system) => { wish.system = system; draw(); })),
      swiss ? label(say("Number of rounds"),
        element("input", { id: "new-rounds", type: "number", min: 1, max: 60, value: 5, required: true })) : null),
    ...Object.entries(game.options).map(([name, words]) => tickBox(`rule-${name}`, words, wish.rules.has(name),
      (on) => { wish.rules[on ? "add" : "delete"](name); })),
    row(element("button", { id: "create" }, say("Begin the tournament")))));
  return element("section", { class: "card", "data-card": "new" }, box);
}

function clubCard() {
  return card("club", say("The club"),
    element("p", {}, known.connected ? say("The broker is connected.") : say("The broker is not connected yet.")),
    folded("invitation", say("Invitation for tables"),
      hintLine(say("Whoever has it can announce a table and send records. A table joins by its option --club.")),
      element("p", {}, element("code", { id: "invitation" }, known.invitation))));
}

async function enter(token) {
  requireCookies();
  await post("arbiter/enter", { token });
  explain(null);
  look.last = 0;
  look.want();
}

onSubmit(byId("token-form"), () => enter(byId("token").value));
if (location.hash.length > 1) {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  enter(token).catch((error) => explain(error.message));
} else look.want();

let seen = "";
follow((now) => {
  state = now;
  const [newest] = state.tournaments;
  if (newest && !state.tournaments.some((one) => one.id === chosen)) choose(newest.id);
  // Tables move all the time; the page is only drawn anew for what it shows.
  const tables = Object.values(state.tables).map((one) => [one.id, one.name, one.here]);
  const key = JSON.stringify([state.tournaments, tables]);
  if (key === seen) return;
  seen = key;
  look.want();
});
