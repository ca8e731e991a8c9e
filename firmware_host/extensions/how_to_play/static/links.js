// The ways to how a game is played: "?" of the bar, a line of menus, a link behind the game's aim.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { lineLink } from "/static/shared/frame.js";
import { icon } from "/static/shared/icons.js";
import { say } from "/static/shared/words.js";

export const PATH = "/how-to-play/";
const pathOf = ({ name }) => PATH + encodeURIComponent(name);

add("bar-button", (game) => element("a", { class: "button", id: "help", "aria-label": say("How to play"),
  href: pathOf(game) }, icon("help")));
add("game-line", (game) => lineLink("how", "help", say("How to play"), pathOf(game)));
add("aim", (game) => element("a", { href: pathOf(game) }, say("How to play")));
