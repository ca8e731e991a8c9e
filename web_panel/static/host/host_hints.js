// Permission to ask for hints: everybody, nobody, or some players.
import { attempt, element, post } from "../shared/live.js";
import { say } from "../shared/words.js";

function allow(on, seat) {
  return attempt(() => post("host/hints", seat ? { on, seat: seat.seat } : { on }));
}

function one(seat) {
  return element("button", { id: `hints-${seat.seat}`, class: "switch", role: "switch", "aria-checked": seat.hints ? "true" : "false", onclick: () => allow(!seat.hints, seat) },
    element("span", {}, seat.name), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function hintsBox(view) {
  if (view.phase === "over") return null;
  const people = view.seats.filter((seat) => seat.taken && !seat.computer);
  const all = (on) => ({ "aria-pressed": view.seats.every((seat) => seat.hints === on) ? "true" : "false", onclick: () => allow(on) });
  return element("section", { "data-card": "hints", "aria-labelledby": "hints-title" }, element("h3", { id: "hints-title" }, say("Who may ask for hints?")),
    element("div", { class: "row" }, element("button", { id: "hints-all", ...all(true) }, say("Everybody")), element("button", { id: "hints-none", ...all(false) }, say("Nobody"))),
    people.length > 1 && element("div", { class: "column" }, ...people.map(one)));
}
