// All games of this table (replay, download, resume), and the machine: its warnings, backup and update.
import { runs } from "./host_new.js";
import { section } from "./host_now.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { tell } from "../shared/announce.js";
import { element, renew } from "../shared/elements.js";
import { attempt, fetchInTime, post } from "../shared/live.js";
import { confirmThen } from "../shared/parts.js";
import { listOf, locale, say, sayMany } from "../shared/words.js";

// The machine's upkeep: warnings, backup and log as files, updates, restart and shutdown. The card fetches its own
// data.

const EVERY_MS = 30000;
const WORKS_MS = 1500; // While an update is on its way.

function powerRow() {
  const ask = (id, words, question, what) => element("button",
    { id, onclick: () => confirmThen(question, () => post("host/power", { what })) }, words);
  return element("div", { class: "row" },
    ask("care-restart", say("Restart the Pi"), say("Restart the Pi? The game is saved and goes on in a minute or two."),
      "restart"),
    ask("care-shutdown", say("Shut the Pi down"),
      say("Shut the Pi down? The game is saved. To play again, unplug the Pi and plug it in."), "shutdown"));
}

function updateRow({ version, found, doing, told, good }, look) {
  const send = (path, body) => post(path, body).finally(look);
  const now = () => confirmThen(say("Update to Lodestone {version} now? The table is away for a minute or two. A game is saved and goes on. If the new release does not start, the previous one comes back by itself.", { version: found }),
    () => send("host/update", { confirmed: true }));
  return [
    told && element("p", { class: `notice ${good ? "" : "trouble"}`, id: "update-told" }, told),
    element("p", { class: "hint", id: "update-state" },
      doing ?? (found ? say("An update is available: Lodestone {version}.", { version: found })
        : say("This is Lodestone {version}.", { version }))),
    doing ? element("progress", { "aria-label": doing })
      : element("div", { class: "row" },
        found ? element("button", { id: "update-now", class: "primary", onclick: now }, say("Update now"))
          : element("button", { id: "update-look", onclick: () => attempt(() => send("host/look-for-update", {})) },
            say("Look for an update"))),
  ];
}

function repairNotice() {
  const question = say(
    "Save what is whole of the damaged game? It then goes on from the last action before the damage. The damaged files are kept beside it.");
  return element("div", { class: "notice trouble" },
    element("p", {}, say("The last game is damaged.")),
    element("button", { id: "care-repair", class: "primary",
      onclick: () => confirmThen(question, () => post("host/repair")) }, say("Save what is whole of it")));
}

function card({ warnings, files, power, update, network, repair }, look) {
  return section("care", say("The machine"),
    repair && repairNotice(),
    warnings.length ? element("ul", { class: "notice trouble", "aria-label": say("What the machine reports") },
      ...warnings.map((line) => element("li", {}, line)))
      : element("p", { class: "hint" }, say("Disk, temperature, supply and clock: nothing to report.")),
    files && element("div", { class: "row" },
      element("a", { id: "care-backup", class: "button", href: "/api/host/backup.zip", download: "" },
        say("Download a backup")),
      element("a", { id: "care-log", class: "button", href: "/api/host/log.txt", download: "" },
        say("Download the log"))),
    network && element("div", { class: "row" }, element("a", { id: "care-network", class: "button", href: "/network" },
      say("Choose the Wi-Fi"))),
    files && element("p", { class: "hint" },
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
    try {
      const response = await fetchInTime("/api/host/care");
      if (response.ok) show(await response.json());
    } catch {
      // The stream already reports that the table does not answer.
    }
  }
  function show(care) {
    const doing = care.update?.doing ?? "";
    if (doing !== heard) tell(doing || care.update?.told || "");
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
  const resume = () => (runs(view) ? confirmThen(say("Resume {game}? The running game is set aside.",
    { game: game.title }), take) : attempt(take));
  return element("li", { "data-game": game.id },
    element("p", {}, element("b", {}, game.title), ", ", modeWords(game.mode),
      element("span", { class: "marks state" }, stateWords(game.state))),
    element("p", { class: "hint" }, [when(game.started), listOf(game.names), game.words].filter(Boolean).join(" · ")),
    element("div", { class: "row" },
      ["set aside", "abandoned"].includes(game.state)
        && element("button", { id: `take-up-${game.id}`, onclick: resume }, say("Resume")),
      element("a", { class: "button", href: `/host/replay/${encodeURIComponent(game.id)}` }, say("Replay")),
      game.withheld ? element("p", { class: "hint" },
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
    this.told = new Map(); // Id → the game, and the number of games before it.
    this.pages = 0;
    this.playing = "";
  }

  note({ first, in_all: all, games }) {
    games.forEach((game, at) => this.told.set(game.id, { game, before: all - first - at }));
  }

  async fetch(page) {
    const response = await fetchInTime(`/api/host/games/${page * PAGE}`);
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
      shown.length ? element("ul", { class: "games" }, ...shown.map(({ game }) => line(view, game, this.taken)))
        : element("p", { class: "hint" }, say("None yet.")),
      left > 0 && element("button", { id: "more-games", onclick: () => attempt(() => this.more()) },
        sayMany("One more game", "{count} more games", left)));
  }
}
