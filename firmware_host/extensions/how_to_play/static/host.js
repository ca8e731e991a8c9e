// The host's page: the sheet opens over it, and each game has its picture in the choice of games.
import { PATH } from "./links.js";
import { openOverPage } from "./over_page.js";
import { add } from "/static/shared/added.js";
import { Board } from "/static/shared/board.js";
import { getJson } from "/static/shared/live.js";

const AGAIN_MS = 5000;

// Draw the game's picture with the board's own drawing code; retry if it can't be fetched.
async function draw(host, game) {
  try {
    new Board(host).show(await getJson(`/api${PATH}${encodeURIComponent(game)}/cover`));
  } catch {
    setTimeout(draw, AGAIN_MS, host, game);
  }
}

const drawn = new WeakMap(); // The game that an element shows: it is drawn anew when the game changes.
add("cover", (host, game) => {
  if (drawn.get(host) === game) return;
  drawn.set(host, game);
  draw(host, game);
});
openOverPage();
