import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { commit, commitment, forget, keptHere, noteDeal, openingOf } from "../../web_panel/static/shared/seal.js";

const seal = { tag: "lodestone-seal-v1", game: "spokes-1", turn: 7, history: "00ff", commitments: {} };
const { fetch } = globalThis;
const answered = (body, ok = true) => ({ ok, status: ok ? 200 : 409, json: async () => body });
const openings = () => Object.keys(localStorage).map((name) => JSON.parse(localStorage.getItem(name)));
let sent = [];

beforeEach(() => {
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  sent = [];
  globalThis.fetch = async (path, { body } = {}) => {
    sent.push([path, body && JSON.parse(body)]);
    return answered({ ok: true });
  };
});
afterEach(() => { globalThis.fetch = fetch; });

test("a seal is the hash of its fields, a line each", () => {
  const text = "lodestone-seal-v1\nspokes-1\n7\n2\n00ff\nbD4\n7c1039287aa9aeaad5f3cdce182435ca";
  const hash = createHash("sha256").update(text).digest("hex");
  assert.equal(commitment(seal, 2, "bD4", "7c1039287aa9aeaad5f3cdce182435ca"), hash);
});

test("what is sealed is kept before it is sent, and only its hash is sent", async () => {
  globalThis.fetch = async (path, { body }) => {
    assert.equal(openings().length, 1, "kept by now");
    sent.push([path, JSON.parse(body)]);
    return answered({ ok: true });
  };
  await commit(seal, 2, "bD4");
  const [{ action, nonce, hash, taken }] = openings();
  assert.deepEqual([action, taken], ["bD4", true]);
  assert.match(nonce, /^[0-9a-f]{32}$/);
  assert.deepEqual(sent, [["/api/seal", { turn: 7, commitment: hash, game: "spokes-1", history: "00ff" }]]);
  assert.equal(openingOf({ ...seal, commitments: { 2: hash } }, 2).nonce, nonce);
  assert.equal(openingOf({ ...seal, commitments: { 2: "another" } }, 2), null);
});

test("a seal that was refused is the same when it is sent again, another one once it was taken", async () => {
  globalThis.fetch = async (path) => (path === "/api/state" ? answered({ seal }) : answered({ ok: false, error: { message: "no" } }, false));
  await assert.rejects(commit(seal, 2, "bD4"), /no/);
  globalThis.fetch = async (_path, { body }) => { sent.push(JSON.parse(body).commitment); return answered({ ok: true }); };
  await commit(seal, 2, "bD4");
  assert.equal(openings().length, 1);
  await commit(seal, 2, "bD4");
  assert.equal(new Set(sent).size, 2);
});

test("an answer that is lost is no failure where the table holds the seal", async () => {
  let held = null;
  globalThis.fetch = async (path, { body } = {}) => {
    if (path === "/api/state") return answered({ seal: { ...seal, commitments: { 2: held } } });
    held = JSON.parse(body).commitment;
    throw new TypeError("the network is gone");
  };
  await commit(seal, 2, "bD4");
  assert.equal(openings()[0].hash, held);
});

test("where storage is forbidden a seal is refused in a sentence, and all else goes on", async () => {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const get = () => { throw new DOMException("Access is denied for this document.", "SecurityError"); };
  Object.defineProperty(globalThis, "localStorage", { get, configurable: true });
  await assert.rejects(commit(seal, 2, "bD4"), /does not keep data/);
  noteDeal({ game: { id: "octiles-1", mode: "2" }, deal: { commitment: "aa" } });
  assert.equal(openingOf({ ...seal, commitments: { 2: "aa" } }, 2), null);
  forget("over");
  assert.deepEqual(keptHere("spokes-1"), []);
  Object.defineProperty(globalThis, "localStorage", kept);
  assert.deepEqual(sent, []);
});

test("where nothing is kept nothing is sealed", async () => {
  const { setItem } = Object.getPrototypeOf(localStorage);
  Object.getPrototypeOf(localStorage).setItem = () => { throw new Error("full"); };
  await assert.rejects(commit(seal, 2, "bD4"), /does not keep data/);
  Object.getPrototypeOf(localStorage).setItem = setItem;
  assert.deepEqual(sent, []);
});

const names = (prefix) => Object.keys(localStorage).filter((name) => name.startsWith(prefix));

test("nothing is left of a game that is over; of others the latest are kept", async () => {
  for (let game = 1; game <= 25; game++) {
    await commit({ ...seal, game: `spokes-${game}` }, 2, "bD4");
    noteDeal({ game: { id: `octiles-${game}`, mode: "2" }, deal: { commitment: "aa" } });
  }
  localStorage.setItem("other", "x");
  forget("spokes-25");
  const games = names("lodestone-seal ").map((name) => name.split(" ")[1]).sort();
  assert.deepEqual(games, Array.from({ length: 20 }, (_, at) => `spokes-${at + 5}`).sort());
  assert.equal(names("lodestone-deal ").length, 20);
  assert.notEqual(localStorage.getItem("lodestone-deal octiles-25 2"), null);
  assert.deepEqual(names("other"), ["other"]);
});

test("a phone's clock that jumps takes no seal away", async () => {
  const { now } = Date;
  try {
    for (const year of [2026, 1970, 2040]) {
      Date.now = () => Date.UTC(year, 1);
      await commit({ ...seal, game: `spokes-${year}` }, 2, "bD4");
      noteDeal({ game: { id: `octiles-${year}`, mode: "2" }, deal: { commitment: "aa" } });
      forget("another");
    }
  } finally {
    Date.now = now;
  }
  assert.equal(names("lodestone-seal ").length, 3);
  assert.equal(names("lodestone-deal ").length, 3);
});
