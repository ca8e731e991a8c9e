// A board as a small picture, of few parts, for lists of many.
import { groundOf } from "/static/shared/drawing.js";
import { svg } from "/static/shared/elements.js";
import { tileOf } from "/static/shared/lines.js";
import { shade, stones } from "/static/shared/pieces.js";
import { octagon, plainTile, TILE } from "/static/shared/tiles.js";

/** @import { Scene } from "/static/shared/drawing.js" */

/**
 * A small picture of a board and its pieces, of few parts and without names, lamps and what a person may do.
 * @param {Scene} scene
 */
export function miniature(scene) {
  shade();
  const { kind, style, ways, points, ground } = groundOf(scene);
  const side = style.unit * TILE;
  const empty = kind === "holes" || ways ? Object.entries(points).filter(([name]) => !scene.board[name]?.length) : [];
  const hole = ([name, [x, y]]) => svg("path", { transform: `translate(${x} ${y})`, ...ways?.wells.has(name)
    ? { d: octagon(side), class: "mini-well" }
    : { d: "M-10.5 0a10.5 10.5 0 1 0 21 0a10.5 10.5 0 1 0-21 0", class: "hole" } });
  const lying = Object.entries(scene.board).filter(([name, stack]) => stack.length && points[name]);
  const shapes = (stack) => {
    const tile = tileOf(stack.at(-1));
    if (!tile) return [stones(stack, scene, style.times)];
    return plainTile(scene.layout.tiles?.[tile.name] ?? [], tile.turn, side);
  };
  return svg("svg", { viewBox: ground.box.join(" "), class: `miniature ${kind}`, "aria-hidden": "true" },
    ...ground.shapes, ...empty.map(hole), ...lying.map(([name, stack]) =>
      svg("g", { transform: `translate(${points[name].join(" ")})` }, ...shapes(stack))));
}
