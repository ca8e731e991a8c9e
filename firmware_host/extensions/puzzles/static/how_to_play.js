// The page that tells how a game is played leads to the game's puzzles, if it has any.
import { element, firstOf } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";
import { say } from "/static/shared/words.js";

const main = firstOf("main");
const { game } = main.dataset;

getJson(`/api/puzzles/${encodeURIComponent(game)}`).then(({ today }) => {
  if (today) {
    main.append(element("p", {}, element("a", { class: "button", href: `/puzzles/${encodeURIComponent(game)}` },
      say("Puzzles"))));
  }
}, () => {}); // Without the list there is no link.
