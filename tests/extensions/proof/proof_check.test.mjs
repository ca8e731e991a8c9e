import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { check, checkDeal, checkLots } from "../../../firmware_host/extensions/proof/static/proof_check.js";
import { keptHere } from "../../../web_panel/static/shared/seal.js";

const hash = (...lines) => createHash("sha256").update(lines.join("\n")).digest("hex");
const FIRST = hash("lodestone-history-v1");
const NONCES = ["00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"];
const flags = { lost: false, resigned: false, void: false };

// A proof of as many turns as there are pairs of placements, as an honest table tells it.
function honest(...turns) {
  let history = FIRST;
  return {
    game: "spokes-1",
    turns: turns.map((placements, at) => {
      const turn = at + 1;
      const seals = placements.map((action, place) => ({
        seat: place + 1, action, nonce: NONCES[place], n: 10 * turn + place, opened_n: 10 * turn + 5 + place, ...flags,
        commitment: hash("lodestone-seal-v1", "spokes-1", turn, place + 1, history, action, NONCES[place]),
      }));
      const after = hash(history, turn, ...placements.map((action, place) => `${place + 1} ${action} ${NONCES[place]}`));
      const told = { turn, history, after, revealed: true, seals };
      history = after;
      return told;
    }),
  };
}
const proof = () => honest(["wD12", "bD13"], ["wA1", "bB3"]);
const faults = ({ turns }) => turns.flatMap((turn) => [...turn.faults, ...turn.seals.map((seal) => seal.fault).filter(Boolean)]);

test("an honest game has no faults, and its head binds all of it", () => {
  const found = check(proof());
  assert.deepEqual(faults(found), []);
  assert.deepEqual(found.count, { turns: 2, seals: 4, own: 0, faults: 0, anew: 0, void: 0 });
  assert.equal(found.head, proof().turns[1].after);
  assert.notEqual(check(honest(["wD12", "bD13"])).head, found.head);
});

test("a placement that was changed is named", () => {
  const told = proof();
  told.turns[0].seals[1].action = "bD14";
  assert.match(faults(check(told)).join(" "), /bD14 is not what was sealed/);
});

test("a turn that was left out breaks what the next one is bound to", () => {
  const told = proof();
  told.turns.shift();
  assert.match(faults(check(told)).join(" "), /does not fit those before/);
});

test("a seal that was opened before all had sealed is named", () => {
  const told = proof();
  told.turns[0].seals[0].opened_n = told.turns[0].seals[1].n;
  assert.match(faults(check(told)).join(" "), /opened before all had sealed/);
});

test("two players with one seal, and one with two, are named", () => {
  const same = proof();
  same.turns[0].seals[1].commitment = same.turns[0].seals[0].commitment;
  assert.match(faults(check(same)).join(" "), /same seal/);
  const twice = proof();
  twice.turns[0].seals.push({ ...twice.turns[0].seals[0], commitment: "a".repeat(64) });
  assert.match(faults(check(twice)).join(" "), /two seals/);
});

test("what this phone sealed must be in it", () => {
  const told = proof();
  const [seal] = told.turns[1].seals;
  const mine = { turn: 2, seat: 1, hash: seal.commitment, history: told.turns[1].history };
  assert.deepEqual(faults(check(told, [mine])), []);
  assert.equal(check(told, [mine]).count.own, 1);
  assert.match(faults(check(told, [{ ...mine, hash: "b".repeat(64) }])).join(" "), /What this phone sealed for seat 1/);
});

test("commands are given to nobody's shell that hold more than plain words", () => {
  const told = proof();
  assert.match(check(told).turns[0].recipe, /^printf 'lodestone-seal-v1\\nspokes-1\\n1\\n1/);
  assert.equal(check({ ...told, game: "x'; rm -rf /" }).turns[0].recipe, "");
});

test("the deal that is opened is the one that was sealed", () => {
  const commitment = hash("lodestone-deal-v1", "octiles-1", "12ab", "a b c");
  const deal = { commitment, seed: "12ab", position: "a b c" };
  assert.deepEqual({ ...checkDeal("octiles-1", deal, commitment), recipe: "" }, { fault: null, checked: true, recipe: "" });
  assert.match(checkDeal("octiles-1", deal, "c".repeat(64)).fault, /another seal/);
  assert.match(checkDeal("octiles-1", { ...deal, seed: "12ac" }, null).fault, /not what was sealed/);
  assert.equal(checkDeal("octiles-1", { ...deal, seed: null }, null).checked, false);
  assert.match(checkDeal("octiles-1", { ...deal, commitment: "x" }, null).fault, /no seal/);
});

// Both tables have opened all their numbers, the last of which are secret above: each is the hash of the next one.
function lots(...secrets) {
  const chains = secrets.map((secret) => {
    const chain = [secret];
    while (chain.length < 19) chain.unshift(hash("lodestone-link-v1", "octiles-1", chain[0]));
    return chain;
  });
  const seats = chains.map((_, at) => at + 1);
  return {
    link: "lodestone-link-v1", lot: "lodestone-stack-v1", pieces: chains[0].slice(1).map((_, at) => String(at + 1)),
    sealed: seats.map((seat) => ({ seat, commitment: chains[seat - 1][0] })),
    opened: chains[0].slice(1).flatMap((_, at) => seats.map((seat) => ({ seat, number: chains[seat - 1][at + 1] }))),
  };
}

test("the lots of two tables draw the pieces that the rules say", () => {
  const told = lots("ab".repeat(32), "cd".repeat(32));
  const found = checkLots("octiles-1", told);
  assert.equal(found.drawn.join(), "14,18,7,6,10,13,9,16,8,5,15,11,1,3,17,2,12,4"); // As tests/table/test_lots.py has it.
  assert.deepEqual([found.fault, found.checked], [null, true]);
  assert.match(found.recipe, /^printf 'lodestone-link-v1\\noctiles-1\\n/);
  assert.equal(checkLots("octiles-1", { ...told, opened: told.opened.slice(0, 3) }).drawn.join(), "14");
  assert.equal(checkLots("octiles-1", { ...told, opened: [] }).checked, false);
});

test("a lot that a table has exchanged, left out or shared is named", () => {
  const told = lots("ab".repeat(32), "cd".repeat(32));
  const other = { ...told.opened[5], number: "e".repeat(64) };
  assert.match(checkLots("octiles-1", { ...told, opened: told.opened.with(5, other) }).fault, /not what was sealed/);
  assert.match(checkLots("octiles-1", { ...told, opened: told.opened.slice(1) }).fault, /right form/);
  assert.match(checkLots("octiles-1", lots("ab".repeat(32), "ab".repeat(32))).fault, /same seal/);
  assert.match(checkLots("octiles-1", { ...told, sealed: [{ seat: 1, commitment: "x" }] }).fault, /no seal/);
  assert.equal(checkLots("octiles-1", { ...told, pieces: told.pieces.map((one) => `${one}'`) }).recipe, "");
});

test("what this phone keeps is found by its game", () => {
  const name = `lodestone-seal spokes-1 3 2 ${"d".repeat(64)}`;
  localStorage.setItem(name, JSON.stringify({ history: "h" }));
  localStorage.setItem(name.replace("spokes-1", "coil-1"), "{}");
  localStorage.setItem("lodestone-seal spokes-1 4 2 short", "{}");
  assert.deepEqual(keptHere("spokes-1"), [{ turn: 3, seat: 2, hash: "d".repeat(64), history: "h" }]);
});
