// The sensors of the running table, fetched a few times a second while the page is visible.
import { byId, element, svg } from "/static/shared/elements.js";
import { KINDS } from "/static/shared/sensors.js";
import { getJson } from "/static/shared/live.js";
import { say } from "/static/shared/words.js";

const EVERY_MS = 250;
const ANSWER_MS = 5000;
const NOISE = 4;
const WORDS = { presence: ["–", say("stone")],
  polarity: ["–", say("north (white)"), say("south (black)"), say("both: broken")] };

const POLES = ["", "north", "south", "broken"];

const rows = new Map();
const spots = new Map(); // Node → what is drawn of it.
let shown = null; // The board whose sensors are listed, and how it is wired.

function row(node) {
  const [reading, count] = [element("td"), element("td")];
  const wiring = [node.channel, node.pixel].map((number) => element("td", {}, number));
  const line = element("tr", {}, element("th", { scope: "row" }, node.node), ...wiring, reading, count);
  byId("sensors").append(line);
  return { line, reading, count, last: null, changes: 0 };
}

// Sensors of one place, a well's nine, lie in a ring there, without words.
function places(nodes) {
  const together = new Map();
  for (const node of nodes) {
    const place = `${node.x} ${node.y}`;
    together.set(place, [...(together.get(place) ?? []), node]);
  }
  const all = [...together.values()];
  const apart = Math.min(60, ...all.flatMap(([one], at) => all.slice(at + 1)
    .map(([other]) => Math.hypot(one.x - other.x, one.y - other.y) || 60)));
  const spots = all.flatMap((group) => group.map(({ node, x, y }, at) => {
    const turn = (2 * Math.PI * at) / group.length;
    const away = group.length > 1 ? apart * 0.32 : 0;
    return { node, x: x + away * Math.sin(turn), y: y - away * Math.cos(turn),
      r: apart * (group.length > 1 ? 0.1 : 0.42), named: group.length === 1 };
  }));
  return { apart, spots };
}

function draw(nodes) {
  const { apart, spots: all } = places(nodes);
  const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs) - apart, Math.min(...ys) - apart];
  byId("picture").setAttribute("viewBox",
    `${left} ${top} ${Math.max(...xs) + apart - left} ${Math.max(...ys) + apart - top}`);
  spots.clear();
  byId("picture").replaceChildren(...all.map(({ node, x, y, r, named }) => {
    const spot = svg("g", { "data-node": node });
    const words = svg("text", { x, y, "font-size": apart * 0.26 });
    spot.append(svg("circle", { cx: x, cy: y, r }), words);
    spots.set(node, { spot, words, named });
    return spot;
  }));
}

function state({ kind }, reading) {
  if (kind === "polarity") return POLES[reading];
  if (kind !== "level") return reading ? "felt" : "";
  if (Math.abs(reading - 128) <= 2 * NOISE) return "";
  return reading > 128 ? "north" : "south";
}

function paint(view, { node, reading }) {
  const { spot, words, named } = spots.get(node);
  spot.setAttribute("class", state(view, reading));
  if (named) words.textContent = view.kind === "level" ? `${node} ${reading - 128}` : node;
}

function show(view) {
  const fresh = JSON.stringify([view.board, view.nodes.map(({ channel }) => channel)]);
  if (fresh !== shown) {
    rows.clear(); // The host has changed the board, or mapped it.
    byId("sensors").replaceChildren();
    shown = fresh;
    draw(view.nodes);
  }
  const level = view.kind === "level";
  for (const node of view.nodes) {
    if (!rows.has(node.node)) rows.set(node.node, row(node));
    const known = rows.get(node.node);
    if (node.reading === null) continue;
    paint(view, node);
    const moved = known.last === null ? 0 : Math.abs(node.reading - known.last);
    if (moved > (level ? NOISE : 0)) known.changes += 1;
    if (known.last === null || moved > (level ? NOISE : 0)) known.last = node.reading;
    known.reading.textContent = level ? node.reading : WORDS[view.kind][node.reading];
    known.count.textContent = known.changes || "";
    known.line.classList.toggle("felt", level ? Math.abs(node.reading - 128) > 2 * NOISE : node.reading !== 0);
  }
  byId("message").textContent = about(view);
  byId("line").hidden = view.line === null;
  if (view.line !== null) byId("line").textContent = frames(view.line);
}

// The line to a scanner: a few damaged frames are chance, many a loose ground wire or another baud rate.
function frames({ good, damaged, missing }) {
  return say("Frames from the scanner: {good} whole, {damaged} damaged, {missing} missing", { good, damaged, missing });
}

function about(view) {
  if (view.error) return say("The board does not answer: {error}", { error: view.error });
  const { board, scheme, rate } = view;
  const kind = KINDS[view.kind] ?? view.kind;
  if (rate === null) return say("{board}: {kind} through {scheme}", { board, kind, scheme });
  return say("{board}: {kind} through {scheme}, {rate} scans a second", { board, kind, scheme, rate });
}

async function listen() {
  try {
    if (!document.hidden) {
      show(await getJson("/api/hardware", ANSWER_MS));
      byId("net").textContent = "";
    }
  } catch {
    byId("net").textContent = say("The table can't be reached; trying again …");
  }
  setTimeout(listen, EVERY_MS);
}

listen();
