// Shows the table's sentence above the board, as on the big screen, in the colour of the acting seat.
const AGAIN_MS = 3000;
const LONGEST_MS = 60000;
const host = document.getElementById("told");
let events = null;
let timer = 0;
let wait = AGAIN_MS;
let voices = null;

// If the table's panel is served too, this page can play sounds and speak as its pages do.
async function sound(view) {
  voices ??= Promise.all(["announce", "sound"].map((name) => import(`/static/shared/${name}.js`).catch(() => null)));
  const [voice, tones] = await voices;
  voice?.announce(view);
  tones?.followSound(view);
}

function showTold(view) {
  wait = AGAIN_MS;
  sound(view);
  const words = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  if (host.textContent !== words) host.textContent = words;
  const acts = view.seats.find((one) => one.seat === view.resolver);
  host.className = acts && view.phase === "resolving" ? `acts-${acts.colour ?? acts.seat}` : "";
  host.hidden = !words;
}

function close() {
  clearTimeout(timer);
  clearInterval(timer);
  events?.close();
}

function open() {
  close();
  events = new EventSource("/api/events");
  events.onmessage = (event) => showTold(JSON.parse(event.data));
  events.addEventListener("enough", ask);
  events.onerror = () => {
    if (events.readyState !== EventSource.CLOSED) return; // The browser tries again by itself.
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 2, LONGEST_MS); // The board may be simulated without a table.
  };
}

// Too many pages are open: this one polls until it becomes visible again.
function ask() {
  close();
  timer = setInterval(() => fetch("/api/state").then((answer) => answer.json()).then(showTold).catch(() => {}), AGAIN_MS);
}

document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? open() : close()));
addEventListener("pageshow", (event) => event.persisted && open());
addEventListener("pagehide", close);
open();
