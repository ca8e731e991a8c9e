// A position that is set up becomes a puzzle, if it has exactly one best answer.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";
import { card } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

const modesOf = (game) => getJson(`/api/puzzles/${encodeURIComponent(game)}`).then(({ modes }) => modes, () => []);

add("position-search", async ({ game }) => ({
  id: "pose",
  modes: await modesOf(game),
  path: "position/puzzle",
  words: say("Make a puzzle of it"),
  busy: say("Proving …"),
  forHost: true,
  show: ({ puzzles }) => puzzles && card("posed", element("h2", {}, say("It is a puzzle now")), ...puzzles.map((one) =>
    element("a", { class: "button", href: `/puzzles/${encodeURIComponent(game)}#${one.id}` }, one.title))),
}));
