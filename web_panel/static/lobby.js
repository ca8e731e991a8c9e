import { attempt, connect, element, post, renew } from "./live.js";
import { ownNodes, playsMark, showRules } from "./parts.js";
import { openWhenAsked } from "./seal.js";
import { capital } from "./steps.js";

const MODE_WORDS = { 2: "2 players", 3: "3 players", 4: "4 players", "2v2": "2 against 2" };
const byId = (id) => document.getElementById(id);

function card(view, seat) {
  const open = view.phase === "lobby";
  const mine = view.you?.seat === seat.seat;
  const head = element("h2", {}, element("span", { class: `dot seat-${seat.seat}`, "aria-hidden": "true" }),
    seat.taken ? seat.name : `Seat ${seat.seat}`);
  const box = element("section", { class: "card seat", "aria-label": `Seat ${seat.seat}`, "data-card": seat.seat }, head);
  const shared = view.seats.some((other) => other.seat !== seat.seat && other.team === seat.team);
  const about = [shared && `Team ${seat.team}`, ownNodes(seat, view.layout)].filter(Boolean).join(", ");
  if (about) box.append(element("p", { class: "hint" }, capital(about)));
  if (seat.plays) box.append(element("p", {}, playsMark(view, seat)));
  if (!seat.taken && open) {
    box.append(element("img", { class: "code", width: 168, height: 168, src: `/qr/${seat.seat}.svg`, alt: `QR code to join seat ${seat.seat}` }));
    box.append(element("a", { class: "button primary", href: `/join/${seat.seat}` }, "Sit here"));
    box.append(element("button", { onclick: () => attempt(() => post("computer", { seat: seat.seat })) }, "A computer plays"));
  } else if (seat.taken) {
    box.append(element("p", { class: "sits" }, seat.computer ? "A computer plays here." : mine ? "That is you." : "Taken."));
    if (open && mine) box.append(element("button", { onclick: () => attempt(() => post("leave")) }, "Leave"));
    if (open && seat.computer) {
      box.append(element("button", { onclick: () => attempt(() => post("dismiss", { seat: seat.seat })) }, "Send it away"));
    }
  }
  return box;
}

let before = "";
let phase = null;

connect((view) => {
  openWhenAsked(view);
  byId("title").textContent = view.game.title;
  showRules(byId("rules"), view);
  byId("message").textContent = view.message;
  const open = view.phase === "lobby";
  if (phase === "lobby" && !open && view.you) location.assign("/play");
  phase = view.phase;
  const drawn = JSON.stringify([view.seats, view.phase, view.game, view.you]);
  if (drawn === before) return;
  before = drawn;
  const modes = byId("modes");
  modes.hidden = !open || view.game.modes.length < 2;
  modes.replaceChildren(...view.game.modes.map((mode) =>
    element("button", { "aria-pressed": mode === view.game.mode ? "true" : "false",
      onclick: () => attempt(() => post("mode", { mode })) }, MODE_WORDS[mode] ?? mode)));
  renew(byId("seats"), view.seats.map((seat) => card(view, seat)));
  byId("start").hidden = !open || view.seats.some((seat) => !seat.taken);
  byId("play").hidden = open;
});

byId("start").addEventListener("click", () => attempt(() => post("start")));
