// The end of a game: the crown, who won, the score against each other, and how it went, turn by turn.
import { element, hintLine, needStyle, svg } from "./elements.js";
import { disc } from "./frame.js";
import { seatHue } from "./lamps.js";
import { names } from "./parts.js";
import { chip } from "./pieces.js";
import { listOf, say, sayIn, sayMany } from "./words.js";

const [WIDE, HIGH] = [340, 104];
const UNCOUNTED = ["resigned", "time", "agreed"]; // Ends that no score decides.
const LEAST = 3; // Minimum number of turns for a curve.
const MARK = 14; // Height of a mark at a curve's end.
const EDGE = { left: 24, right: 44, top: 18, bottom: 22 };

/** A page on which a game may end calls this when it is opened: at the end itself its sheet is there. */
export const loadEndStyle = () => needStyle(new URL("end.css", import.meta.url));

export function crown() {
  loadEndStyle();
  return svg("svg", { viewBox: "-60 -44 120 72", width: 80, height: 48, class: "crown", "aria-hidden": "true" },
    svg("path", { d: "M-44 24V-18L-20 4 0-30 20 4 44-18V24Z" }), svg("circle", { cx: -44, cy: -24, r: 6 }),
    svg("circle", { cy: -36, r: 6 }), svg("circle", { cx: 44, cy: -24, r: 6 }));
}

export function wonWords(view) {
  const { winners } = view.result;
  return winners.length ? sayMany("{names} wins", "{names} win", winners.length, { names: names(view, winners) })
    : say("A draw");
}

// -- the score --------------------------------------------------------------------------------------------------------

// The lines with their places, best first: winners, then by score and tie-break.
function placesInOrder(lines) {
  const better = (one, other) => other.won - one.won || other.score - one.score || other.tiebreak - one.tiebreak;
  const sorted = [...lines].sort(better);
  return sorted.map((line) => ({ ...line, place: 1 + sorted.findIndex((other) => better(other, line) === 0) }));
}

const seatsOf = (view, { seats }) => view.seats.filter((one) => seats.includes(one.seat));

// What decided between equal scores, unless somebody gave up.
function decidedByTiebreak({ game: { scoring }, result: { lines, reason } }) {
  if (!scoring?.tiebreak || lines.length !== 2 || UNCOUNTED.includes(reason)) return false;
  const [won, lost] = lines[0].won ? lines : [lines[1], lines[0]];
  return won.won && won.score === lost.score && won.tiebreak > lost.tiebreak;
}

/** What decided the game, in a few large words; nothing where the large numbers say it, or the sentence alone can. */
export function decided(view) {
  const { game: { scoring }, result: { lines, reason } } = view;
  const words = decidedByTiebreak(view) ? say("{score} – decided {where}, {tiebreak}", {
    score: `${lines[0].score} : ${lines[1].score}`, tiebreak: `${lines[0].tiebreak} : ${lines[1].tiebreak}`,
    where: scoring.tiebreak.charAt(0).toLowerCase() + scoring.tiebreak.slice(1) })
    : { goal: say("Reached the goal"), resigned: say("Resigned"), time: say("Out of time"),
      agreed: say("Agreed by all") }[reason];
  loadEndStyle();
  return words && element("p", { class: "decided num", "data-reason": reason }, words);
}

/** Two sides against each other, in large numbers; more of them in rows, the best first; nothing where none count. */
export function scores(view) {
  const { scoring } = view.game;
  const { lines } = view.result;
  if (!scoring || !lines.length || decidedByTiebreak(view)) return null;
  if (lines.length === 2 && (!scoring.decides || UNCOUNTED.includes(view.result.reason))) return smallScores(view);
  loadEndStyle();
  const even = lines.every((line) => line.won === lines[0].won);
  const hue = (line) => seatHue(view, line.seats[0]);
  if (lines.length === 2) {
    const side = (line) => element("div", { class: line.won || even ? hue(line) : `${hue(line)} loses` },
      element("span", { class: "pairdisc" }, ...seatsOf(view, line).map((seat) => disc(seat))),
      element("span", { class: "unseen" }, listOf(line.names)), element("b", {}, `${line.score}`));
    return element("div", { class: "duel num" }, side(lines[0]), element("span", { class: "soft" }, scoring.score),
      side(lines[1]));
  }
  return element("ul", { class: "players ranks" }, ...placesInOrder(lines).map((line) =>
    element("li", { class: `player ${hue(line)}` }, element("span", { class: "soft" }, `${line.place}.`),
      ...seatsOf(view, line).map((seat) => disc(seat)), element("span", { class: "name" }, listOf(line.names)),
      element("b", { class: "score" }, `${line.score}`))));
}

// The score of two sides where something else has decided.
function smallScores(view) {
  const { lines } = view.result;
  return element("p", { class: "roles num" }, ...lines.map((line) => element("span", {},
    ...seatsOf(view, line).map((seat) => disc(seat)), `${listOf(line.names)} ${line.score}`)),
  element("span", { class: "soft" }, view.game.scoring.score));
}

function counts(found) {
  return Object.entries(found).map(([node, stones]) => (stones > 1 ? `${node}\u00a0(${stones})` : node)).join(", ")
    || sayIn("nodes", "none");
}

/** What was counted where, in the game's own words. */
export function scoreTable(view) {
  const { scoring } = view.game;
  const lines = placesInOrder(view.result.lines);
  if (!scoring || !lines.length) return null;
  loadEndStyle();
  const heads = [say("Player"), scoring.score, scoring.tiebreak].filter(Boolean);
  const rows = lines.map((line) => element("tr", { class: line.won ? "won" : "" },
    element("th", { scope: "row" }, lines.length > 2 ? `${line.place}. ` : "",
      line.won ? say("{names} – won", { names: listOf(line.names) }) : listOf(line.names)),
    element("td", {}, `${line.score}`, element("small", {}, counts(line.counted))),
    scoring.tiebreak ? element("td", {}, `${line.tiebreak}`, element("small", {}, counts(line.sector))) : null));
  const tied = new Set(lines.map((line) => line.score)).size < lines.length;
  return element("section", { class: "counts", "data-card": "counts", "aria-label": say("What was counted") },
    element("table", {}, element("thead", {}, element("tr", {},
      ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...rows)),
    hintLine([scoring.hint, tied && scoring.tied].filter(Boolean).join(" ")));
}

// -- how it went ------------------------------------------------------------------------------------------------------

const text = (attributes, words) => svg("text", attributes, words);

/**
 * A curve for each line, up is good: the first is whole with its area, the others are dashed, and each ends in a mark
 * of its own, so that nobody needs to tell colours apart.
 * @param {any} view
 * @param {{seats: number[], points: [number, number][], steps: boolean}[]} lines Values from 0 to 1, by turn or moment.
 * @param {{label: string, ends: [string, string], most?: string, turned?: number[]}} words
 */
export function curveOf(view, lines, { label, ends, most = "", turned = [] }) {
  loadEndStyle();
  const all = lines.flatMap(({ points }) => points.map(([at]) => at));
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const [right, floor] = [WIDE - EDGE.right, HIGH - EDGE.bottom];
  const x = (at) => Math.round(EDGE.left + ((at - first) / Math.max(1, last - first)) * (right - EDGE.left));
  const y = (value) => Math.round(floor - value * (floor - EDGE.top));
  const path = ({ points, steps }) => points.map(([at, value], i) =>
    (i === 0 ? `M${x(at)} ${y(value)}` : steps ? `H${x(at)}V${y(value)}` : `L${x(at)} ${y(value)}`)).join("");
  const marks = [(at, to) => svg("circle", { cx: at, cy: to, r: 6.5, class: "end-mark" }),
    (at, to) => svg("rect", { x: at - 6, y: to - 6, width: 12, height: 12, rx: 2, class: "end-mark" })];
  // Ends that meet stand beside each other, towards the middle.
  const heights = [];
  for (const { points } of lines) {
    const value = points.at(-1)?.[1] ?? 0;
    let height = y(value);
    while (heights.some((other) => Math.abs(other - height) < MARK)) height += value < 0.5 ? -MARK : MARK;
    heights.push(height);
  }
  const drawn = lines.map((line, number) => {
    const [at] = line.points.at(-1) ?? [0, 0];
    const mark = marks[number % 2];
    const seat = seatsOf(view, line).map((one) => one.seat).join("+");
    const area = number === 0 && svg("path", { d: `${path(line)}V${floor}H${EDGE.left}Z`, class: "area" });
    return svg("g", { class: seatHue(view, line.seats[0]) }, ...[area].filter(Boolean),
      svg("path", { d: path(line), class: `course course-${number}` }), mark(x(at), heights[number]),
      text({ x: right + 12, y: heights[number] + 4 }, seat));
  });
  return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img", "aria-label": label },
    svg("path", { d: `M${EDGE.left} ${floor}H${right}M${EDGE.left} ${EDGE.top}H${right}`, class: "axis" }),
    svg("path", { d: `M${EDGE.left} ${y(0.5)}H${right}`, class: "axis half" }),
    ...turned.map((at) => svg("path", { d: `M${x(at)} ${EDGE.top}V${floor}`, class: "turned" })),
    ...drawn.reverse(),
    text({ x: EDGE.left, y: HIGH - 5 }, ends[0]), text({ x: right, y: HIGH - 5, class: "last" }, ends[1]),
    ...(most ? [text({ x: EDGE.left - 6, y: EDGE.top + 4, class: "last" }, most),
      text({ x: EDGE.left - 6, y: floor + 4, class: "last" }, "0")] : []));
}

/** How the score went, turn by turn; null if nothing was counted, or not long enough. */
export function scoreCurve(view) {
  const { course, lines } = view.result;
  const most = Math.max(0, ...course.flatMap(({ scores: found }) => found));
  if (course.length < LEAST || !most) return null;
  const found = lines.map((line, number) => ({ seats: line.seats, steps: true,
    points: course.map(({ turn, scores: at }) => [turn, at[number] / most]) }));
  // The best is drawn first, and whole.
  found.sort((one, other) => other.points.at(-1)[1] - one.points.at(-1)[1]);
  const turns = [course[0], course.at(-1)].map(({ turn }) => say("turn {turn}", { turn }));
  return curveOf(view, found, { label: say("How the score went, turn by turn"), ends: [turns[0], turns[1]],
    most: `${most}` });
}

/** Who plays which pieces, where no score tells who was who. */
export function rolesOf(view) {
  return element("p", { class: "roles" }, ...view.seats.filter((seat) => seat.plays).map((seat) =>
    element("span", {}, chip(seat.plays, view), seat.name)));
}
