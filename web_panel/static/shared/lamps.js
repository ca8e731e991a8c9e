// Lamps as drawn: what their light means, its hue, its words and its sign.
import { byId, svg } from "./elements.js";
import { say } from "./words.js";

const WIDER = 2.15; // So much wider than its lamp light falls on the wood.
const WELL = 3; // So much wider than the ring is the dark recess of a lamp.

// Meaning → hue, words, sign. A hue `seat` is the colour of the light's seat.
const MEANINGS = {
  put: ["seat", say("put your stone here"), "M0-3.4V2.4M-2.6 0L0 2.8L2.6 0"],
  movable: ["white", say("may be moved")],
  target: ["cyan", say("may go here")],
  best: ["cyan", say("this way"), "M-3.4.6L-1 3L3.6-2.8"],
  interact: ["amber", say("pick one of these"), "M-3.2-1.6H2.4M.6-3.2L2.4-1.6M3.2 1.6H-2.4M-.6 3.2L-2.4 1.6"],
  wrong: ["red", say("does not belong here"), "M-2.4-2.4L2.4 2.4M2.4-2.4L-2.4 2.4"],
  return: ["white", say("a stone belongs here"), "M2.6-2.6V.2A2.6 2.6 0 0 1-2.6 .2V-.8M-4.2 .6L-2.6-1.2L-1 .6"],
  remove: ["red", say("lift this one"), "M0 3.4V-2.6M-2.6 0L0-2.8L2.6 0"],
  confirm: ["magenta", say("tap the stack"), "M-1.8-1.6A1.9 1.9 0 1 1 .4 .6V1.2M.4 3.2V3.3"],
  loop: ["violet", say("take off: part of the loop"), "M0 0C-1.4-2.6-4-2.2-4 0S-1.4 2.6 0 0S4-2.2 4 0S1.4 2.6 0 0"],
  won: ["seat", say("has won"), "M-3.8 2.6V-2.4L-1.6 0L0-3.2L1.6 0L3.8-2.4V2.6Z"],
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

// Where light falls on the wood: once a page for each hue that a lamp has shone in, as a gradient of it.
function bloomFill(kind, colour = null) {
  const id = `bloom-${kind}`;
  if (!document.getElementById(id)) {
    const stop = (offset, opacity) => svg("stop", { offset, "stop-opacity": opacity });
    byId("shades").append(svg("radialGradient", { id, class: `bloom ${kind}` },
      stop(0.3, 0.85), stop(0.55, 0.42), stop(1, 0)));
  }
  if (colour) byId(id).style.setProperty("--glow", colour);
  return `url(#${id})`;
}

// A light: a ring in a dark recess, its light on the wood, and a sign for its meaning. All exist only while it is on.
// The legend gives meanings and colours in words as well.
export function drawLamp(place, light, view) {
  const { group, reach } = place;
  // A lamp of any colour has its own gradient, whose colour follows the lamp's.
  const kind = light && (light.colour ? `at-${place.name}` : lampColour(light, view));
  const words = `${place.name}: ${place.words}${light ? `; ${light.words}` : ""}`;
  if (place.title.textContent !== words) place.title.textContent = words;
  const r = place.well ? reach.well : place.drawn ? reach.full : reach.bare;
  const key = light ? `${light.meaning} ${light.sign} ${kind} ${r}` : "";
  if (key !== place.lit) {
    place.lit = key;
    group.classList.toggle("burns", Boolean(light));
    for (const one of place.lamp) one.remove();
    place.lamp = light ? lamp(place, light, kind, r) : [];
  }
  if (light?.colour) {
    bloomFill(kind, light.colour);
    for (const one of place.lamp) one.style.setProperty("--glow", light.colour);
  }
}

function lamp(place, light, kind, r) {
  const { x, y, well, outline, layers, group } = place;
  const halo = svg("circle", { cx: x, cy: y, r: well ? r * 1.9 : r * WIDER, fill: bloomFill(kind, light.colour),
    class: `halo ${light.meaning ?? ""}` });
  (well ? layers.floor : layers.blooms).append(halo);
  const shines = `${light.meaning ?? ""} ${kind}`;
  const parts = [outline(r + (well ? 0 : WELL), "lampwell"), outline(r, `glow lit ${shines}`)];
  if (light.meaning === "target" && !place.drawn && !well) {
    parts.push(svg("circle", { r: r * 0.3, class: `core ${kind}` }));
  }
  if (place.stack) place.stack.before(...parts);
  else group.append(...parts);
  const path = MEANINGS[light.sign ?? light.meaning]?.[2];
  if (!path || well) return [halo, ...parts];
  const [dx, dy] = [0.76, -0.76].map((far) => far * r);
  const sign = svg("g", { class: `sign ${shines}`, transform: `translate(${x + dx} ${y + dy})` },
    svg("circle", { r: 6.4 }), svg("path", { d: path }));
  layers.signs.append(sign);
  return [halo, ...parts, sign];
}
