// Pieces that have come to lie somewhere new move there: along the arrow that leads to them, or from above. What can be
// done does not wait for it, and nothing moves where motion is not wished.
const SLIDE = { duration: 480, easing: "cubic-bezier(.16, 1, .3, 1)" };
const FALL = { duration: 480, easing: "cubic-bezier(.3, 1.45, .5, 1)" };

// `before`: what was drawn on each node until now, null where the drawing is new.
export function slide({ places, scale }, before, arrows) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [name, place] of Object.entries(places)) {
    const was = before.get(name);
    if (was === null || was === undefined || was === place.drawn || place.well || !place.drawn) continue;
    const from = places[arrows.find(({ kind, nodes }) => kind === "made" && nodes.at(-1) === name)?.nodes[0]];
    if (from) place.stack.animate([{ transform: `translate(${(from.x - place.x) / scale}px, ${(from.y - place.y) / scale}px)` }, { transform: "none" }], SLIDE);
    else if (place.drawn.length > was.length) place.stack.animate([{ transform: "translateY(-14px) scale(1.3)", opacity: 0 }, { transform: "none", opacity: 1 }], FALL);
  }
}
