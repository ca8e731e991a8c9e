// Drawings of pieces, by colour and letter: on the board's drawing and in text.
import { element } from "./live.js";
import { listed, say } from "./words.js";

const NS = "http://www.w3.org/2000/svg";

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// The colour of a piece, which is also its CSS class.
export function tint(piece, { tints }) {
  return tints[piece] ?? "plain";
}

// Where light falls on the wood: once a page for each hue that a lamp has shone in, as a gradient of it.
export function bloomFill(kind) {
  const id = `bloom-${kind}`;
  if (!document.getElementById(id)) {
    const stop = (offset, opacity) => svg("stop", { offset, "stop-opacity": opacity });
    document.querySelector("#piece-sheen").before(svg("radialGradient", { id, class: `bloom ${kind}` }, stop(0.3, 0.85), stop(0.55, 0.42), stop(1, 0)));
  }
  return `url(#${id})`;
}

// The gradients for light from the upper left and for a piece's shadow, drawn over and under the flat colours. They are
// added once to the page, outside any part that may be hidden.
export function shade() {
  if (document.getElementById("piece-sheen")) return;
  const stop = (offset, colour, opacity) => svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  document.body.append(svg("svg", { class: "unseen", "aria-hidden": "true" }, svg("defs", {},
    svg("radialGradient", { id: "piece-sheen", cx: 0.36, cy: 0.28, r: 0.82 }, stop(0, "#fff", 0.5), stop(0.4, "#fff", 0), stop(0.65, "#000", 0), stop(1, "#000", 0.34)),
    svg("radialGradient", { id: "piece-cast" }, stop(0.55, "#120903", 0.55), stop(1, "#120903", 0)))));
}

// What tells coloured pieces apart without their colour, on pieces and beside names.
const SHAPES = { blue: "M0-5L5.6 4.6H-5.6Z", red: "M-4.5-4.5H4.5V4.5H-4.5Z", yellow: "M-5 0A5 5 0 0 1 5 0A5 5 0 0 1-5 0Z", green: "M0-5.4V5.4M-5.4 0H5.4" };
const SIGNS = { blue: "▲", red: "■", yellow: "●", green: "✚" };

// The drawing of a stack. One piece: a disc, plain if white or black, with a shape if coloured, else with its letter.
// More: an edge below; two different pieces have a pip in both colours, two equal pieces or a higher stack their number.
export function stones(stack, view) {
  const [top, bottom] = [stack.at(-1), stack.at(-2)];
  const y = bottom ? -2 : 0;
  const drawn = [cast(bottom ? 4 : 0)];
  if (bottom) drawn.push(svg("circle", { cy: 3.5, r: 12.5, class: `stone ${tint(bottom, view)}` }));
  const mark = svg("text", { y: y + 4, class: `letter ${tint(top, view)}` });
  mark.textContent = top.toUpperCase();
  drawn.push(svg("circle", { cy: y, r: 12.5, class: `stone ${tint(top, view)}` }), sheen(12.5, y), mark);
  const shape = SHAPES[tint(top, view)];
  if (shape) drawn.push(svg("path", { d: shape, transform: `translate(0 ${y})`, class: `shape ${tint(top, view)}` }));
  if (bottom && bottom !== top) {
    drawn.push(svg("circle", { cy: y, r: 5, class: `pip ${tint(bottom, view)}` }), svg("path", { d: `M-5 ${y}A5 5 0 0 0 5 ${y}Z`, class: `pip ${tint(top, view)}` }));
  }
  if (stack.length > 2 || (bottom && bottom === top)) {
    const count = svg("text", { x: 12, y: 14, class: "letter count" });
    count.textContent = stack.length;
    drawn.push(svg("circle", { cx: 12, cy: 10.5, r: 7, class: "badge" }), count);
  }
  return drawn;
}

function sheen(r, cy) {
  return svg("circle", { cy, r, class: "sheen", fill: "url(#piece-sheen)" });
}

function cast(down) {
  return svg("ellipse", { cx: 1.4, cy: 3.4 + down, rx: 15.4, ry: 14.6, class: "cast", fill: "url(#piece-cast)" });
}

// A piece in a line of text, beside its name.
export function chip(piece, view) {
  return element("span", { class: `chip ${tint(piece, view)}`, "aria-hidden": "true" }, SIGNS[tint(piece, view)] ?? piece.toUpperCase());
}

export function stackWords(stack, { pieces }) {
  return stack.length ? listed(stack.map((piece) => pieces[piece] ?? piece)) : say("empty");
}
