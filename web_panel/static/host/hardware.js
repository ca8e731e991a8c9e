// The sensors of the running table, fetched a few times a second while the page is visible.
import { KINDS } from "../shared/sensors.js";
import { say } from "../shared/words.js";

const EVERY_MS = 250;
const ANSWER_MS = 5000;
const NOISE = 4;
const WORDS = { presence: ["–", say("stone")], polarity: ["–", say("north (white)"), say("south (black)"), say("both: broken")] };

const byId = (id) => document.getElementById(id);
const rows = new Map();
let shown = null; // The board whose sensors are listed.

function row(node) {
  const line = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = node.node;
  const cells = Array.from({ length: 4 }, () => document.createElement("td"));
  cells[0].textContent = node.channel;
  cells[1].textContent = node.pixel;
  line.append(head, ...cells);
  byId("sensors").append(line);
  return { line, reading: cells[2], count: cells[3], last: null, changes: 0 };
}

function show(view) {
  if (view.board !== shown) {
    rows.clear(); // The host has changed the board.
    byId("sensors").replaceChildren();
    shown = view.board;
  }
  const level = view.kind === "level";
  for (const node of view.nodes) {
    if (!rows.has(node.node)) rows.set(node.node, row(node));
    const known = rows.get(node.node);
    if (node.reading === null) continue;
    const moved = known.last === null ? 0 : Math.abs(node.reading - known.last);
    if (moved > (level ? NOISE : 0)) known.changes += 1;
    if (known.last === null || moved > (level ? NOISE : 0)) known.last = node.reading;
    known.reading.textContent = level ? node.reading : WORDS[view.kind][node.reading];
    known.count.textContent = known.changes || "";
    known.line.classList.toggle("felt", level ? Math.abs(node.reading - 128) > 2 * NOISE : node.reading !== 0);
  }
  byId("message").textContent = about(view);
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
      const response = await fetch("/api/hardware", { signal: AbortSignal.timeout?.(ANSWER_MS) });
      if (!response.ok) throw new Error(`${response.status}`);
      show(await response.json());
      byId("net").textContent = "";
    }
  } catch {
    byId("net").textContent = say("The table can't be reached; trying again …");
  }
  setTimeout(listen, EVERY_MS);
}

listen();
