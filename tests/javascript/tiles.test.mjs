import assert from "node:assert/strict";
import test from "node:test";
import { Ways } from "../../web_panel/static/shared/lines.js";
import { octagon, printedPaths, tileShapes, trail } from "../../web_panel/static/shared/tiles.js";

const layout = { nodes: { west: [-0.75, 0], a: [0, 0], east: [0.75, 0] }, wells: ["a"], paths: [], tiles: { 1: [[2, 6], [0, 1]] } };

test("an octagon stands on an edge, all corners as far from its middle", () => {
  const corners = octagon(10).slice(1, -1).split("L").map((point) => point.split(" ").map(Number));
  assert.equal(corners.length, 8);
  for (const [x, y] of corners) assert.ok(Math.abs(Math.hypot(x, y) - 10 / Math.cos(Math.PI / 8)) < 0.02);
  assert.equal(Math.max(...corners.map(([, y]) => y)), 10);
});

test("a tile shows each line over its rim, and its number in a corner", () => {
  const shapes = tileShapes("7", layout.tiles[1], 0, 28 / 0.945);
  const line = ["tile-rim", "track", "track-light"];
  assert.deepEqual(shapes.map((one) => one.attributes.class), ["tile-shadow", "tile", ...line, ...line, undefined, "tile-edge", "tile-number"]);
  assert.deepEqual(shapes.at(-1).children, ["7"]);
  assert.ok(shapes[2].attributes.d.startsWith("M28 0C"), "from the edge on the right");
  assert.ok(tileShapes("7", layout.tiles[1], 2, 28 / 0.945)[2].attributes.d.startsWith("M0 28C"), "turned by a quarter");
});

test("what is printed leads from a well to each node that it meets", () => {
  const ways = new Ways(layout);
  const drawn = printedPaths(ways, 100).attributes.d;
  assert.equal(drawn.match(/M/g).length, 2);
  assert.ok(drawn.includes("L75 0") && drawn.includes("L-75 0"));
});

test("a line is drawn from its first node to its last, or to the edge where it dies", () => {
  const ways = new Ways(layout);
  const [line] = ways.from("west", { a: ["1r0"] });
  const drawn = trail(ways, line, 100);
  assert.ok(drawn.startsWith("M-75 0L-50 0L-46 0C"));
  assert.ok(drawn.endsWith("L50 0L75 0"));
  assert.ok(trail(ways, { ...line, end: null }, 100).endsWith("L50 0"));
});
