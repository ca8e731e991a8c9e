// A wax seal in the colour of a seat: on the player's own phone, in the players' rows, and at the reveal on the big
// screen.
import { seatHue } from "./lamps.js";
import { svg } from "./elements.js";
import { shade } from "./pieces.js";

const LOBES = 22;

// The outline of the drop, slightly irregular.
function rim() {
  /** @type {[number, number][]} */
  const points = Array.from({ length: LOBES }, (_, at) => {
    const [turn, far] = [(at * 2 * Math.PI) / LOBES,
      88 + 3 * Math.sin((at * 6 * Math.PI) / LOBES) + (at % 2 ? 4.5 : -3)];
    return [Math.cos(turn) * far, Math.sin(turn) * far];
  });
  const middle = ([x, y], [u, v]) => `${((x + u) / 2).toFixed(1)} ${((y + v) / 2).toFixed(1)}`;
  const corners = points.map((point, at) =>
    `Q${point.map((one) => one.toFixed(1)).join(" ")} ${middle(point, points[(at + 1) % LOBES])}`);
  return `M${middle(points[LOBES - 1], points[0])}${corners.join("")}Z`;
}

const RIM = rim();
const MAGNET = "M-30-26V6A30 30 0 0 0 30 6V-26M-13-26V6A13 13 0 0 0 13 6V-26M-30-26H-13M13-26H30M-30-10H-13M13-10H30";

/** A seal of wax: its class, which gives the colour, and the mark that is pressed into it. */
export function drop(colour, mark = MAGNET) {
  shade();
  return svg("svg", { viewBox: "-104 -104 208 208", class: `wax ${colour}`, "aria-hidden": "true" },
    svg("path", { d: RIM, class: "wax-drop" }), svg("path", { d: RIM, fill: "url(#sheen)" }),
    svg("circle", { r: 66, class: "wax-drop" }), svg("circle", { r: 66, fill: "url(#hollow)", class: "wax-press" }),
    svg("circle", { r: 63, class: "wax-light" }), svg("path", { d: mark, class: "wax-mark" }),
    svg("path", { d: "M-66-34Q-30-92 36-80", class: "wax-light broad" }));
}

export const wax = (view, seat) => drop(seatHue(view, seat.seat));

let seen = { turn: "", seats: new Set() };

// A seat's seal in its row; a new one is animated.
export function rowSeal(view, seat) {
  if (!["sealing", "revealing"].includes(view.phase) || !seat.sealed) return null;
  const turn = `${view.game.id} ${view.turn}`;
  if (seen.turn !== turn) seen = { turn, seats: new Set() };
  const drawn = wax(view, seat);
  if (!seen.seats.has(seat.seat)) drawn.classList.add("new");
  seen.seats.add(seat.seat);
  return drawn;
}

// Show the player's own seal over the board as long as it is closed.
export function pressSeal(host, board, view, seat) {
  const closed = Boolean(seat?.sealed && !seat.computer && ["sealing", "revealing"].includes(view.phase));
  board.classList.toggle("veiled", closed);
  if (closed === !host.hidden) return;
  host.hidden = !closed;
  host.replaceChildren(...closed ? [wax(view, seat)] : []);
}
