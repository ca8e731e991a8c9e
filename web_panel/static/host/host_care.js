// The machine's upkeep: warnings, backup and log as files, updates, restart and shutdown. The card fetches its own data.
import { attempt, element, fetched, post, renew } from "../shared/live.js";
import { tell } from "../shared/announce.js";
import { confirmThen } from "../shared/ask.js";
import { section } from "./host_section.js";
import { say } from "../shared/words.js";

const EVERY_MS = 30000;
const WORKS_MS = 1500; // While an update is on its way.

function powerRow() {
  const ask = (id, words, question, what) => element("button", { id, onclick: () => confirmThen(question, () => post("host/power", { what })) }, words);
  return element("div", { class: "row" },
    ask("care-restart", say("Restart the Pi"), say("Restart the Pi? The game is saved and goes on in a minute or two."), "restart"),
    ask("care-shutdown", say("Shut the Pi down"), say("Shut the Pi down? The game is saved. To play again, unplug the Pi and plug it in."), "shutdown"));
}

function updateRow({ version, found, doing, told, good }, look) {
  const send = (path, body) => post(path, body).finally(look);
  const now = () => confirmThen(say("Update to Lodestone {version} now? The table is away for a minute or two. A game is saved and goes on. If the new release does not start, the previous one comes back by itself.", { version: found }),
    () => send("host/update", { confirmed: true }));
  return [
    told && element("p", { class: `notice ${good ? "" : "trouble"}`, id: "update-told" }, told),
    element("p", { class: "hint", id: "update-state" }, doing ?? (found ? say("An update is available: Lodestone {version}.", { version: found }) : say("This is Lodestone {version}.", { version }))),
    doing ? element("progress", { "aria-label": doing })
      : element("div", { class: "row" },
        found ? element("button", { id: "update-now", class: "primary", onclick: now }, say("Update now"))
          : element("button", { id: "update-look", onclick: () => attempt(() => send("host/look-for-update", {})) }, say("Look for an update"))),
  ];
}

function repairNotice() {
  const question = say("Save what is whole of the damaged game? It then goes on from the last action before the damage. The damaged files are kept beside it.");
  return element("div", { class: "notice trouble" },
    element("p", {}, say("The last game is damaged.")),
    element("button", { id: "care-repair", class: "primary", onclick: () => confirmThen(question, () => post("host/repair")) }, say("Save what is whole of it")));
}

function card({ warnings, files, power, update, network, repair }, look) {
  return section("care", say("The machine"),
    repair && repairNotice(),
    warnings.length ? element("ul", { class: "notice trouble", "aria-label": say("What the machine reports") }, ...warnings.map((line) => element("li", {}, line)))
      : element("p", { class: "hint" }, say("Disk, temperature, supply and clock: nothing to report.")),
    files && element("div", { class: "row" },
      element("a", { id: "care-backup", class: "button", href: "/api/host/backup.zip", download: "" }, say("Download a backup")),
      element("a", { id: "care-log", class: "button", href: "/api/host/log.txt", download: "" }, say("Download the log"))),
    network && element("div", { class: "row" }, element("a", { id: "care-network", class: "button", href: "/network" }, say("Choose the Wi-Fi"))),
    files && element("p", { class: "hint" }, say("The backup holds all games. The table's key and the host's link are not in it: lodestone backup on the machine saves them, too.")),
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
      const response = await fetched("/api/host/care");
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
