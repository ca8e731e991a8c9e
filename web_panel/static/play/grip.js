// A tray that is higher than its room covers the board's foot. Then it has a grip: a tap on it puts the tray down to
// its room, where it scrolls, and up again. It stays down until somebody wants it up.
import { byId, element } from "../shared/elements.js";
import { say } from "../shared/words.js";

const RIM = 12; // So much of the board may be covered without a grip, px: its edge.

// How much higher the tray is with its grip, px.
function roomOf(grip, tray) {
  const { marginTop, marginBottom } = getComputedStyle(grip);
  const all = [marginTop, marginBottom, getComputedStyle(tray).rowGap].map(parseFloat);
  return grip.hidden ? 0 : all.reduce((sum, one) => sum + one, grip.offsetHeight);
}

// How far the tray without its grip reaches over the board, px: with it, it would show and hide itself in turns.
function covered(tray, grip) {
  const board = byId("board").querySelector("svg")?.getBoundingClientRect();
  const box = tray.getBoundingClientRect();
  if (!board || box.left >= board.right || box.right <= board.left) return 0;
  return board.bottom - box.top - roomOf(grip, tray);
}

/**
 * @param {any} tray
 * @param {any[]} contents What grows in it.
 * @returns {(low: boolean) => void} Puts it down, or up.
 */
export function watchTray(tray, ...contents) {
  const grip = element("button", { id: "grip", type: "button", hidden: true, onclick: () => put(!down) });
  let down = false;
  let high = 0; // How high all that is in it was.

  function put(low) {
    down = low;
    tray.classList.toggle("down", low);
    grip.setAttribute("aria-label", low ? say("Show all that is below the board") : say("Show the whole board"));
    grip.setAttribute("aria-expanded", low ? "false" : "true");
    high = 0;
    fit();
  }

  function fit() {
    if (high !== tray.scrollHeight) tray.scrollTop = 0; // What is new begins at its beginning.
    high = tray.scrollHeight;
    grip.hidden = down ? tray.scrollHeight <= tray.clientHeight + 1 : covered(tray, grip) <= RIM;
  }

  tray.prepend(grip);
  put(false);
  const watch = new ResizeObserver(fit);
  for (const one of [tray, ...contents]) watch.observe(one);
  return put;
}
