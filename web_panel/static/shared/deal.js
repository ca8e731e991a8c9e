// The seal of a shuffled stack: shown before the first piece is dealt, kept on this phone, compared with the proof.
import { element } from "./live.js";
import { say } from "./words.js";

const PREFIX = "lodestone-deal";
const KEPT_MS = 30 * 24 * 3600 * 1000; // Time for which a seal is kept, as a suspended game may be resumed.

const place = (game, mode) => `${PREFIX} ${game} ${mode}`;

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

// Call with every view: the first seal of a game and mode is kept.
export function noteDeal(view) {
  const name = view.deal && place(view.game.id, view.game.mode);
  if (!name || read(name)) return;
  for (const other of Object.keys(localStorage)) {
    if (other.startsWith(`${PREFIX} `) && Date.now() - (read(other)?.at ?? 0) > KEPT_MS) localStorage.removeItem(other);
  }
  try {
    localStorage.setItem(name, JSON.stringify({ seal: view.deal.commitment, at: Date.now() }));
  } catch {
    // Storage full or forbidden: this phone has nothing to compare with.
  }
}

export function notedDeal(game, mode) {
  return read(place(game, mode))?.seal ?? null;
}

export function dealHint(view) {
  return view.deal && element("p", { class: "hint", "data-card": "deal" },
    say("The stack is shuffled already, and its order is sealed: {seal}. When the game is over, every phone can check that it was not changed.", { seal: view.deal.short }));
}
