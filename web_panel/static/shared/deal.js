// The seal of a shuffled stack: shown before the first piece is dealt, kept on this phone, compared with the proof.
import { keep, recallJson } from "./kept.js";
import { element } from "./live.js";
import { say } from "./words.js";

const PREFIX = "lodestone-deal";
const KEPT_MS = 30 * 24 * 3600 * 1000; // Time for which a seal is kept, as a suspended game may be resumed.

const place = (game, mode) => `${PREFIX} ${game} ${mode}`;

// Call with every view: the first seal of a game and mode is kept.
export function noteDeal(view) {
  const name = view.deal && place(view.game.id, view.game.mode);
  if (!name || recallJson(name)) return;
  for (const other of Object.keys(localStorage)) {
    if (other.startsWith(`${PREFIX} `) && Date.now() - (recallJson(other)?.at ?? 0) > KEPT_MS) localStorage.removeItem(other);
  }
  keep(name, JSON.stringify({ seal: view.deal.commitment, at: Date.now() }));
}

export function notedDeal(game, mode) {
  return recallJson(place(game, mode))?.seal ?? null;
}

export function dealHint(view) {
  return view.deal && element("p", { class: "hint", "data-card": "deal" },
    say("The stack is shuffled already, and its order is sealed: {seal}. When the game is over, every phone can check that it was not changed.", { seal: view.deal.short }));
}
