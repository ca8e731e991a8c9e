// The seals at a moment of a replay: player, commitment, content.
import { seatHue } from "../shared/drawing.js";
import { element, needStyle } from "../shared/elements.js";
import { say } from "../shared/words.js";

function fact(name, value) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, element("code", {}, value)));
}

function row(view, seal) {
  const name = view.seats.find((seat) => seat.seat === seal.seat)?.name ?? "";
  return element("li", {},
    element("p", {}, element("span", { class: `dot ${seatHue(view, seal.seat)}`, "aria-hidden": "true" }),
      element("b", {}, name), " ", element("span", {},
        seal.void ? say("void: all sealed again") : seal.words ?? say("sealed, and never opened"))),
    element("dl", {}, fact(say("Commitment"), seal.commitment),
      seal.action && fact(say("Opened as"), seal.action), seal.nonce && fact(say("Secret number"), seal.nonce)));
}

export function showSeals(host, view) {
  host.hidden = !view.seals.length;
  if (host.hidden) return;
  needStyle(new URL("replay_seals.css", import.meta.url));
  const turn = view.seals[0].turn;
  const opened = view.seals.some((seal) => seal.nonce);
  host.querySelector("summary").textContent = opened ? say("What was sealed in turn {turn}", { turn })
    : say("What is sealed in turn {turn}", { turn });
  host.querySelector("p").textContent = opened
    ? say("Each commitment was there before any placement was opened. It was worked out again from what was opened, and is the same.")
    : say("These seals were never opened: nobody knows their contents.");
  host.querySelector("ul").replaceChildren(...view.seals.map((seal) => row(view, seal)));
}
