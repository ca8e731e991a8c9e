// A picture of the end, made on this device: the board's drawing, the winner, and the curve. Nothing is fetched or
// sent.
import { element, svg } from "./elements.js";
import { names } from "./parts.js";
import { curve } from "./review.js";
import { say, sayMany } from "./words.js";

const [WIDE, HIGH, EDGE, CURVE] = [640, 760, 30, 110];
const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity",
  "font-size", "font-family", "font-weight",
  "text-anchor", "display", "r"];

// A copy of a drawing that looks the same without the style sheet: each part carries its own style.
function withStyles(drawing) {
  const copy = drawing.cloneNode(true);
  const [from, to] = [[drawing, ...drawing.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((one, at) => {
    const style = getComputedStyle(one);
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" && value !== "auto" && !value.includes("url(")) to[at].setAttribute(name, value);
      else if (name === "fill" || name === "stroke"
        || name === "display") if (value === "none") to[at].setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "id", "role"]) {
      if (name !== "id" || !to[at].closest("defs")) to[at].removeAttribute(name);
    }
  });
  return copy;
}

function place(drawing, x, y, width, height) {
  for (const [name, value] of Object.entries({ x, y, width, height })) drawing.setAttribute(name, value);
  return drawing;
}

// The page's background and text colour (light or dark scheme).
function colours() {
  const style = getComputedStyle(document.body);
  return { paper: style.backgroundColor, ink: style.color };
}

export function picture(view, board, review) {
  const { paper, ink } = colours();
  const line = (y, size, words) => svg("text",
    { x: WIDE / 2, y, "font-size": size, "text-anchor": "middle", fill: ink, "font-family": "Georgia, serif" }, words);
  const { winners } = view.result;
  const won = winners.length ? sayMany("{names} has won.", "{names} have won.", winners.length,
    { names: names(view, winners) }) : say("A draw.");
  const has = review?.state === "ready";
  const size = HIGH - 90 - EDGE - (has ? CURVE + 10 : 0);
  const whole = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH },
    svg("rect", { width: WIDE, height: HIGH, fill: paper }), line(42, 26, `${view.game.title}: ${won}`),
      line(70, 16, view.result.words),
    place(withStyles(board.drawing.root), EDGE, 84, WIDE - 2 * EDGE, size));
  if (has) {
    const shown = curve(view, review);
    shown.style.position = "absolute"; // It must be in the page for its style to be computed.
    document.body.append(shown);
    whole.append(place(withStyles(shown), EDGE, HIGH - EDGE - CURVE, WIDE - 2 * EDGE, CURVE));
    shown.remove();
  }
  return new XMLSerializer().serializeToString(whole);
}

export function keepPicture(view, board, review) {
  const href = URL.createObjectURL(new Blob([picture(view, board, review)], { type: "image/svg+xml" }));
  const link = element("a", { href, download: `${view.game.id}.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
