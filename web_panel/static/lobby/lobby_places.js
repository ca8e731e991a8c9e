// Where seats are round the board: each in the corner that is nearest to its homes.

/** @type {[string, number, number][]} Corners with their directions, opposite ones first. */
const CORNERS = [["ne", 1, 1], ["sw", -1, -1], ["se", 1, -1], ["nw", -1, 1]];

/** @param {any[]} all @returns {any[][]} */
function orders(all) {
  if (all.length < 2) return [all];
  return all.flatMap((one, at) => orders([...all.slice(0, at), ...all.slice(at + 1)]).map((rest) => [one, ...rest]));
}

// How far a seat's homes are from a corner, as a turn; 0 for a seat without homes.
function away({ homes }, { nodes }, [, right, up]) {
  const [x, y] = homes.reduce(([a, b], home) => [a + (nodes[home]?.[0] ?? 0), b + (nodes[home]?.[1] ?? 0)], [0, 0]);
  const length = Math.hypot(x, y);
  return length < 0.1 ? 0 : Math.acos((x * right + y * up) / (length * Math.SQRT2));
}

/**
 * @param {{seats: any[], layout: any}} view
 * @returns {Map<number, string>} Seat → corner.
 */
export function around({ seats, layout }) {
  const lots = orders(CORNERS).map((order) => ({ order,
    turn: seats.reduce((sum, seat, at) => sum + away(seat, layout, order[at % CORNERS.length]), 0) }));
  const best = lots.reduce((one, other) => (other.turn < one.turn - 1e-6 ? other : one));
  return new Map(seats.map(({ seat }, at) => [seat, best.order[at % CORNERS.length][0]]));
}
