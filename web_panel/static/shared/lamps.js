// Lamps as drawn: what their light means, its hue, its words and its sign.
import { byId, svg } from "./elements.js";
import { LAMPS } from "./lamp_table.js";

const WIDER = 2.15; // So much wider than its lamp light falls on the wood.
const WELL = 3; // So much wider than the ring is the dark recess of a lamp.

// The CSS class of a seat's colour; it has the colour's number, as players choose their colours.
export function seatHue(view, number) {
  return `seat-${view.seats.find((seat) => seat.seat === number)?.colour ?? number}`;
}

const UNKNOWN = { hue: "white", ring: "whole", beat: "", sign: "" };
const formOf = (light) => LAMPS[light.meaning] ?? { ...UNKNOWN, words: light.meaning };

export const lampRing = (light) => formOf(light).ring;
export const lampWords = (light) => formOf(light).words;

// What is nobody's, such as a stone of a board that is set up again, shines white, as it does on the table.
export function lampColour(light, view) {
  const { hue } = formOf(light);
  if (hue !== "seat") return hue;
  return light.seat ? seatHue(view, light.seat) : "white";
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
  const key = light ? `${light.meaning} ${light.means?.meaning} ${kind} ${r}` : "";
  if (key !== place.lit) {
    place.lit = key;
    group.classList.toggle("burns", Boolean(light));
    for (const one of place.lamp) one.remove();
    place.lamp = light ? lamp(place, light, kind, r, view) : [];
  }
  if (light?.colour) {
    bloomFill(kind, light.colour);
    for (const one of place.lamp) if (!one.matches(".sign")) one.style.setProperty("--glow", light.colour);
  }
}

function lamp(place, light, kind, r, view) {
  const { x, y, well, outline, layers, group } = place;
  const { ring, beat } = formOf(light);
  const halo = svg("circle", { cx: x, cy: y, r: well ? r * 1.9 : r * WIDER, fill: bloomFill(kind, light.colour),
    class: `halo ${beat}` });
  (well ? layers.floor : layers.blooms).append(halo);
  const shines = `${light.meaning ?? ""} ${kind} ${ring} ${beat}`;
  const parts = [outline(r + (well ? 0 : WELL), "lampwell"), outline(r, `glow lit ${shines}`)];
  if (ring === "bright-centre" && !place.drawn && !well) {
    parts.push(svg("circle", { r: r * 0.3, class: `core ${kind}` }));
  }
  if (place.stack) place.stack.before(...parts);
  else group.append(...parts);
  // A sign keeps the hue of its meaning while the lamp is dark.
  const path = LAMPS[(light.means ?? light).meaning]?.sign;
  if (!path || well) return [halo, ...parts];
  const [dx, dy] = [0.76, -0.76].map((far) => far * r);
  const looks = light.means ? `${light.means.meaning} ${lampColour(light.means, view)}` : shines;
  const sign = svg("g", { class: `sign ${looks}`, transform: `translate(${x + dx} ${y + dy})` },
    svg("circle", { r: 6.4 }), svg("path", { d: path }));
  layers.signs.append(sign);
  return [halo, ...parts, sign];
}
