import assert from "node:assert/strict";
import test from "node:test";
import { tonesFor, TONES } from "../../../firmware_host/extensions/audio/static/tones.js";

const seat = (number, more = {}) => ({ seat: number, sealed: false, resigned: false, computer: false, ...more });
const view = (more = {}) => ({ game: { id: "g" }, phase: "sealing", turn: 1, resolver: 1, you: { seat: 1 }, seats: [seat(1), seat(2)], log: [], problem: null, clocks: null, ...more });
const line = (n) => ({ n, text: `${n}` });

test("tones differ in rhythm alone", () => {
  const rhythms = Object.values(TONES).map((beats) => JSON.stringify(beats.map(([at, seconds]) => [at, seconds])));
  assert.equal(new Set(rhythms).size, rhythms.length);
  for (const beats of Object.values(TONES)) {
    for (const [at, seconds, hertz] of beats) assert.ok(at >= 0 && seconds >= 0.05 && hertz > 100);
  }
});

test("nothing sounds with the first view, or when another game comes", () => {
  assert.deepEqual(tonesFor(null, view()), []);
  assert.deepEqual(tonesFor(view({ game: { id: "before" } }), view({ phase: "over" })), []);
});

test("a seal, the reveal, the own turn", () => {
  const half = view({ seats: [seat(1), seat(2, { sealed: true })] });
  const all = view({ phase: "revealing", seats: [seat(1, { sealed: true }), seat(2, { sealed: true })] });
  const acting = view({ phase: "resolving", log: [line(1)] });
  assert.deepEqual(tonesFor(view(), half), ["sealed"]);
  assert.deepEqual(tonesFor(half, all), ["sealed"]);
  assert.deepEqual(tonesFor(all, view({ phase: "placing", log: [line(1)] })), ["reveal"]);
  assert.deepEqual(tonesFor(view({ phase: "placing", log: [line(1)] }), acting), ["turn"]);
  assert.deepEqual(tonesFor(view({ phase: "placing", log: [line(1)], you: { seat: 2 } }), { ...acting, you: { seat: 2 } }), []);
});

test("a step that counts, what is wrong, and the end", () => {
  const acting = view({ phase: "resolving", log: [line(1)] });
  assert.deepEqual(tonesFor(acting, { ...acting, log: [line(1), line(2)] }), ["counted"]);
  assert.deepEqual(tonesFor(acting, { ...acting, problem: { text: "x", fault: true } }), ["wrong"]);
  assert.deepEqual(tonesFor({ ...acting, problem: { text: "x", fault: true } }, { ...acting, problem: { text: "y", fault: true } }), []);
  assert.deepEqual(tonesFor(acting, { ...acting, turn: 2, phase: "sealing", log: [line(1), line(2)] }), ["counted", "turn"]);
  assert.deepEqual(tonesFor(acting, { ...acting, phase: "over", log: [line(2)] }), ["won"]);
  assert.deepEqual(tonesFor({ ...acting, phase: "over" }, { ...acting, phase: "over" }), []);
});

test("the last seconds: on a phone the own ones, on the big screen anybody's", () => {
  const clocks = (left) => ({ seats: [{ seat: 1, left: 60000, runs: true }, { seat: 2, left, runs: true }] });
  const [before, now] = [view({ clocks: clocks(10020) }), view({ clocks: clocks(9990) })];
  assert.deepEqual(tonesFor(before, now), []);
  assert.deepEqual(tonesFor({ ...before, you: null }, { ...now, you: null }), ["time"]);
  assert.deepEqual(tonesFor({ ...before, you: { seat: 2 } }, { ...now, you: { seat: 2 } }), ["time"]);
  assert.deepEqual(tonesFor({ ...now, you: null }, { ...now, you: null }), []);
});

test("what was sealed changes no tone", () => {
  const sealedAs = (commitments) => view({ seats: [seat(1), seat(2, { sealed: true })], seal: { commitments } });
  assert.deepEqual(tonesFor(view(), sealedAs({ 2: "a" })), tonesFor(view(), sealedAs({ 2: "b" })));
});
