import assert from "node:assert/strict";
import test from "node:test";
import { chooseLevel, levelFor } from "../../web_panel/static/lobby/lobby_seats.js";

const view = (count) => ({ levels: Array.from({ length: count }, (_, at) => ({ level: at + 1 })) });

test("where nothing is chosen a computer plays at the table's default", () => {
  assert.deepEqual([1, 2, 3, 4, 5].map((count) => levelFor(view(count), { seat: 1 })), [1, 1, 1, 2, 2]);
});

test("a chosen level is kept for its seat, and in a game with fewer levels is the strongest of these", () => {
  chooseLevel({ seat: 2 }, 5);
  assert.deepEqual([5, 3, 1, 5].map((count) => levelFor(view(count), { seat: 2 })), [5, 3, 1, 5]);
  assert.equal(levelFor(view(5), { seat: 3 }), 2);
});
