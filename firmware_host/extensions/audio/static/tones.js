// The tones for changes of the table. They differ in rhythm, not only in pitch.
// They depend only on public knowledge: before a reveal on who has sealed, never on the content.

// Each tone as a list of beats: [start in seconds, duration in seconds, frequency in Hz].
export const TONES = {
  turn: [[0, 0.1, 660], [0.2, 0.3, 880]],
  sealed: [[0, 0.12, 523]],
  reveal: [[0, 0.08, 523], [0.12, 0.08, 659], [0.24, 0.08, 784], [0.36, 0.4, 1047]],
  counted: [[0, 0.06, 700], [0.12, 0.06, 700]],
  wrong: [[0, 0.45, 196]],
  time: [[0, 0.05, 988], [0.3, 0.05, 988], [0.6, 0.05, 988]],
  won: [[0, 0.2, 523], [0.25, 0.2, 659], [0.5, 0.2, 784], [0.85, 0.7, 1047]],
};
const LAST_MS = 10000;

const sealed = (view) => view.seats.filter((seat) => seat.sealed).length;
const sealing = (view) => ["sealing", "revealing"].includes(view.phase);
const newest = (view) => view.log.at(-1)?.n ?? 0;

// This seat's present duty, as a key that changes with each occasion; empty if it has none.
function duty(view) {
  const seat = view.seats.find((one) => one.seat === view.you?.seat);
  if (!seat || seat.resigned || seat.computer) return "";
  if (view.phase === "sealing" && !seat.sealed) return `seal ${view.turn}`;
  return view.phase === "resolving" && view.resolver === seat.seat ? `act ${view.turn}` : "";
}

// The seats in their last seconds: on a phone its own only, on the big screen any.
function inLastSeconds(view) {
  const mine = (clock) => !view.you || clock.seat === view.you.seat;
  return (view.clocks?.seats ?? []).filter((clock) => mine(clock) && clock.runs && clock.left !== null
    && clock.left <= LAST_MS).map((clock) => clock.seat);
}

// The tones for what has changed between two views, in order.
export function tonesFor(before, view) {
  if (!before || before.game.id !== view.game.id) return [];
  if (view.phase === "over") return before.phase === "over" ? [] : ["won"];
  const tones = [];
  const revealed = sealing(before) && !["sealing", "revealing", "setup", "lobby"].includes(view.phase);
  if (revealed) tones.push("reveal");
  else if (before.phase === "resolving" && view.turn >= before.turn
    && newest(view) > newest(before)) tones.push("counted");
  if (sealing(view) && before.turn === view.turn && sealed(view) > sealed(before)) tones.push("sealed");
  if (view.problem?.fault && !before.problem?.fault && view.phase !== "setup") tones.push("wrong");
  if (inLastSeconds(view).some((seat) => !inLastSeconds(before).includes(seat))) tones.push("time");
  if (duty(view) && duty(view) !== duty(before)) tones.push("turn");
  return tones;
}
