// How those stand who have just met: a best of three and of five, from the household's book.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { lineLink } from "/static/shared/frame.js";
import { getJson } from "/static/shared/live.js";
import { say } from "/static/shared/words.js";

const AGAIN_MS = 2000;
const TRIES = 3;
/** @type {{ game: string | null, words: string[] }} */
const known = { game: null, words: [] };

// With every view: what stands of a game that is over; nothing where it does not count, or more than two sides have met.
add("series", (view, redraw) => {
  const game = view.result && !view.lesson ? view.game.id : null;
  if (game !== known.game) {
    Object.assign(known, { game, words: [] });
    if (game) look(game, TRIES, redraw);
  }
  return known.words.length > 0 && element("ul", { class: "series hint", "data-card": "series" },
    ...known.words.map((words) => element("li", {}, words)));
});

add("end-line", () => lineLink("book", "names", say("The standings and the book"), "/book"));

async function look(game, tries, redraw) {
  const found = await getJson("/api/standing").catch(() => null);
  if (known.game !== game) return;
  if (found?.words && found.game === game) {
    known.words = found.words;
    redraw();
  } else if (!found && tries > 1) setTimeout(() => look(game, tries - 1, redraw), AGAIN_MS); // The table did not answer.
}
