import assert from "node:assert/strict";
import test from "node:test";
import { direction, layingOf, tileOf, Ways } from "../../web_panel/static/shared/lines.js";

// Two wells side by side between two nodes: west, a, b, east.
const layout = {
  nodes: { west: [-0.75, 0], a: [0, 0], b: [1, 0], east: [1.75, 0] },
  wells: ["a", "b"],
  paths: [],
  tiles: { 1: [[0, 4], [2, 6]], 2: [[0, 2]] },
};

test("edges are numbered clockwise from above", () => {
  const near = (found, wanted) => found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) < 1e-9));
  near(direction(0), [0, 1]);
  near(direction(2), [1, 0]);
  near(direction(6), [-1, 0]);
});

test("pieces and actions are taken apart", () => {
  assert.deepEqual(tileOf("7r5"), { name: "7", turn: 5 });
  assert.equal(tileOf("w"), null);
  assert.equal(tileOf(undefined), null);
  assert.deepEqual(layingOf("b3r5:B3-D4"), { well: "b3", turn: 5 });
  assert.deepEqual(layingOf("b3r5"), { well: "b3", turn: 5 });
  assert.equal(layingOf("pass"), null);
  assert.equal(layingOf(null), null);
});

test("a line leads from node to node over tiles, and dies at an empty well", () => {
  const ways = new Ways(layout);
  const over = (board) => ways.from("west", board).map(({ nodes, end }) => [nodes, end]);
  assert.deepEqual(over({ a: ["1r0"], b: ["1r0"] }), [[["west", "a", "b", "east"], "east"]]);
  assert.deepEqual(over({ a: ["1r0"] }), [[["west", "a"], null]]);
  assert.deepEqual(over({ a: ["1r2"], b: ["1r4"] }), [[["west", "a", "b", "east"], "east"]], "turned it joins the same edges");
  assert.deepEqual(over({ a: ["2r0"], b: ["1r0"] }), [[["west"], null]], "no line of this tile begins at that edge");
});

test("a printed path joins edges that do not face each other", () => {
  const far = { ...layout, nodes: { ...layout.nodes, b: [2, 0], east: [2.75, 0] }, paths: [[[0.5, 0], [1, 0.2], [1.5, 0]]] };
  const ways = new Ways(far);
  const [line] = ways.from("east", { a: ["1r0"], b: ["1r0"] });
  assert.deepEqual(line.nodes, ["east", "b", "a", "west"]);
  assert.deepEqual(ways.beyond.get("b 6").points.at(-1), [0.5, 0], "it leads the other way round");
});

test("a runner may take a line over the tile to its goal, to nobody else's, and never where one stands", () => {
  const ways = new Ways(layout);
  const board = { west: ["w"], b: ["1r0"] };
  const over = (seat, lying = board) => ways.over("a", "1r0", seat, lying).map(({ nodes }) => nodes.join(" "));
  assert.deepEqual(over({ plays: "w", homes: ["east"] }), ["west a b east"]);
  assert.deepEqual(over({ plays: "w", homes: [] }), []);
  assert.deepEqual(over({ plays: "b", homes: ["east"] }), []);
  assert.deepEqual(over({ plays: "w", homes: ["east"] }, { ...board, east: ["b"] }), []);
  assert.deepEqual(over({ plays: "w", homes: ["west", "east"] }), [], "who is at home stays there");
});

test("the line of a step is found while the tiles lie so", () => {
  const ways = new Ways(layout);
  const nodes = ["west", "a", "b", "east"];
  assert.equal(ways.along(nodes, { a: ["1r0"], b: ["1r0"] }).end, "east");
  assert.equal(ways.along(nodes, { a: ["1r1"], b: ["1r0"] }), null);
});
