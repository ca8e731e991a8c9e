import { attempt, connect, element, post } from "./live.js";
import { ownNodes } from "./parts.js";

const byId = (id) => document.getElementById(id);
const form = byId("form");
const seat = Number(form.dataset.seat);
let leaving = false;

const stream = connect((view) => {
  if (leaving) return;
  const mine = view.seats.find((other) => other.seat === seat);
  const open = view.seats.filter((other) => !other.taken);
  if (view.you?.seat === seat) {
    leaving = true;
    location.assign("/play");
    return;
  }
  const elsewhere = view.you ? `This phone sits on seat ${view.you.seat} already.` : "";
  if (view.phase !== "lobby") byId("message").textContent = elsewhere || "The game has begun. You can watch it on the big view.";
  else if (elsewhere) byId("message").textContent = elsewhere;
  else if (!mine) byId("message").textContent = "This game has no such seat.";
  else if (mine.taken) byId("message").textContent = `${mine.name} sits here. Choose another seat:`;
  else byId("message").textContent = `${[view.game.title, ownNodes(mine)].filter(Boolean).join(", ")}.`;
  form.hidden = view.phase !== "lobby" || Boolean(view.you) || !mine || mine.taken;
  const others = byId("others");
  others.hidden = view.phase !== "lobby" || Boolean(view.you) || !mine?.taken;
  others.replaceChildren(...open.map((other) =>
    element("a", { class: "button primary", href: `/join/${other.seat}` }, `Seat ${other.seat}`)));
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    await post("join", { seat, name: byId("name").value.trim() });
    leaving = true;
    location.assign("/play");
    void stream;
  });
});
