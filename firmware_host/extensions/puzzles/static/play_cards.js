// A puzzle on the board: few phones solve one at the table, so its part of the page comes when it is needed.
import { add } from "/static/shared/added.js";

/** @type {any} */
let solving = null;

add("exercise-cards", (view, redraw) => {
  if (solving) return solving.puzzleCards(view, redraw);
  import("./on_board.js").then((loaded) => {
    solving = loaded;
    redraw();
  });
  return [];
});
