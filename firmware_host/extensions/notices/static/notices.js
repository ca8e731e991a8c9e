// A message of the phone when it is its player's turn, while another page or another app is in front. Browsers allow
// it on addresses that they trust (HTTPS, this machine's own), and only after their own question, which nothing but the
// switch in the menu asks.
import { add } from "/static/shared/added.js";
import { lineSwitch } from "/static/shared/frame.js";
import { keep, recall } from "/static/shared/storage.js";
import { say } from "/static/shared/words.js";

const PLACE = "lodestone-notices"; // "on" on a phone that wants them.
// Phones that have the worker know it by this address, which is also what it may look after.
const WORKER = "/static/shared/notices_worker.js";
const ONE = { tag: "lodestone-turn" }; // A newer message takes the place of the one before.

let trouble = ""; // Why the browser has refused the last time.

function lacks() {
  if (!("Notification" in globalThis) || !navigator.serviceWorker) {
    return say("This browser shows no messages. On an iPhone, add the table to the home screen first.");
  }
  if (Notification.permission === "denied") return say("This browser forbids messages: allow them in its settings.");
  return trouble;
}

/** Whether this phone wants messages and gets them. */
const noticesOn = () => recall(PLACE) === "on" && !lacks() && Notification.permission === "granted";

async function turnOn() {
  if (await Notification.requestPermission() !== "granted") return;
  try {
    await navigator.serviceWorker.register(WORKER);
    keep(PLACE, "on");
  } catch {
    // Chromium registers nothing from a table whose certificate it was told to put up with.
    trouble = say("This browser shows messages only of a table whose certificate it knows.");
  }
}

/**
 * The switch, as a line of a sheet; none where no browser allows it.
 * @param {() => void} redraw
 */
function noticesLine(redraw) {
  if (!globalThis.isSecureContext) return null;
  const about = say("while this page stays open behind others");
  return lineSwitch("notices", "bulb", say("Message when it is your turn"), noticesOn(), async (on) => {
    if (on) await turnOn();
    else keep(PLACE, null);
    redraw();
  }, { about, why: lacks() });
}

const worker = async () => (noticesOn() ? navigator.serviceWorker.getRegistration(WORKER) : null);

/** Say that it is one's turn, if nobody looks at this page. */
async function notify(title, body) {
  if (document.visibilityState === "visible") return;
  const found = await worker();
  await found?.showNotification(title, { ...ONE, body, icon: "/static/icons/icon-192.png" });
}

/** Take the message back: it has been seen, or it is somebody else's turn. */
async function unnotify() {
  const found = await worker();
  for (const one of await found?.getNotifications(ONE) ?? []) one.close();
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && unnotify());

add("menu-line", (seat, redraw) => seat && noticesLine(redraw));
add("hears-on", (view) => noticesOn() && view.phase !== "over");
add("turn", (called) => {
  if (called) notify(...called);
  else unnotify();
});
