// Sealing: the placement and its nonce stay on this phone until everybody has sealed.
import { bytesToHex, sha256, utf8ToBytes } from "./vendor/noble-sha256-2.4.0.js";
import { post } from "./live.js";

const PREFIX = "lodestone-seal";

function key(game, turn, seat) {
  return `${PREFIX} ${game} ${turn} ${seat}`;
}

export function commitment(seal, seat, action, nonce) {
  const fields = [seal.tag, seal.game, seal.turn, seat, seal.history, action, nonce];
  return bytesToHex(sha256(utf8ToBytes(fields.join("\n"))));
}

export function kept(seal, seat) {
  const text = localStorage.getItem(key(seal.game, seal.turn, seat));
  const found = text ? JSON.parse(text) : null;
  return found && found.history === seal.history ? found : null;
}

export async function commit(seal, seat, action) {
  const before = kept(seal, seat);
  const nonce = before?.action === action ? before.nonce : bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
  const opening = { action, nonce, history: seal.history, hash: commitment(seal, seat, action, nonce) };
  const name = key(seal.game, seal.turn, seat);
  // Kept before it is sent, and read back: what was sealed can always be opened.
  localStorage.setItem(name, JSON.stringify(opening));
  if (localStorage.getItem(name) !== JSON.stringify(opening)) {
    throw new Error("This phone does not keep data for this page (private mode?). Your seal would be lost.");
  }
  await post("seal", { turn: seal.turn, commitment: opening.hash });
}

let opening = null;

export async function openIfAsked(view, seat) {
  const seal = view.seal;
  if (view.phase !== "revealing" || !seal || !seal.commitments[seat]) return;
  if (view.seats.find((other) => other.seat === seat)?.opened) return;
  const mine = kept(seal, seat);
  if (!mine || mine.hash !== seal.commitments[seat]) return;
  const what = `${seal.game} ${seal.turn} ${mine.hash}`;
  if (opening === what) return;
  opening = what;
  try {
    await post("open", { turn: seal.turn, action: mine.action, nonce: mine.nonce });
  } finally {
    setTimeout(() => {
      if (opening === what) opening = null;
    }, 1500);
  }
}

export function forget(game) {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${PREFIX} `) && !name.startsWith(`${PREFIX} ${game} `)) localStorage.removeItem(name);
  }
}
