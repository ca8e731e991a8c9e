// Taking a seat by a link that works once: its ticket follows the #, which browsers do not send, so no log has it.
// Whoever opens it sits at once; name and colour are chosen in the lobby.
import { takeSeat } from "./lobby_seats.js";
import { button } from "../shared/controls.js";
import { byId, renew, setText } from "../shared/elements.js";
import { attempt, connect, explain, seatOf } from "../shared/live.js";
import { say } from "../shared/words.js";

const seat = Number(byId("page").dataset.seat);
const ticket = location.hash.slice(1);
let leaving = false;
let tried = false;

function go(path) {
  leaving = true;
  location.replace(path);
}

function words(view, mine) {
  if (view.you) return say("This phone already has seat {seat}.", { seat: view.you.seat });
  if (!mine) return say("This game has no such seat.");
  if (view.phase !== "lobby") return say("The game has begun. You can watch it, or say that a seat is yours.");
  if (mine.taken) return say("{name} sits here. In the lobby you see which seats are free.", { name: mine.name });
  if (!ticket) return say("This link gives you no seat. Scan the code of a free seat, or ask the host for the link.");
  return say("Sit down here?");
}

async function sit() {
  tried = true;
  await takeSeat({ seat }, ticket);
  go("/");
}

connect((view) => {
  if (leaving) return;
  const mine = seatOf(view, seat);
  if (view.you?.seat === seat) return go(view.phase === "lobby" ? "/" : "/play");
  const may = view.phase === "lobby" && !view.you && mine && !mine.taken && ticket;
  if (may && !tried) attempt(sit);
  setText(byId("message"), words(view, mine));
  renew(byId("again"), [may && tried && button({ id: "sit", class: "go", "data-card": "sit" },
    say("Sit in seat {seat}", { seat }), sit)]);
  byId("watch").hidden = view.phase === "lobby";
});

addEventListener("hashchange", () => {
  explain(null);
  location.reload();
});
