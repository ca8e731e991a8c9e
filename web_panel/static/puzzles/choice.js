// Which puzzle comes next: of the same grade one that is not solved, else any, in the order of the list.
import { isSolved } from "./solved.js";

export function following(game, puzzles, now) {
  const at = puzzles.findIndex((one) => one.id === now.id);
  const order = [...puzzles.slice(at + 1), ...puzzles.slice(0, at + 1)];
  return order.find((one) => one.grade === now.grade && !isSolved(game, one.id)) ?? order.find((one) => !isSolved(game, one.id)) ?? order[0];
}
