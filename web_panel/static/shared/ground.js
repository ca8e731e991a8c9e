// What lies under the pieces: the wood with its rim, printed lines, cells, the homes of players and names at the rim.
import { arc, around, point, polygon, round, wideHull } from "./geometry.js";
import { svg } from "./elements.js";

/** @import { Point } from "./geometry.js" */

// How a board's places are drawn, by the layout's `style`: distance of neighbours, radius of an empty place, of a stone
// against the usual one, and of a lamp round a stone and round nothing; from the outermost places to the wood's edge.
export const STYLES = {
  holes: { unit: 44, empty: 10.5, times: 1, full: 17, bare: 13, margin: 34 },
  wells: { unit: 64, empty: 10, times: 1, full: 17, bare: 13, margin: 23.8 },
  crossings: { unit: 44, empty: 3.4, times: 1.25, full: 20.5, bare: 14, margin: 41 },
  cells: { unit: 40, empty: 4.2, times: 8 / 7, full: 17.6, bare: 13.5, margin: 33.8 },
};

export function styleOf({ wells, style }) {
  return wells?.length ? "wells" : style in STYLES ? style : "holes";
}

// The place of a home that shows how its edge is dashed: never by colour alone.
export const PLACES = 4;

// Each home's seat: hue and place. Partners share both with the first of their team.
export function homesOf(seats, hueOf) {
  const found = {};
  const sides = [];
  for (const seat of seats) {
    const side = seat.team ?? seat.seat;
    if (!sides.includes(side)) sides.push(side);
    const first = seats.find((one) => (one.team ?? one.seat) === side);
    for (const home of seat.homes) found[home] ??= { hue: hueOf(first.seat), at: sides.indexOf(side) % PLACES };
  }
  return found;
}

// -- wood -------------------------------------------------------------------------------------------------------------

const RIM = 6.5; // The bevelled rim's width.
const EDGE = 22.5; // From a board's outermost circle to the wood's edge.
const SHADOW = 2; // From the rim to the edge of the drawing.

// The wood, and the box of the drawing [left, top, width, height].
/**
 * @param {string} style
 * @param {Point[]} points
 * @param {number} radius Of the outermost circle, 0 without circles.
 */
export function wood(style, points, radius) {
  if (radius) return disc(radius + EDGE);
  const { margin } = STYLES[style];
  if (style === "cells") return plank(wideHull(points, margin), wideHull(points, margin + RIM + 1));
  const [left, right] = [Math.min, Math.max].map((most) => most(...points.map(([x]) => x)));
  const [top, foot] = [Math.min, Math.max].map((most) => most(...points.map(([, y]) => y)));
  const size = (far, rx) => ({ x: left - far, y: top - far, width: right - left + 2 * far,
    height: foot - top + 2 * far, rx });
  const corner = style === "wells" ? 82 : 12;
  const rim = size(margin + RIM + 0.5, corner + 6);
  return {
    box: [rim.x - 4, rim.y - 4, rim.width + 8, rim.height + 8].map(round),
    shapes: layers("rect", size(margin, corner), rim,
      { ...rim, x: rim.x + 2, y: rim.y + 8, fill: "#000", opacity: 0.3 }),
  };
}

function disc(r) {
  const half = round(r + RIM + SHADOW);
  return {
    box: [-half, -half, 2 * half, 2 * half],
    shapes: layers("circle", { r }, { r: r + RIM - 1 }, { cx: 4, cy: 8, r: r + 16, fill: "url(#fall-shadow)" }),
  };
}

function plank(inner, outer) {
  const [xs, ys] = [outer.map(([x]) => x), outer.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - 4, Math.min(...ys) - 6];
  return {
    box: [left, top, Math.max(...xs) + 4 - left, Math.max(...ys) + 12 - top].map(round),
    shapes: layers("path", { d: polygon(inner) }, { d: polygon(outer) },
      { d: polygon(outer), transform: "translate(3 8)", fill: "#000", opacity: 0.3 }),
  };
}

const layers = (tag, inner, outer, shadow) => [
  svg(tag, shadow), svg(tag, { ...outer, class: "rim" }), svg(tag, { ...outer, fill: "url(#bevel)" }),
  svg(tag, { ...inner, class: "wood" }), svg(tag, { ...inner, fill: "url(#grain)" }),
  svg(tag, { ...inner, fill: "url(#sheen)" }),
];

// -- printed lines ----------------------------------------------------------------------------------------------------

// A groove: a line and the light on its lower edge.
export function grooves({ nodes, circles, lines }, at) {
  const drawn = circles.map((radius) => round(Math.abs(at([radius, 0])[0])))
    .map((r) => `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0`);
  const rings = new Set(circles.map((radius) => radius.toFixed(2)));
  for (const [one, other] of lines) {
    const [a, b] = [nodes[one], nodes[other]];
    const ring = Math.hypot(...a).toFixed(2);
    if (ring === Math.hypot(...b).toFixed(2) && rings.has(ring)) continue;
    drawn.push(`M${point(at(a))}L${point(at(b))}`);
  }
  const d = drawn.join("");
  return [svg("path", { d, class: "line-light", transform: "translate(.6 1)" }), svg("path", { d, class: "line-cut" })];
}

// -- cells ------------------------------------------------------------------------------------------------------------

const PART = 0.962; // Of a cell's width between its neighbours.

// The corners of a cell, half-way between the directions in which neighbours lie; all cells are alike.
/** @returns {Point[]} */
export function cellShape({ nodes, lines }, unit) {
  const angles = new Set();
  for (const [one, other] of lines) {
    const [[x, y], [u, v]] = [nodes[one], nodes[other]];
    for (const angle of [Math.atan2(y - v, u - x), Math.atan2(v - y, x - u)]) {
      angles.add(round(angle + 2 * Math.PI) % 6.28);
    }
  }
  const count = angles.size > 4 ? 6 : 4;
  const first = Math.min(...angles, 2) % (2 * Math.PI / count);
  const far = (unit / 2) * PART / Math.cos(Math.PI / count);
  return [...Array(count).keys()].map((at) => around(first + (at + 0.5) * 2 * Math.PI / count, far));
}

// All cells. Every third one of a row is darker; no two of those are neighbours.
export function cells({ nodes }, places, corners) {
  /** @type {string[][]} */
  const drawn = [[], []];
  for (const [name, [x, y]] of Object.entries(places)) {
    drawn[shadeOf(nodes[name]) ? 0 : 1].push(polygon(corners.map(([dx, dy]) => [x + dx, y + dy])));
  }
  return drawn.map((all, at) => svg("path", { d: all.join(""), class: `cell shade-${at}` }));
}

function shadeOf([x, y]) {
  const row = Math.round(y / (Math.sqrt(3) / 2));
  const along = Math.round(x - row / 2);
  return (((along - row) % 3) + 3) % 3;
}

// -- homes ------------------------------------------------------------------------------------------------------------

const BAND = 28;

// The homes of a side on the outermost circle: a tinted band, and an edge in its colour.
export function bands(places, homes, radius) {
  const drawn = [];
  const ends = Object.values(places).filter(({ x, y }) => Math.abs(Math.hypot(x, y) - radius) < 1)
    .map(({ name, x, y }) => ({ home: homes[name], angle: Math.atan2(y, x) }))
    .sort((one, other) => one.angle - other.angle);
  if (ends.length < 2) return drawn;
  const start = Math.max(0, ends.findIndex(({ home }, at) => key(home) !== key(ends.at(at - 1)?.home)));
  const runs = [];
  for (const { home, angle } of [...ends.slice(start), ...ends.slice(0, start)]) {
    const run = runs.at(-1);
    const turned = run && angle < run.from ? angle + 2 * Math.PI : angle;
    if (run && key(run.home) === key(home)) run.to = turned;
    else runs.push({ home, from: angle, to: angle });
  }
  const half = Math.PI / ends.length;
  for (const { home, from, to } of runs.filter((run) => run.home)) {
    const [begin, end] = [from - half + 0.022, to + half - 0.022];
    const edge = radius + EDGE - 3.8;
    drawn.push(svg("path", { d: arc(begin, end, radius), class: `home band ${home.hue}`, "stroke-width": BAND }),
      svg("path", { d: arc(begin, end, edge), class: "home-case" }),
      svg("path", { d: arc(begin + 0.01, end - 0.01, edge), class: `home edge ${home.hue} place-${home.at}` }));
  }
  return drawn;
}

const key = (home) => (home ? `${home.hue} ${home.at}` : "");

// A home at the corner of a board without circles: the corner is tinted and cut off by an edge.
export function corners(places, homes, unit) {
  const all = Object.values(places);
  const [left, right] = [Math.min, Math.max].map((most) => most(...all.map(({ x }) => x)));
  const [top, foot] = [Math.min, Math.max].map((most) => most(...all.map(({ y }) => y)));
  return all.filter(({ name, x, y }) => homes[name] && (x === left || x === right) && (y === top || y === foot))
    .flatMap(({ name, x, y }) => {
      const [dx, dy] = [x === left ? -1 : 1, y === top ? -1 : 1];
      const [far, leg] = [0.6 * unit, 2.09 * unit];
      const peak = [x + dx * far, y + dy * far];
      const [one, other] = [[peak[0] - dx * leg, peak[1]], [peak[0], peak[1] - dy * leg]];
      const { hue, at } = homes[name];
      return [svg("path", { d: polygon([peak, one, other]), class: `goal ${hue}` }),
        svg("path", { d: `M${point(one)}L${point(other)}`, class: `home edge ${hue} place-${at}` })];
    });
}

// -- names at the rim -------------------------------------------------------------------------------------------------

// Where the places of a row share letters or digits, these stand at the row's ends, and need not stand at each place.
// Null if the names are not made so.
export function rimNames(style, places) {
  const all = Object.values(places);
  const parts = all.map((place) => ({ ...place, made: /^([A-Za-z]+)(\d+)$/.exec(place.name) }));
  if (parts.some(({ made }) => !made)) return null;
  const rows = group(parts, ({ y }) => Math.round(y));
  const text = (words, x, y) => svg("text", { x: round(x), y: round(y + 4), class: "label rim-name" }, words);
  if (style === "cells") {
    if (rows.some((row) => new Set(row.map(({ made }) => made[1])).size > 1)) return null;
    return rows.flatMap((row) => {
      const [first, last] = [row[0], row.at(-1)];
      return [text(first.made[1], first.x - 28, first.y), text(last.made[2], last.x + 29, last.y)];
    });
  }
  const columns = group(parts, ({ x }) => Math.round(x));
  if (rows.some((row) => new Set(row.map(({ made }) => made[2])).size > 1)) return null;
  if (columns.some((column) => new Set(column.map(({ made }) => made[1])).size > 1)) return null;
  const [left, foot] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ y }) => y))];
  return [...rows.map(([{ made, y }]) => text(made[2], left - 28, y)),
    ...columns.map(([{ made, x }]) => text(made[1], x, foot + 28))];
}

function group(places, by) {
  const found = new Map();
  for (const place of places) found.set(by(place), [...(found.get(by(place)) ?? []), place]);
  return [...found.values()].map((row) => row.sort((one, other) => one.x - other.x));
}

