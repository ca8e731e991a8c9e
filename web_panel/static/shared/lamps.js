// A light on the board's drawing: a ring in a dark recess, with a sign for its meaning. The legend gives meanings and
// colours in words as well.
import { bloomFill, svg } from "./pieces.js";
import { say } from "./words.js";

const WIDER = 2.15; // So much wider than its lamp light falls on the wood.

// Meaning → hue, words, sign. A hue `seat` is the colour of the light's seat.
const MEANINGS = {
  put: ["seat", say("put your stone here"), "M0-3.4V2.6M-2.6 0L0 2.8L2.6 0"],
  movable: ["white", say("may be moved")],
  target: ["cyan", say("may go here")],
  best: ["cyan", say("this way"), "M-3 .2L-.8 2.4L3-2.4"],
  interact: ["amber", say("pick one of these"), "M-3.2-1.6H2.4M.6-3.2L2.4-1.6M3.2 1.6H-2.4M-.6 3.2L-2.4 1.6"],
  wrong: ["red", say("does not belong here"), "M-2.4-2.4L2.4 2.4M2.4-2.4L-2.4 2.4"],
  return: ["red", say("a stone belongs here"), "M2.6-2.6V.2A2.6 2.6 0 0 1-2.6 .2V-.8M-4.2 .6L-2.6-1.2L-1 .6"],
  remove: ["red", say("lift this one"), "M0 3.4V-2.6M-2.6 0L0-2.8L2.6 0"],
  confirm: ["magenta", say("tap the stack"), "M-1.8-1.6A1.9 1.9 0 1 1 .4 .6V1.2M.4 3.2V3.3"],
  loop: ["violet", say("take off: part of the loop"), "M0 0C-1.4-2.6-4-2.2-4 0S-1.4 2.6 0 0S4-2.2 4 0S1.4 2.6 0 0"],
  won: ["seat", say("has won"), "M-3.2 2.4L-3.4-2L-1.4 0L0-2.8L1.4 0L3.4-2L3.2 2.4Z"],
  line: ["cyan", say("these move together"), "M-3.2 0H2.8M.2-2.6L2.8 0L.2 2.6"],
  stone: ["seat", say("lies here")],
  time: ["seat", say("the last seconds")],
};

// The CSS class of a seat's colour; it has the colour's number, as players choose their colours.
export function seatHue(view, number) {
  return `seat-${view.seats.find((seat) => seat.seat === number)?.colour ?? number}`;
}

const meaningOf = (light) => MEANINGS[light.meaning] ?? ["white", light.meaning];

export const lampWords = (light) => meaningOf(light)[1];

export function lampColour(light, view) {
  const [hue] = meaningOf(light);
  return hue === "seat" ? seatHue(view, light.seat) : hue;
}

// A ring of light on the wood round a lamp, below all nodes.
function drawBloom(place, light, kind) {
  const r = place.group.classList.contains("bare") && !place.well ? 13 : place.reach;
  const key = light ? `${light.meaning} ${kind} ${r}` : "";
  if (place.bloomed === key) return;
  place.bloomed = key;
  place.bloom?.remove();
  place.bloom = light ? svg("circle", { cx: place.x, cy: place.y, r: r * WIDER * place.scale, fill: bloomFill(kind), class: `halo ${light.meaning}` }) : null;
  if (light) place.blooms.append(place.bloom);
}

// `kind` is the class of the hue. Recess and sign exist only while the light is on.
export function drawLamp(place, light, kind) {
  const { glow, group, well } = place;
  drawBloom(place, light, kind);
  const shines = light ? `glow lit ${light.meaning} ${kind}` : "glow";
  if (glow.getAttribute("class") === shines) return;
  glow.setAttribute("class", shines);
  glow.style.animationDelay = "";
  group.classList.toggle("burns", Boolean(light));
  for (const old of group.querySelectorAll(".lampwell, .sign")) old.remove();
  if (!light) return;
  const dark = glow.cloneNode();
  dark.setAttribute("class", "lampwell");
  if (well) glow.before(dark);
  else group.prepend(dark);
  const [, , path] = meaningOf(light);
  if (path && !well) group.append(svg("g", { class: `sign ${kind}`, transform: "translate(12.5 -12.5)" }, svg("circle", { r: 6.2 }), svg("path", { d: path })));
}
