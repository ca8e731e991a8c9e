import assert from "node:assert/strict";
import test from "node:test";
import { face, spoken, standing } from "../../web_panel/static/shared/clock_face.js";

const clocks = (seat, more = {}) => ({ at: 1000, strict: false, ...more, seats: [{ seat: 1, left: 60000, used: 5000, delay: 0, runs: true, ...seat }] });

test("a clock shows started seconds, hours where there are any, and a minus sign once it has run on", () => {
  assert.deepEqual([0, 1, 1000, 59001, 60000, 3600000, -500, -61000].map(face), ["0:00", "0:01", "0:01", "1:00", "1:00", "1:00:00", "0:00", "−1:01"]);
});

test("a clock that runs falls by the time that has passed since it was told", () => {
  assert.deepEqual(standing(clocks({}), 1, 4000), { left: 57000, used: 8000, runs: true, free: false });
  assert.deepEqual(standing(clocks({ runs: false }), 1, 4000), { left: 60000, used: 5000, runs: false, free: false });
});

test("what is free passes first", () => {
  assert.deepEqual(standing(clocks({ delay: 2000 }), 1, 2000), { left: 60000, used: 6000, runs: true, free: true });
  assert.equal(standing(clocks({ delay: 2000 }), 1, 4000).left, 59000);
});

test("without a limit only the thinking counts; a strict clock ends at nothing; no time passes backwards", () => {
  assert.deepEqual(standing(clocks({ left: null }), 1, 4000), { left: null, used: 8000, runs: true, free: false });
  assert.equal(standing(clocks({ left: 10 }, { strict: true }), 1, 4000).left, 0);
  assert.equal(standing(clocks({ left: 10 }), 1, 4000).left, -2990);
  assert.equal(standing(clocks({}), 1, 900).left, 60000);
});

test("a screen reader hears whole minutes and the last ten seconds, each once", () => {
  const heard = [];
  for (let left = 130000; left > -2000; left -= 200) {
    const words = spoken(left + 200, left);
    if (words) heard.push(words);
  }
  assert.deepEqual(heard, ["2 minutes left", "One minute left", "10 seconds left", "9", "8", "7", "6", "5", "4", "3", "2", "1"]);
});
