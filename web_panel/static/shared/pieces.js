// Pieces as they are drawn: by colour and by letter, on the board's drawing and beside a name.
import { element } from "./live.js";
import { listed, say } from "./words.js";

const NS = "http://www.w3.org/2000/svg";

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// The colour of a piece: the class of what is drawn for it.
export function tint(piece, { tints }) {
  return tints[piece] ?? "plain";
}

// Light from the upper left, and the shadow that a piece casts: once a drawing. They lie over and under flat colours.
export function shading() {
  const stop = (offset, colour, opacity) => svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  return svg("defs", {},
    svg("radialGradient", { id: "piece-sheen", cx: 0.36, cy: 0.28, r: 0.82 }, stop(0, "#fff", 0.5), stop(0.4, "#fff", 0), stop(0.65, "#000", 0), stop(1, "#000", 0.34)),
    svg("radialGradient", { id: "piece-cast" }, stop(0.55, "#120903", 0.55), stop(1, "#120903", 0)));
}

// One piece: a disc with its letter. Two different ones: half discs, as they lie. More than a pair: with their number.
export function stones(stack, view) {
  const [top, bottom] = [stack.at(-1), stack.at(-2)];
  const drawn = [];
  const stone = (piece) => `stone ${tint(piece, view)}`;
  const letter = (y, piece, text) => {
    const mark = svg("text", { y, class: `letter ${tint(piece, view)}` });
    mark.textContent = text;
    return mark;
  };
  if (bottom && bottom !== top) {
    drawn.push(cast(1), svg("path", { d: "M-14 0A14 14 0 0 1 14 0Z", class: stone(top) }), letter(-2.5, top, top.toUpperCase()));
    drawn.push(svg("path", { d: "M-14 0A14 14 0 0 0 14 0Z", class: stone(bottom) }), letter(10.5, bottom, bottom.toUpperCase()), sheen(14));
  } else {
    drawn.push(cast(bottom ? 5 : 0));
    if (bottom) drawn.push(svg("circle", { cy: 5, r: 12.5, class: stone(bottom) }));
    drawn.push(svg("circle", { r: 12.5, class: stone(top) }), sheen(12.5), letter(4, top, top.toUpperCase()));
  }
  if (stack.length > 2 || (bottom && bottom === top)) {
    drawn.push(svg("circle", { cx: 12, cy: -11, r: 7, class: "badge" }));
    const count = svg("text", { x: 12, y: -7.5, class: "letter count" });
    count.textContent = stack.length;
    drawn.push(count);
  }
  return drawn;
}

function sheen(r) {
  return svg("circle", { r, class: "sheen", fill: "url(#piece-sheen)" });
}

function cast(down) {
  return svg("ellipse", { cx: 1.4, cy: 3.4 + down, rx: 15.4, ry: 14.6, class: "cast", fill: "url(#piece-cast)" });
}

// A piece in a line of text; what it is called stands beside it.
export function chip(piece, view) {
  return element("span", { class: `chip ${tint(piece, view)}`, "aria-hidden": "true" }, piece.toUpperCase());
}

export function stackWords(stack, { pieces }) {
  return stack.length ? listed(stack.map((piece) => pieces[piece] ?? piece)) : say("empty");
}
