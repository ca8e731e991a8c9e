// The puzzle of the day: a button in the lobby, and one beside the lessons.
import { setUp } from "./progress.js";
import { add } from "/static/shared/added.js";
import { button } from "/static/shared/controls.js";
import { element } from "/static/shared/elements.js";
import { say } from "/static/shared/words.js";

add("lobby-button", () =>
  element("a", { class: "button bare", id: "puzzle", href: "/puzzles" }, say("Today's puzzle")));
add("learn", ({ puzzle }) => puzzle?.on_board && button({ id: "puzzle-today", class: "big" },
  say("Today's puzzle on the board: {title}", puzzle), () => setUp(puzzle.id)));
