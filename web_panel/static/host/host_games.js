// All games of this table (replay, download, resume), and the machine: its warnings, backup and update.
import { isPlaying } from "./host_now.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { tell } from "../shared/announce.js";
import { askButton, button, confirmThen } from "../shared/controls.js";
import { element, hintLine, renew, row } from "../shared/elements.js";
import { attempt, getJson, post } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { listOf, locale, say, sayMany } from "../shared/words.js";

// The machine's upkeep: warnings, backup and log as files, updates, restart and shutdown. The card fetches its own
// data.

const EVERY_MS = 30000;
const WORKS_MS = 1500; // While an update is on its way.

function powerRow() {
  const ask = (id, words, question, what) => askButton({ id }, words, question, () => post("host/power", { what }));
  return row(
    ask("care-restart", say("Restart the Pi"), say("Restart the Pi? The game is saved and goes on in a minute or two."),
      "restart"),
    ask("care-shutdown", say("Shut the Pi down"),
      say("Shut the Pi down? The game is saved. To play again, unplug the Pi and plug it in."), "shutdown"));
}

function updateRow({ version, found, doing, message, good }, look) {
  const send = (path, body) => post(path, body).finally(look);
  const question = say("Update to Lodestone {version} now? The table is away for a minute or two. A game is saved and goes on. If the new release does not start, the previous one comes back by itself.", { version: found });
  const step = found
    ? askButton({ id: "update-now", class: "primary" }, say("Update now"), question,
      () => send("host/update", { confirmed: true }))
    : button({ id: "update-look" }, say("Look for an update"), () => send("host/look-for-update", {}));
  return [
    message && element("p", { class: `notice ${good ? "" : "trouble"}`, id: "update-message" }, message),
    element("p", { class: "hint", id: "update-state" },
      doing ?? (found ? say("An update is available: Lodestone {version}.", { version: found })
        : say("This is Lodestone {version}.", { version }))),
    doing ? element("progress", { "aria-label": doing }) : row(step),
  ];
}

function repairNotice(look) {
  return element("div", { class: "notice trouble" },
    element("p", {}, say("The last game is damaged.")),
    askButton({ id: "care-repair", class: "primary" }, say("Save the undamaged part"),
      say("Save the undamaged part of the game? It then goes on from the last action before the damage. The damaged files are kept beside it."),
      () => post("host/repair").then(look)));
}

function card({ warnings, files, power, update, network, repair }, look) {
  const link = (id, href, words, more) => element("a", { id, class: "button", href, ...more }, words);
  const file = { download: "" };
  return section("care", say("The machine"),
    repair && repairNotice(look),
    warnings.length ? element("ul", { class: "notice trouble", "aria-label": say("What the machine reports") },
      ...warnings.map((line) => element("li", {}, line)))
      : hintLine(say("Disk, temperature, supply and clock: nothing to report.")),
    files && row(link("care-backup", "/api/host/backup.zip", say("Download a backup"), file),
      link("care-log", "/api/host/log.txt", say("Download the log"), file)),
    network && row(link("care-network", "/network", say("Choose the Wi-Fi"))),
    files && hintLine(
      say("The backup holds all games. The table's key and the host's link are not in it: lodestone backup on the machine saves them, too.")),
    ...(update ? updateRow(update, look) : []),
    power && powerRow());
}

// Keep the card in a box up to date while it is visible; allowed() tells whether this phone is the host's.
export function keepCare(box, allowed) {
  let heard = "";
  let next = 0;
  async function look() {
    clearTimeout(next);
    next = setTimeout(look, heard ? WORKS_MS : EVERY_MS);
    if (document.hidden || !allowed() || box.closest("[hidden]")) return;
    await getJson("/api/host/care").then(show, () => {}); // The stream reports that the table does not answer.
  }
  function show(care) {
    const doing = care.update?.doing ?? "";
    if (doing !== heard) tell(doing || care.update?.message || "");
    heard = doing;
    renew(box, [card(care, look)]);
    clearTimeout(next);
    next = setTimeout(look, heard ? WORKS_MS : EVERY_MS);
  }
  next = setTimeout(look, EVERY_MS);
  return look;
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
