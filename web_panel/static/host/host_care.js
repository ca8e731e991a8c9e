// The machine's upkeep: warnings, backup and log as files, restart and shutdown. The card fetches its own data.
import { element, post, renew } from "../shared/live.js";
import { confirmThen } from "../shared/ask.js";
import { section } from "./host_section.js";
import { say } from "../shared/words.js";

const EVERY_MS = 30000;
const ANSWER_MS = 15000;

function powerRow() {
  const ask = (id, words, question, what) => element("button", { id, onclick: () => confirmThen(question, () => post("host/power", { what })) }, words);
  return element("div", { class: "row" },
    ask("care-restart", say("Restart the Pi"), say("Restart the Pi? The game is saved and goes on in a minute or two."), "restart"),
    ask("care-shutdown", say("Shut the Pi down"), say("Shut the Pi down? The game is saved. To play again, unplug the Pi and plug it in."), "shutdown"));
}

function card({ warnings, files, power }) {
  return section("care", say("The machine"),
    warnings.length ? element("ul", { class: "notice trouble", "aria-label": say("What the machine reports") }, ...warnings.map((line) => element("li", {}, line)))
      : element("p", { class: "hint" }, say("Disk, temperature, supply and clock: nothing to report.")),
    files && element("div", { class: "row" },
      element("a", { id: "care-backup", class: "button", href: "/api/host/backup.zip", download: "" }, say("Download a backup")),
      element("a", { id: "care-log", class: "button", href: "/api/host/log.txt", download: "" }, say("Download the log"))),
    files && element("p", { class: "hint" }, say("The backup holds all games. The table's key and the host's link are not in it: lodestone backup on the machine saves them, too.")),
    power && powerRow());
}

// Keep the card in a box up to date while it is visible; allowed() tells whether this phone is the host's.
export function keepCare(box, allowed) {
  async function look() {
    if (document.hidden || !allowed() || box.closest("[hidden]")) return;
    try {
      const response = await fetch("/api/host/care", { signal: AbortSignal.timeout?.(ANSWER_MS) });
      if (response.ok) renew(box, [card(await response.json())]);
    } catch {
      // The stream already reports that the table does not answer.
    }
  }
  setInterval(look, EVERY_MS);
  return look;
}
