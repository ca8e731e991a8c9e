import assert from "node:assert/strict";
import test from "node:test";
import { aloud, placeAloud } from "../../web_panel/static/shared/aloud.js";

const TILED = { nodes: {}, wells: ["e3", "e4"] };

test("a well and a stop whose names differ by capitals alone are told apart by ears", () => {
  assert.equal(placeAloud("e4", TILED), "well e4");
  assert.equal(placeAloud("E4", TILED), "E4");
  assert.equal(aloud("tile 7 on e4, not turned; runner from E4 to E3", TILED),
    "tile 7 on well e4, not turned; runner from E4 to E3");
});

test("a well that is called one already is called so once, and each well of a sentence is", () => {
  assert.equal(aloud("look at well e4, then at e4 and e3", TILED), "look at well e4, then at well e4 and well e3");
});

test("boards without wells, and longer names, stay as they are", () => {
  assert.equal(aloud("e4 to e5", { nodes: {} }), "e4 to e5");
  assert.equal(aloud("e41 and ae4", TILED), "e41 and ae4");
});
