// A puzzle is set up on the board: by light, from any page.
import { attempt, post } from "../shared/live.js";

export function setUp(id) {
  return attempt(async () => {
    await post("puzzle/begin", { puzzle: id });
    location.assign("/play");
  });
}

// While a game is played only the host may let it wait.
export function maySetUp(view, game) {
  return view?.game.name === game && !view.lesson && Boolean(view.host || ["lobby", "over"].includes(view.phase));
}
