// The sensors of the running table: asked for a few times a second while the page is seen.

const EVERY_MS = 250;
const ANSWER_MS = 5000;
const NOISE = 4;
const WORDS = { presence: ["–", "stone"], polarity: ["–", "north (white)", "south (black)", "both: broken"] };

const byId = (id) => document.getElementById(id);
const rows = new Map();

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
  const rate = view.rate === null ? "" : `, ${view.rate} scans a second`;
  byId("message").textContent = view.error ? `The board does not answer: ${view.error}` : `${view.board}: ${view.kind} through ${view.scheme}${rate}`;
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
    byId("net").textContent = "The table can't be reached; trying again …";
  }
  setTimeout(listen, EVERY_MS);
}

listen();
