// The computers' levels that are chosen for seats where none plays yet.
const chosen = new Map(); // Seat → level.

export function chooseLevel(seat, level) {
  chosen.set(seat.seat, level);
}

// The chosen level for a seat, else the table's default. Another game may have fewer levels than the one of the choice.
export function levelChosen({ levels }, seat) {
  return Math.min(levels.length, chosen.get(seat.seat) ?? Math.max(1, Math.floor(levels.length / 2)));
}
