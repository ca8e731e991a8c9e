import assert from "node:assert/strict";
import test from "node:test";
import { STYLES } from "../../web_panel/static/shared/ground.js";
import { arrowShapes } from "../../web_panel/static/shared/arrows.js";

const place = (name, x, y) => ({ name, x, y });
const board = (...places) => ({ places: Object.fromEntries(places.map((one) => [one.name, one])), style: STYLES.holes, ways: null });
const tip = (arrow) => arrow.attributes["data-tip"].split(" ").map(Number);

test("an arrow leads from rim to rim", () => {
  const [arrow] = arrowShapes(board(place("A", 0, 0), place("B", 100, 0)), [{ kind: "made", nodes: ["A", "B"] }], { A: ["w"] });
  assert.equal(arrow.attributes.class, "arrow made");
  assert.equal(arrow.attributes["data-way"], "A B");
  assert.deepEqual(tip(arrow), [86.1, 0]);
  assert.ok(arrow.children[0].attributes.d.startsWith("M16.2 0"), "a stone's rim and a gap from its middle");
});

test("it ends farther out where a stone or a stack lies", () => {
  const to = (lying) => tip(arrowShapes(board(place("A", 0, 0), place("B", 100, 0)), [{ kind: "asked", nodes: ["A", "B"] }], lying)[0])[0];
  assert.ok(to({}) > to({ B: ["w"] }) && to({ B: ["w"] }) > to({ B: ["w", "b"] }));
});

test("it is left out where a node lies on its way", () => {
  const three = board(place("A", 0, 0), place("B", 60, 0), place("C", 120, 0));
  const [begun, arrow] = arrowShapes(three, [{ kind: "made", nodes: ["A", "C"] }], {});
  assert.equal(begun.attributes.class, "was", "a ring where the stone lay");
  const shaft = arrow.children.find((one) => one.attributes.class === "shaft").attributes.d;
  assert.equal(shaft.match(/M/g).length, 2, "behind the node it leads on");
});

test("where rims meet there is no room, and no arrow", () => {
  assert.deepEqual(arrowShapes(board(place("A", 0, 0), place("B", 20, 0)), [{ kind: "asked", nodes: ["A", "B"] }], {}), []);
});
