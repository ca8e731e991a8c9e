// Sealing: the placement and its nonce stay on this phone until everybody has sealed.
import { element } from "./elements.js";
import { post, state } from "./live.js";
import { keep, keepSurely, keptNames, recallJson } from "./storage.js";
import { bytesToHex, sha256, utf8ToBytes } from "../vendor/noble-sha256-2.4.0.js";
import { say } from "./words.js";

const PREFIX = "lodestone-seal";
const DEAL = "lodestone-deal";
const RETRY_MS = 2000;
// Of so many games seals and openings are kept, as a suspended game may be resumed: the latest by their order, for the
// clocks of phones are set back and forth.
const MAX_GAMES = 20;

const keptOf = (prefix) => keptNames().filter((name) => name.startsWith(`${prefix} `));
const gameOf = (name) => name.split(" ")[1];
const orderOf = (name) => recallJson(name)?.order ?? 0;

// A number that nothing of this kind has yet: what is kept later has a higher one.
const nextOrder = (prefix) => 1 + Math.max(0, ...keptOf(prefix).map(orderOf));

// Forget all but the latest games.
function forgetOld(prefix) {
  const names = keptOf(prefix).sort((one, other) => orderOf(other) - orderOf(one));
  const latest = [...new Set(names.map(gameOf))].slice(0, MAX_GAMES);
  for (const name of names) if (!latest.includes(gameOf(name))) keep(name, null);
}

// The seal of a shuffled stack: shown before the first piece is dealt, kept on this phone, compared with the proof.
const dealKey = (game, mode) => `${DEAL} ${game} ${mode}`;

// Call with every view: the first seal of a game and mode is kept.
export function noteDeal(view) {
  const name = view.deal && dealKey(view.game.id, view.game.mode);
  if (!name || recallJson(name)) return;
  keep(name, JSON.stringify({ seal: view.deal.commitment, order: nextOrder(DEAL) }));
  forgetOld(DEAL);
}

export function dealSeal(game, mode) {
  return recallJson(dealKey(game, mode))?.seal ?? null;
}

export function dealHint(view) {
  return view.deal && element("p", { class: "hint", "data-card": "deal" },
    say("The stack is shuffled already, and its order is sealed: {seal}. When the game is over, every phone can check that it was not changed.", { seal: view.deal.short }));
}

// SHA-256, in hex.
export const digest = (text) => bytesToHex(sha256(utf8ToBytes(text)));

export function commitment(seal, seat, action, nonce) {
  const fields = [seal.tag, seal.game, seal.turn, seat, seal.history, action, nonce];
  return digest(fields.join("\n"));
}

// Every opening has its own key, with its hash: neither a second tab nor a lost answer overwrites the placement whose
// hash the table holds.
function openingKey(seal, seat, hash) {
  return `${PREFIX} ${seal.game} ${seal.turn} ${seat} ${hash}`;
}

export function openingOf(seal, seat) {
  const hash = seal?.commitments[seat];
  return hash ? recallJson(openingKey(seal, seat, hash)) : null;
}

// The opening of an equal seal that could not be sent: with its nonce the seal sent again is the same.
function earlier(seal, seat, action) {
  const mine = keptNames().filter((name) => name.startsWith(openingKey(seal, seat, "")));
  return mine.map((name) => recallJson(name)).find((one) => one?.action === action && one.history === seal.history
    && !one.taken);
}

export async function commit(seal, seat, action) {
  const nonce = earlier(seal, seat, action)?.nonce ?? bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
  const hash = commitment(seal, seat, action, nonce);
  const name = openingKey(seal, seat, hash);
  const opening = { action, nonce, history: seal.history, hash, order: nextOrder(PREFIX) };
  // Stored and read back before it is sent: so every seal can be opened.
  if (!keepSurely(name, JSON.stringify(opening))) {
    throw new Error(say("This phone does not keep data for this page (private mode?). Your seal would be lost."));
  }
  try {
    await post("seal", { turn: seal.turn, commitment: hash, game: seal.game, history: seal.history });
  } catch (error) {
    // Only the answer may have been lost: look what the table holds.
    const now = await state().catch(() => null);
    if (now?.seal?.commitments[seat] !== hash) throw error;
  }
  // If the turn becomes void, this nonce must not be used again: it may have been opened already.
  keep(name, JSON.stringify({ ...opening, taken: true }));
}

let latest = null;
let sending = false;

function due(view) {
  const seat = view.you?.seat;
  if (!seat || view.phase !== "revealing" || view.seats.find((other) => other.seat === seat)?.opened) return null;
  return openingOf(view.seal, seat);
}

// Call with every view: opens the seal when all have sealed, and retries until the table has it.
export async function openWhenAsked(view) {
  latest = view;
  if (sending) return;
  sending = true;
  for (let mine = due(latest); mine; mine = due(latest)) {
    const { turn, open, awake } = latest.seal;
    // No phone opens before all phones have reported that they are ready: a lost phone must be noticed before that.
    if (open) await post("open", { turn, action: mine.action, nonce: mine.nonce }).catch(() => {});
    else if (!awake.includes(latest.you.seat)) await post("ready", { turn }).catch(() => {});
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  sending = false;
}

// Remove the openings of a game that is over, and old ones. Others stay, as a suspended game may be resumed.
export function forget(over) {
  for (const name of keptOf(`${PREFIX} ${over}`)) keep(name, null);
  forgetOld(PREFIX);
}

// This phone's own seals of this game, as they are stored here.
export function keptHere(game) {
  const found = [];
  for (const name of keptNames()) {
    const [prefix, id, turn, seat, hash] = name.split(" ");
    const opening = prefix === PREFIX && id === game && /^[0-9a-f]{64}$/.test(hash) && recallJson(name);
    if (opening) found.push({ turn: Number(turn), seat: Number(seat), hash, history: opening.history });
  }
  return found;
}
