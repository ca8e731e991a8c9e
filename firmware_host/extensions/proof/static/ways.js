// The ways to the proof, if placements or the order of a stack were sealed: from the end of a game, and from its log.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { icon } from "/static/shared/icons.js";
import { say } from "/static/shared/words.js";

const isSealed = (view) => view.game.secrets || view.deal || view.lots;

add("end-button", (view) => isSealed(view) && element("a", { class: "button", id: "check", href: "/proof" },
  icon("seal"), view.game.secrets ? say("Check seals") : say("Check the stack")));

add("log", (view) => isSealed(view) && element("p", {}, element("a", { href: "/proof" },
  view.game.secrets ? say("The proof that nobody knew or changed a placement")
  : say("The proof that nobody changed the order of the stack"))));
