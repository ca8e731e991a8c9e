import { Board } from "./board.js";
import { connect, element } from "./live.js";
import { outlookText } from "./outlook.js";
import { legend, resultCard, seatItem, showRules } from "./parts.js";
import { showTrouble } from "./sensors.js";

const byId = (id) => document.getElementById(id);
const board = new Board(byId("board"));

connect((view) => {
  byId("title").textContent = view.turn ? `${view.game.title} · turn ${view.turn}` : view.game.title;
  byId("message").textContent = view.problem && view.phase !== "setup" ? view.problem.text : view.message;
  showTrouble(byId("trouble"), view);
  byId("outlook").textContent = outlookText(view);
  byId("outlook").hidden = !view.foresight;
  board.show(view);
  byId("seats").replaceChildren(...view.seats.map((seat) => seatItem(view, seat)));
  byId("lights").replaceChildren(...(view.result ? [] : legend(view)));
  showRules(byId("rules"), view);
  byId("decided").textContent = view.decided ? `${view.decided.words}.` : "";
  byId("decided").hidden = !view.decided || Boolean(view.result);
  for (const id of ["seats", "join"]) byId(id).hidden = Boolean(view.result);
  byId("log").hidden = Boolean(view.result);
  byId("log").replaceChildren(...view.log.slice(-5).reverse().map((line) => element("li", {}, line.text)));
  byId("result").replaceChildren(...[resultCard(view)].filter(Boolean));
});
