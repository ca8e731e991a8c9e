import assert from "node:assert/strict";
import test from "node:test";
import { afterLead, bySource, capital, ends, offers, runs, spoken } from "../../web_panel/static/shared/steps.js";

const step = (action, moves, line = []) => ({ action, moves, line, partial: false });

test("a piece that goes from node to node begins at one and may be pointed at on the other", () => {
  assert.deepEqual(ends(step("A1-A2", [["A1", "A2"]]), { A1: ["w"] }), { from: ["A1"], to: ["A2"] });
});

test("a piece from the supply has no beginning, one that leaves no aim", () => {
  assert.deepEqual(ends(step("+A1", [[null, "A1"]]), {}), { from: [], to: ["A1"] });
  assert.deepEqual(ends(step("-A1", [["A1", null]]), { A1: ["w"] }), { from: ["A1"], to: [] });
});

test("a line that is pushed begins at the pieces alike at its rear; all before them is pointed at", () => {
  const board = { A1: ["w"], A2: ["w"], A3: ["b"] };
  const push = step("push", [["A3", "A4"], ["A2", "A3"], ["A1", "A2"]], ["A1", "A2", "A3", "A4"]);
  assert.deepEqual(ends(push, board), { from: ["A1", "A2"], to: ["A3", "A4"] });
});

test("what can be tapped: sources with their aims, and nodes that name a step alone", () => {
  const steps = [step("a", [["A1", "A2"]]), step("b", [["A1", "A3"]]), step("c", [[null, "B1"]]), step("d", [["A1", null]]), step("end", [])];
  const { from, direct } = offers({ steps, board: { A1: ["w"] } });
  assert.deepEqual([...from.keys()], ["A1"]);
  assert.deepEqual([...from.get("A1").keys()], ["A2", "A3"]);
  assert.deepEqual([...direct].map(([node, found]) => [node, found.map((one) => one.action)]), [["B1", ["c"]], ["A1", ["d"]]]);
});

test("steps are listed in the board's order, those from the supply first, those without a move not at all", () => {
  const steps = [step("b", [["B1", "B2"]]), step("a", [["A1", "A2"]]), step("new", [[null, "A2"]]), step("end", [])];
  const view = { steps, layout: { nodes: { A1: [], A2: [], B1: [], B2: [] } } };
  assert.deepEqual(bySource(view).map(([source]) => source), ["", "A1", "B1"]);
  assert.deepEqual(spoken(view).map((one) => one.action), ["end"]);
});

test("ways are those of the tapped node, of the wish, or of the piece that is lifted", () => {
  const one = { ...step("b3r5:A1-A2", [["A1", "A2"]], ["A1", "b3", "A2"]) };
  const other = { ...step("b3r5:C1-C2", [["C1", "C2"]], ["C1", "b3", "C2"]) };
  const view = { steps: [one, other], layout: { wells: ["b3"] }, lights: {}, wanted: null };
  const nodes = (found) => found.map((way) => way.nodes[0]);
  assert.deepEqual(nodes(runs(view, "C1")), ["C1"]);
  assert.deepEqual(nodes(runs({ ...view, wanted: one.action }, null)), ["A1"]);
  assert.deepEqual(nodes(runs({ ...view, lights: { C1: { meaning: "line" }, b3: { meaning: "line" } } }, null)), ["C1"]);
  assert.deepEqual(runs({ ...view, layout: {} }, "A1"), [], "a board without wells has none");
});

test("a sentence begins with a capital letter", () => {
  assert.equal(capital("é x"), "É x");
  assert.equal(capital(""), "");
});

test("what stands before a colon is not said again, with or without a space before it; another name stays", () => {
  assert.equal(afterLead("Jo: lay it on D3.", "Jo"), "Lay it on D3.");
  assert.equal(afterLead("Jo : lay it on D3.", "Jo"), "Lay it on D3.");
  assert.equal(afterLead("Jo\u00a0: lay it on D3.", "Jo"), "Lay it on D3.");
  assert.equal(afterLead("Jo II: lay it on D3.", "Jo"), null);
  assert.equal(afterLead("All have sealed. Revealed!", "All have sealed"), "Revealed!");
});
