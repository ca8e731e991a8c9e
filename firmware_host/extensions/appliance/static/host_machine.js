// The machine on the host's page: its warnings, backup and log as files, updates, its Wi-Fi, restart and shutdown.
import { ownName } from "./wifi_code.js";
import { add } from "/static/shared/added.js";
import { answers } from "/static/host/host_now.js";
import { tell } from "/static/shared/announce.js";
import { askButton, button, confirmThen } from "/static/shared/controls.js";
import { byId, element, hintLine, renew, row } from "/static/shared/elements.js";
import { lineSwitch, list } from "/static/shared/frame.js";
import { getJson, post } from "/static/shared/live.js";
import { section } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

// A guest of the table's own Wi-Fi wishes a network for the table.
function networkCard(wish) {
  if (!wish) return null;
  const { code, name, hidden, open } = wish;
  return section("network-ask", say("A phone wants the table to join the Wi-Fi {name}", { name }),
    element("p", {}, say("Does the phone that asks show this code?")),
    element("p", { class: "ask-code" }, code),
    open && element("p", { class: "notice" },
      say("It has no password: the table joins any network of this name, whoever has opened it.")),
    hidden && !open && element("p", { class: "notice" },
      say("It is hidden: the table calls for it by its name wherever it is.")),
    answers((what) => `network-${what}`, "network", code),
    hintLine(say("If you allow it, the table leaves its own Wi-Fi and joins this one by itself from now on. All phones have to join {name}, too.", { name })));
}

add("host-ask", (now) => networkCard(now().known?.network));

add("host-card", (now) => {
  const { known, look } = now();
  const wifi = known?.wifi;
  const switched = (on) => confirmThen(on
    ? say("Open the table's own Wi-Fi? All phones have to join it: its code stands beside those of the seats.")
    : say("Leave the table's own Wi-Fi for a network that the table knows? All phones have to join that one."),
  () => post("network/hotspot", { on }).finally(look));
  return wifi && list("own-network", lineSwitch("own-wifi", "phone", say("Play in the table's own Wi-Fi"),
    Boolean(ownName(wifi)), switched, { about: ownName(wifi) ?? "" }));
});

// -- its card, which fetches its own data while it can be seen --------------------------------------------------------

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

function card({ warnings, files, power, update, network }, look) {
  const link = (id, href, words, more) => element("a", { id, class: "button", href, ...more }, words);
  const file = { download: "" };
  return section("care", say("The machine"),
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

const box = element("div", { id: "care", "data-card": "care" });
let heard = "";
let next = 0;
let seen = false; // Whether it could be seen at the last drawing.

async function look() {
  clearTimeout(next);
  next = setTimeout(look, heard ? WORKS_MS : EVERY_MS);
  if (document.hidden || !seen) return;
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

add("host-card", (now) => {
  const before = seen;
  seen = Boolean(now().view?.host) && byId("page").dataset.part === "hardware";
  if (seen && !before) look();
  return box;
});
