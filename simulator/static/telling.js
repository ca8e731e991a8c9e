// What the table says, above its board: the big screen's sentence, in the colour of the seat that acts.
const PAUSE_MS = 1500; // Between two questions: lights change many times a second, sentences seldom.
const LOOK_MS = 3000; // What changes no light is told as well, so much later.
let waiting = null;
let again = false;

export function keepTold(host) {
  tellTable(host);
  setInterval(() => { if (document.visibilityState === "visible") tellTable(host); }, LOOK_MS);
}

// Something has changed on the board: what the table says may be something else, too.
export function tellTable(host) {
  again = true;
  waiting ??= ask(host);
}

async function ask(host) {
  while (again) {
    again = false;
    const view = await fetch("/api/state").then((answer) => (answer.status === 200 ? answer.json() : null)).catch(() => null);
    if (view) showTold(host, view);
    await new Promise((done) => { setTimeout(done, PAUSE_MS); });
  }
  waiting = null;
}

function showTold(host, view) {
  const words = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  if (host.textContent !== words) host.textContent = words;
  const acts = view.seats.find((one) => one.seat === view.resolver);
  host.className = acts && view.phase !== "over" ? `acts-${acts.colour ?? acts.seat}` : "";
  host.hidden = !words;
}
