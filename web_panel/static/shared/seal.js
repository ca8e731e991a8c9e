// Sealing: the placement and its nonce stay on this phone until everybody has sealed.
import { bytesToHex, sha256, utf8ToBytes } from "../vendor/noble-sha256-2.4.0.js";
import { post, state } from "./live.js";
import { say } from "./words.js";

const PREFIX = "lodestone-seal";
const RETRY_MS = 2000;
const KEPT_MS = 30 * 24 * 3600 * 1000; // So long a game that was set aside may ask for what was sealed in it.

export function commitment(seal, seat, action, nonce) {
  const fields = [seal.tag, seal.game, seal.turn, seat, seal.history, action, nonce];
  return bytesToHex(sha256(utf8ToBytes(fields.join("\n"))));
}

// Every opening has a place of its own, found by its hash: a second tab or an answer lost on the way never overwrites
// the placement whose hash the table holds.
function place(seal, seat, hash) {
  return `${PREFIX} ${seal.game} ${seal.turn} ${seat} ${hash}`;
}

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

export function kept(seal, seat) {
  const hash = seal?.commitments[seat];
  return hash ? read(place(seal, seat, hash)) : null;
}

// A number that was made for a seal whose way to the table failed: sent again it is the same seal.
function earlier(seal, seat, action) {
  const mine = Object.keys(localStorage).filter((name) => name.startsWith(place(seal, seat, "")));
  return mine.map(read).find((one) => one?.action === action && one.history === seal.history && !one.taken);
}

function keep(name, opening) {
  const text = JSON.stringify(opening);
  try {
    localStorage.setItem(name, text);
  } catch {
    // Full or forbidden: the look below says so.
  }
  if (localStorage.getItem(name) !== text) {
    throw new Error(say("This phone does not keep data for this page (private mode?). Your seal would be lost."));
  }
}

export async function commit(seal, seat, action) {
  const nonce = earlier(seal, seat, action)?.nonce ?? bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
  const hash = commitment(seal, seat, action, nonce);
  const name = place(seal, seat, hash);
  const opening = { action, nonce, history: seal.history, hash, at: Date.now() };
  // Kept before it is sent, and read back: what was sealed can always be opened.
  keep(name, opening);
  try {
    await post("seal", { turn: seal.turn, commitment: hash });
  } catch (error) {
    // The answer may have been lost on its way: what counts is what the table holds.
    const now = await state().catch(() => null);
    if (now?.seal?.commitments[seat] !== hash) throw error;
  }
  try {
    // Should the turn become void, this number is not used again: it may have been opened already.
    localStorage.setItem(name, JSON.stringify({ ...opening, taken: true }));
  } catch {
    // What was kept before still stands there.
  }
}

let latest = null;
let sending = false;

function due(view) {
  const seat = view.you?.seat;
  if (!seat || view.phase !== "revealing" || view.seats.find((other) => other.seat === seat)?.opened) return null;
  return kept(view.seal, seat);
}

// Call with every view: opens the seal as soon as all have sealed, again and again until the table has it.
export async function openWhenAsked(view) {
  latest = view;
  if (sending) return;
  sending = true;
  for (let mine = due(latest); mine; mine = due(latest)) {
    const { turn, open, awake } = latest.seal;
    // No opening leaves a phone before all phones have said that they are awake: a lost one would be noticed too late.
    if (open) await post("open", { turn, action: mine.action, nonce: mine.nonce }).catch(() => {});
    else if (!awake.includes(latest.you.seat)) await post("ready", { turn }).catch(() => {});
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  sending = false;
}

// When the next game begins nothing of one that was over is left to be opened, or to be compared with the proof. A game
// that the host has set aside may come back, and ask for what was sealed in it.
export function forget(over) {
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(`${PREFIX} `)) continue;
    const fresh = Date.now() - (read(name)?.at ?? 0) < KEPT_MS;
    if (!fresh || name.startsWith(`${PREFIX} ${over} `)) localStorage.removeItem(name);
  }
}
