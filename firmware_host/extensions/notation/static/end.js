// The game as text, on the sheet about a game that is over.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { icon } from "/static/shared/icons.js";
import { say } from "/static/shared/words.js";

add("end-record", (view) => element("a", {
  id: "as-text", href: `/api/records/${encodeURIComponent(view.game.id)}.txt`, download: `${view.game.id}.txt`,
}, icon("down"), element("span", {}, say("The game as text"))));
