// Pieces as they are drawn on the board and beside words; and the light and shade of all that is drawn.
import { svg } from "./elements.js";
import { keep, recall } from "./storage.js";
import { sayIn } from "./words.js";

// -- light and shade --------------------------------------------------------------------------------------------------

const BALL = "radial .36 .28 .82";
// Gradients: kind and place, then stops of offset, colour and opacity. Light falls from the upper left everywhere.
const GRADIENTS = {
  "ball-white": [BALL, "0 #fff", ".42 #f8f3e6", ".8 #dccfb4", "1 #b5a587"],
  "ball-black": [BALL, "0 #8b96a3", ".2 #424952", ".56 #191c20", "1 #07090b"],
  "ball-blue": [BALL, "0 #a9d4ff", ".35 #3c8ae0", ".8 #1556a6", "1 #0a2f63"],
  "ball-red": [BALL, "0 #ffc0b5", ".35 #e2564a", ".8 #a5211b", "1 #5c0d0a"],
  "ball-yellow": [BALL, "0 #fffbe0", ".4 #ffd84f", ".82 #d8a21a", "1 #8f6200"],
  "ball-green": [BALL, "0 #bdf3d0", ".35 #3fae6c", ".8 #17703c", "1 #0a3d1f"],
  "ball-plain": [BALL, "0 #f3e4bd", ".4 #d9bd7d", ".82 #a98a4a", "1 #6d5522"],
  cast: ["radial", ".55 #120903 .62", "1 #120903 0"],
  "fall-shadow": ["radial", ".86 #000 .5", "1 #000 0"],
  sheen: ["linear .1 0 .8 1", "0 #fff .26", ".45 #fff .02", "1 #1a0d02 .34"],
  bevel: ["linear .2 0 .7 1", "0 #fff .5", ".5 #fff 0", "1 #000 .45"],
  hollow: ["radial .6 .7 .78", ".42 #000 .02", "1 #000 .44"],
  ivory: ["linear 0 0 .6 1", "0 #fff .75", ".5 #fff 0", "1 #7a4b10 .3"],
};
// Two strokes of the wood's grain, fine and broad: each line leaves its tile as it enters the next one.
const GRAIN = {
  fine: "M0 4c113 2 97 4 210 6s97-8 210-6M0 19c113-3 97 4 210 1s97 2 210-1M0 33c113 4 97-2 210-5s97 1 210 5" +
    "M0 42c113-1 97-2 210-5s97 6 210 5M0 62c113 2 97 6 210 5s97-7 210-5M0 73c113 5 97-2 210 3s97-8 210-3" +
    "M0 88c113 2 97 1 210 1s97-3 210-1M0 99c113-2 97 4 210-3s97 5 210 3M0 113c113-1 97 3 210-6s97 7 210 6" +
    "M0 134c113 1 97 4 210-5s97 4 210 5M0 148c113-1 97 1 210 6s97-5 210-6M0 164c113-1 97 2 210-5s97 6 210 5",
  broad: "M0 12c113 2 97 4 210 3s97-5 210-3M0 53c113 5 97-4 210 3s97-8 210-3M0 82c113-2 97-1 210 3s97-1 210-3" +
    "M0 125c113-4 97 3 210 4s97 0 210-4M0 156c113 4 97-3 210 0s97-4 210 0",
};
const PLACES = { radial: ["cx", "cy", "r"], linear: ["x1", "y1", "x2", "y2"] };

/**
 * @param {string} id
 * @param {string[]} form
 */
function gradient(id, [kind, ...stops]) {
  const [form, ...numbers] = kind.split(" ");
  const place = Object.fromEntries(numbers.map((number, at) => [PLACES[form][at], number]));
  return svg(`${form}Gradient`, { id, ...place }, ...stops.map((stop) => {
    const [offset, colour, opacity = 1] = stop.split(" ");
    return svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  }));
}

// The gradients and the shapes of single pieces and of an empty hole, which drawings refer to: once a page, outside any
// part that may be hidden.
export function shade() {
  const id = "shades";
  if (document.getElementById(id)) return;
  document.documentElement.classList.toggle("darkened", isDarkened());
  document.documentElement.classList.toggle("lettered", lettersShown());
  const shapes = Object.keys(GRADIENTS).filter((name) => name.startsWith("ball-")).map((name) => {
    const kind = name.slice("ball-".length);
    const gloss = kind === "white" ? 0.6 : 0.36;
    return symbol(`stone-${kind}`, 22, shadow(4, 17), ball(kind, 0), ...mark(kind, 0), shine(-6.6, 5, gloss),
      ...letter(kind, 0));
  });
  document.body.append(svg("svg", { class: "unseen", "aria-hidden": "true" }, svg("defs", { id },
    ...Object.entries(GRADIENTS).map(([name, drawn]) => gradient(name, drawn)), grain(), ...shapes,
    symbol("empty-hole", 10.5, svg("circle", { r: 10.5, class: "hole" }),
      svg("circle", { r: 10.5, fill: "url(#hollow)" }),
      svg("path", { d: "M-9.5 4A10.5 10.5 0 0 0 9.5 4", class: "hole-light" })))));
}

function grain() {
  return svg("pattern", { id: "grain", width: 420, height: 172, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(-7)" }, ...Object.entries(GRAIN).map(([kind, d]) => svg("path", { d, class: kind })));
}

function symbol(id, half, ...children) {
  const viewBox = `${-half} ${-half} ${2 * half} ${2 * half}`;
  return svg("symbol", { id, viewBox, overflow: "visible" }, ...children);
}

// A shape that `shade` has made, so many times its size.
export function made(id, half, times, kind) {
  const [at, size] = [-half * times, 2 * half * times].map((number) => Math.round(number * 100) / 100);
  return svg("use", { href: `#${id}`, x: at, y: at, width: size, height: size, class: kind });
}

// -- white stays white ------------------------------------------------------------------------------------------------

// Some browsers darken light pages by themselves, whatever a page says of its colours, and a white stone with them.
// This one says so: its white is not white then. Where a browser does not say it, stones have letters on request.
function isDarkened() {
  const probe = document.createElement("i");
  Object.assign(probe.style, { colorScheme: "light", backgroundColor: "canvas" });
  document.body.append(probe);
  const colour = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return colour !== "rgb(255, 255, 255)";
}

const LETTERS = "lodestone-letters"; // Whether white and black pieces have a letter.

export const lettersShown = () => recall(LETTERS) === "on";

export function showLetters(on) {
  keep(LETTERS, on ? "on" : null);
  document.documentElement.classList.toggle("lettered", on);
}

// The first letter of a colour, in the reader's language.
const letterOf = { white: () => sayIn("piece", "white"), black: () => sayIn("piece", "black") };

function letter(kind, y) {
  return letterOf[kind] ? [svg("text", { y: y + 4.4, class: `letter own ${kind}` }, letterOf[kind]()[0].toUpperCase())]
    : [];
}

// -- stones -----------------------------------------------------------------------------------------------------------

export const STONE = 14; // Radius of a stone where a board's stones are not larger.

// The colour of a piece, which is also its CSS class.
export function tint(piece, { tints }) {
  return tints[piece] ?? "plain";
}

// What tells coloured pieces apart without their colour.
const SHAPES = {
  blue: "M0-5L5.6 4.6H-5.6Z", red: "M-4.6-4.6H4.6V4.6H-4.6Z", yellow: "M-5 0A5 5 0 0 1 5 0A5 5 0 0 1-5 0Z",
  green: "M0-5V5M-5 0H5",
};

const ball = (kind, cy) => svg("circle", { cy, r: STONE, fill: `url(#ball-${kind})`, class: `ball ${kind}` });
const shadow = (cy, rx) => svg("ellipse", { cx: 1.8, cy, rx, ry: 16, fill: "url(#cast)", class: "cast" });
const shine = (cy, rx, opacity) => svg("ellipse",
  { cx: -4.3, cy, rx, ry: rx * 0.57, fill: "#fff", opacity, transform: `rotate(-32 -4.3 ${cy})`, class: "shine" });

function mark(kind, y) {
  return SHAPES[kind] ? [svg("path", { d: SHAPES[kind], transform: `translate(0 ${y})`, class: `shape ${kind}` })] : [];
}

// The drawing of a stack, so many times the usual size. One piece: white or black without a sign, coloured with a
// shape, any other with its letter. More: the edge of the one below; two different pieces have a pip in both colours,
// two equal ones or a higher stack their number.
export function stones(stack, view, times = 1) {
  const [top, bottom] = [stack.at(-1), stack.at(-2)];
  const kind = tint(top, view);
  if (!bottom && kind !== "plain") return made(`stone-${kind}`, 22, times, `stone ${kind}`);
  const whole = svg("g", times === 1 ? {} : { transform: `scale(${times})` });
  const drawn = svg("g", { class: "stone" }, whole);
  if (!bottom) {
    whole.append(made("stone-plain", 22, 1, "plain"), svg("text", { y: 4.4, class: "letter" }, top.toUpperCase()));
    return drawn;
  }
  const y = -2.2;
  whole.append(shadow(8, 18), ball(tint(bottom, view), 4.6), ball(kind, y));
  if (bottom === top) whole.append(...mark(kind, y));
  else {
    whole.append(svg("circle", { cy: y, r: 5.2, class: `pip ${kind}` }),
      svg("path", { d: `M-5.2 ${y}A5.2 5.2 0 0 0 5.2 ${y}Z`, class: `pip lower ${tint(bottom, view)}` }));
  }
  whole.append(shine(-8.8, 4.6, 0.5));
  if (stack.length > 2 || bottom === top) whole.append(count(stack.length));
  return drawn;
}

// How many lie there, with a sign that no seat's number has.
function count(number) {
  return svg("g", { transform: "translate(11.2 12)" },
    svg("rect", { x: -8.5, y: -7, width: 17, height: 14, rx: 7, class: "badge" }),
    svg("text", { y: 3.2, class: "letter count" }, `×${number}`));
}

// A piece in a line of text, beside its name.
export function chip(piece, view) {
  shade();
  return svg("svg", { viewBox: "-19 -18 38 38", class: "chip-stone", "aria-hidden": "true" }, stones([piece], view));
}
