// Taking a seat by a link that works once: its ticket follows the #, which browsers do not send, so no log has it.
import { showLongest } from "./lobby_seats.js";
import { onSubmit } from "../shared/controls.js";
import { byId } from "../shared/elements.js";
import { connect, explain, post, seatOf } from "../shared/live.js";
import { ownNodes } from "../shared/parts.js";
import { capital } from "../shared/steps.js";
import { keep, recall } from "../shared/storage.js";
import { say } from "../shared/words.js";

const PLACE = "lodestone-name";
const form = byId("form");
const seat = Number(form.dataset.seat);
let leaving = false;

function go() {
  leaving = true;
  location.assign("/play");
}

function words(view, mine) {
  if (view.you) return say("This phone already has seat {seat}.", { seat: view.you.seat });
  if (!mine) return say("This game has no such seat.");
  if (view.phase !== "lobby") return say("The game has begun. You can watch it, or say that a seat is yours.");
  if (mine.taken) return say("{name} sits here. In the lobby you see which seats are free.", { name: mine.name });
  if (!location.hash) {
    return say("This link has no ticket. Scan the code of a free seat, or ask the host for the link.");
  }
  return `${[view.game.title, ownNodes(mine, view.game)].filter(Boolean).map(capital).join(". ")}.`;
}

connect((view) => {
  if (leaving) return;
  const mine = seatOf(view, seat);
  if (view.you?.seat === seat) return go();
  byId("message").textContent = words(view, mine);
  form.hidden = view.phase !== "lobby" || Boolean(view.you) || !mine || mine.taken || !location.hash;
  byId("watch").hidden = view.phase === "lobby";
});

byId("name").value = recall(PLACE) ?? "";

showLongest(byId("name"), byId("longest"));

onSubmit(form, async () => {
  const name = byId("name").value.trim();
  await post("join", { seat, name, ticket: location.hash.slice(1) });
  keep(PLACE, name);
  go();
});

addEventListener("hashchange", () => {
  explain(null);
  location.reload();
});
