// Animations. No action waits for them, and none runs where the user prefers reduced motion.

const OUT = "cubic-bezier(.16, 1, .3, 1)";
const SLIDE = { duration: 480, easing: OUT };
const FALL = { duration: 480, easing: "cubic-bezier(.3, 1.45, .5, 1)" };
const RISE = { duration: 240, easing: OUT };

export function moves() {
  return matchMedia("(prefers-reduced-motion: no-preference)").matches;
}

// Animate pieces that are new on their nodes: along the arrow that leads to them, or falling from above with a ripple.
// `before`: node → its pieces as drawn before, null for a new drawing.
export function slide({ places }, before, arrows) {
  if (!moves()) return;
  for (const [name, place] of Object.entries(places)) {
    const was = before.get(name);
    if (was === null || was === undefined || was === place.drawn || place.well || !place.drawn) continue;
    const from = places[arrows.find(({ kind, nodes }) => kind === "made" && nodes.at(-1) === name)?.nodes[0]];
    if (from) {
      const [x, y] = [from.x - place.x, from.y - place.y];
      place.stack.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], SLIDE);
    } else if (place.drawn.length > was.length) {
      fall(place);
    }
  }
}

function fall({ stack, outline }) {
  stack.animate([{ transform: "translateY(-40px) scale(1.5)", opacity: 0 }, { transform: "none", opacity: 1 }], FALL);
  const ripple = outline(16, "ripple");
  stack.before(ripple);
  ripple.animate([{ transform: "scale(.5)", opacity: 0.9 }, { transform: "scale(1.9)", opacity: 0 }],
    { ...SLIDE, duration: 900 }).finished.then(() => ripple.remove(), () => ripple.remove());
}

let before = null;

// Let the headline, and other elements that are new with the next turn, rise into place.
export function riseWithTurn(view, ...elements) {
  const now = `${view.game.id} ${view.turn} ${view.phase} ${view.resolver}`;
  if (before !== null && before !== now && moves()) {
    for (const one of elements) {
      one.animate([{ transform: "translateY(12px)", opacity: 0 }, { transform: "none", opacity: 1 }], RISE);
    }
  }
  before = now;
}
