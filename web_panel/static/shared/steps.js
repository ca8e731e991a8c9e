// The nodes to tap for each step, derived from the steps' moves for any game.
import { say } from "./words.js";

// The nodes where a step begins (`from`) and its targets (`to`). A line that moves together begins at the equal pieces
// of its rear; the nodes before them are targets. (A single piece that runs along a line is not such a line.) A piece
// from the supply has no beginning, a piece that leaves the board no target.
export function ends(step, board) {
  if (step.line.length && step.moves.length > 1) {
    const piece = (node) => board[node]?.at(-1);
    const rear = step.line.findIndex((node) => piece(node) !== piece(step.line[0]));
    return { from: step.line.slice(0, rear), to: step.line.slice(rear) };
  }
  const from = [...new Set(step.moves.map(([source]) => source).filter(Boolean))];
  const to = [...new Set(step.moves.map(([, target]) => target).filter(Boolean))];
  return { from, to: to.filter((node) => !from.includes(node)) };
}

// The possible taps: `from` maps source → target → steps, `direct` maps a node to the steps that one tap selects.
export function offers(view) {
  const from = new Map();
  const direct = new Map();
  const add = (map, key, step) => map.set(key, [...(map.get(key) ?? []), step]);
  for (const step of view.steps) {
    const { from: sources, to } = ends(step, view.board);
    for (const source of sources) {
      if (!to.length) add(direct, source, step);
      if (!from.has(source)) from.set(source, new Map());
      for (const aim of to) add(from.get(source), aim, step);
    }
    if (!sources.length) for (const aim of to) add(direct, aim, step);
  }
  return { from, direct };
}

// Steps by the node at which they begin, in the board's order; those from the supply under "".
export function bySource(view) {
  const groups = new Map();
  for (const step of view.steps.filter((one) => one.moves.length)) {
    const source = (step.line.length ? step.line[0] : step.moves.find(([from]) => from)?.[0]) ?? "";
    groups.set(source, [...(groups.get(source) ?? []), step]);
  }
  const order = ["", ...Object.keys(view.layout.nodes)];
  return [...groups].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

// The ways on which pieces run on a board with wells: those from a tapped node, of the wanted step, or of a lifted
// piece (lit as a line).
export function runs(view, source) {
  if (!view.layout.wells?.length) return [];
  const lined = view.steps.filter((step) => step.line.length && !step.partial);
  const lit = (node) => view.lights[node]?.meaning === "line";
  const lifted = (step) => step.line.slice(0, -1).every(lit);
  const wish = lined.filter((step) => step.action === view.wanted);
  const found = source ? lined.filter((step) => step.line[0] === source) : wish.length ? wish : lined.filter(lifted);
  return found.map((step) => ({ nodes: step.line, kind: "runs" }));
}

export const spoken = (view) => view.steps.filter((step) => !step.moves.length);

export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a sentence says after `lead`, with which it begins, or null. French has a space before its colon. */
export function afterLead(sentence, lead) {
  const after = sentence.startsWith(lead) && /^\s?[.:!]\s+(.+)/su.exec(sentence.slice(lead.length));
  return after ? capital(after[1]) : null;
}

// The last step in words: where the last arrow ends, or the node to which a piece was brought.
export function lastWords({ arrows, brought }) {
  const made = arrows.filter(({ kind }) => kind === "made").at(-1);
  if (made) return say("{source} to {target}", { source: made.nodes[0], target: made.nodes.at(-1) });
  return brought.length ? brought.join(", ") : "";
}
