// Verification of a game's seals: everything that can be computed is computed here, not taken from the table.
import { commitment, digest } from "/static/shared/seal.js";
import { say } from "/static/shared/words.js";

const TAG = "lodestone-seal-v1";
const DEAL_TAG = "lodestone-deal-v1";
const FIRST = "lodestone-history-v1";
const HASH = /^[0-9a-f]{64}$/;
const NONCE = /^[0-9a-f]{32}$/;
// These values go into a command that people may paste into a shell: they must hold no characters special to it.
const SEED = /^[0-9a-f]{1,32}$/;
const POSITION = /^[A-Za-z0-9 .,:;()/+-]{1,2000}$/;
const GAME = /^[a-z0-9-]{1,60}$/;
const ACTION = /^[A-Za-z0-9+.:-]{1,16}$/;

const whole = (number) => Number.isInteger(number) && number >= 0;
const stands = (seal) => !seal.lost && !seal.resigned && !seal.void;
const revealed = (turn) => turn.seals.filter((seal) => stands(seal) && seal.action !== null);

// The text hashed for a seal, and for the history after a turn, with \n for each line feed.
function sealFields(game, turn, seal) {
  return [TAG, game, turn.turn, seal.seat, turn.history, seal.action, seal.nonce].join("\\n");
}

function historyFields(turn) {
  const opened = revealed(turn).sort((one, other) => one.seat - other.seat);
  return [turn.history, turn.turn, ...opened.map((seal) => `${seal.seat} ${seal.action} ${seal.nonce}`)].join("\\n");
}

function sealFault(proof, turn, seal) {
  if (!whole(seal.seat) || !HASH.test(seal.commitment)) return say("this is not a seal.");
  if (seal.action === null && seal.nonce === null) {
    return turn.revealed && stands(seal) ? say("the turn was revealed without opening this seal.") : null;
  }
  if (!turn.revealed || !stands(seal)) return say("it was opened although nothing of it was revealed.");
  if (!ACTION.test(seal.action) || !NONCE.test(seal.nonce)) return say("the opening does not have the right form.");
  const found = commitment({ tag: TAG, game: proof.game, turn: turn.turn, history: turn.history }, seal.seat,
    seal.action, seal.nonce);
  return found === seal.commitment ? null : say("{placement} is not what was sealed: its seal would be different.",
    { placement: seal.action });
}

// The table must show this phone's own seals, for each seat that it has sealed for. If no shown turn of that number is
// bound to the history this phone had seen, the turns before were made up; a seal not revealed may still be on its way.
function ownFaults(turn, turns, kept) {
  const alike = turns.filter((other) => other.turn === turn.turn);
  const seats = [...new Set(kept.filter((one) => one.turn === turn.turn).map((one) => one.seat))];
  return seats.filter((seat) => {
    const mine = kept.filter((one) => one.turn === turn.turn && one.seat === seat);
    const has = (other) => other.seals.some((seal) => seal.seat === seat
      && mine.some(({ hash }) => hash === seal.commitment));
    const asked = turn.revealed || turn.seals.some((seal) => seal.seat === seat);
    return asked && !has(turn) && (mine.some(({ history }) => history === turn.history) || !alike.some(has));
  }).map((seat) =>
    say("What this phone sealed for seat {seat} is not in it: it was sealed again on another phone, never arrived, or was exchanged.", { seat }));
}

function turnFaults(turn, history) {
  const faults = [];
  if (turn.history !== history) {
    faults.push(say("This turn does not fit those before: one of them was changed or left out."));
  }
  const standing = turn.seals.filter(stands);
  // A phone whose seal was given up may seal the same again; two players never have one seal.
  const whose = new Map(turn.seals.map((seal) => [seal.commitment, seal.seat]));
  if (turn.seals.some((seal) => whose.get(seal.commitment) !== seal.seat)) {
    faults.push(say("Two players have the same seal in it."));
  }
  if (new Set(standing.map((seal) => seal.seat)).size < standing.length) {
    faults.push(say("A player has two seals in it."));
  }
  const opened = revealed(turn);
  if (opened.some((seal) => opened.some((other) => !(seal.opened_n > other.n)))) {
    faults.push(say("By the table's own account a seal was opened before all had sealed."));
  }
  if (turn.revealed && digest(historyFields(turn).replaceAll("\\n", "\n")) !== turn.after) {
    faults.push(say("The number that binds the next turns to it does not follow from what was revealed."));
  }
  return faults;
}

// The turn as shell commands for another computer; empty for a malformed turn.
function recipe(proof, turn) {
  if (!GAME.test(proof.game) || !whole(turn.turn) || !HASH.test(turn.history) || !turn.revealed) return "";
  const opened = revealed(turn);
  if (opened.some((seal) => !whole(seal.seat) || !ACTION.test(seal.action) || !NONCE.test(seal.nonce))) return "";
  if (opened.some((seal) => !HASH.test(seal.commitment)) || !HASH.test(turn.after)) return "";
  const line = (text, result) => `printf '${text}' | sha256sum\n# ${result}`;
  return [
    ...opened.map((seal) => line(sealFields(proof.game, turn, seal),
      say("seat {seat} sent {seal}", { seat: seal.seat, seal: seal.commitment }))),
    line(historyFields(turn), say("the next turn begins with {number}", { number: turn.after })),
  ].join("\n");
}

// Check the deal of a shuffled game: its seal must be the one this phone was shown before (`noted`, may be missing),
// and the opening must fit the seal. Return the `fault`, whether all was `checked`, and the `recipe` (shell commands).
export function checkDeal(game, deal, noted) {
  if (!deal) return { fault: null, checked: false, recipe: "" };
  if (!HASH.test(deal.commitment)) return { fault: say("this is no seal at all."), checked: false, recipe: "" };
  if (noted && noted !== deal.commitment) {
    return { fault: say("this phone was shown another seal when the game began."), checked: false, recipe: "" };
  }
  if (deal.seed === null) return { fault: null, checked: false, recipe: "" };
  const fields = [DEAL_TAG, game, deal.seed, deal.position];
  const fits = digest(fields.join("\n")) === deal.commitment;
  const plain = GAME.test(game) && SEED.test(deal.seed) && POSITION.test(deal.position);
  const result = say("the seal of the stack is {seal}", { seal: deal.commitment });
  const recipe = fits && plain ? `printf '${fields.join("\\n")}' | sha256sum\n# ${result}` : "";
  return { fault: fits ? null : say("what is opened is not what was sealed."), checked: fits, recipe };
}

// Check the lots by which several tables draw a stack: each number that a table has opened must be the one that it had
// sealed, as its hash is what the table had published before. Return the `fault`, the `drawn` pieces in order, whether
// anything was `checked`, and the `recipe` (shell commands).
export function checkLots(game, lots) {
  const last = new Map(lots.sealed.map((one) => [one.seat, one.commitment]));
  const seats = [...last.keys()].sort((one, other) => one - other);
  const broken = (fault) => ({ fault, drawn: [], checked: false, recipe: "" });
  if (!seats.every(whole) || ![...last.values()].every((one) => HASH.test(one))) {
    return broken(say("this is no seal at all."));
  }
  if (new Set(last.values()).size < seats.length) return broken(say("Two tables have the same seal in it."));
  const left = [...lots.pieces];
  /** @type {string[]} */
  const drawn = [];
  /** @type {[any[], string][]} */
  const lines = [];
  for (const [at, { seat, number }] of lots.opened.entries()) {
    if (seat !== seats[at % seats.length] || !HASH.test(number)) {
      return broken(say("the opening does not have the right form."));
    }
    const link = [lots.link, game, number];
    if (digest(link.join("\n")) !== last.get(seat)) return broken(say("what is opened is not what was sealed."));
    lines.push([link, say("seat {seat} sent {seal}", { seat, seal: last.get(seat) })]);
    last.set(seat, number);
    if (at % seats.length < seats.length - 1) continue;
    const lot = [lots.lot, game, drawn.length + 1, ...seats.map((one) => `${one} ${last.get(one)}`)];
    const found = digest(lot.join("\n"));
    const [piece] = left.splice(Number(BigInt(`0x${found}`) % BigInt(Math.max(1, left.length))), 1);
    drawn.push(piece);
    lines.push([lot, say("lot {number} is {lot}: piece {piece}", { number: drawn.length, lot: found, piece })]);
  }
  const plain = [lots.link, lots.lot, game].every((one) => GAME.test(one)) && drawn.every((one) => ACTION.test(one));
  const recipe = plain
    ? lines.map(([fields, result]) => `printf '${fields.join("\\n")}' | sha256sum\n# ${result}`).join("\n") : "";
  return { fault: null, drawn, checked: drawn.length > 0, recipe };
}

// Return every turn with its `faults`, each seal with its `fault` and `own` (made on this phone), the counts, and the
// `head`: equal heads prove the same game.
export function check(proof, kept = []) {
  let history = digest(FIRST);
  const count = { turns: 0, seals: 0, own: 0, faults: 0, anew: 0, void: 0 };
  const turns = proof.turns.map((turn) => {
    const faults = [...turnFaults(turn, history), ...ownFaults(turn, proof.turns, kept)];
    const seals = turn.seals.map((seal) => ({
      ...seal,
      own: kept.some((one) => one.hash === seal.commitment && one.turn === turn.turn && one.seat === seal.seat),
      fault: sealFault(proof, turn, seal),
    }));
    if (turn.revealed) {
      count.turns += 1;
      history = turn.after; // A wrong number is reported once, not again for the next turns.
    }
    const fit = seals.filter((seal) => seal.action !== null && !seal.fault);
    count.seals += fit.length;
    count.own += fit.filter((seal) => seal.own).length;
    count.faults += faults.length + seals.filter((seal) => seal.fault).length;
    count.anew += seals.filter((seal) => seal.lost).length;
    count.void += seals.some((seal) => seal.void) ? 1 : 0;
    return { ...turn, seals, faults, recipe: recipe(proof, turn) };
  });
  return { turns, count, head: history };
}
