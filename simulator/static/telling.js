// What the table says, above its board: the big screen's sentence, in the colour of the seat that acts.
const LOOK_MS = 1500;

let voices = null; // Where the table's panel is served, too, this page may sound and speak as the others do.

async function sound(view) {
  voices ??= Promise.all(["announce", "sound"].map((name) => import(`/static/shared/${name}.js`).catch(() => null)));
  const [voice, tones] = await voices;
  voice?.announce(view);
  tones?.followSound(view);
}

async function look(host) {
  if (document.visibilityState === "visible") {
    const view = await fetch("/api/state").then((answer) => (answer.status === 200 ? answer.json() : null)).catch(() => null);
    if (view) {
      showTold(host, view);
      sound(view);
    }
  }
  setTimeout(look, LOOK_MS, host);
}

function showTold(host, view) {
  const words = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  if (host.textContent !== words) host.textContent = words;
  const acts = view.seats.find((one) => one.seat === view.resolver);
  host.className = acts && view.phase !== "over" ? `acts-${acts.colour ?? acts.seat}` : "";
  host.hidden = !words;
}

look(document.getElementById("told"));
