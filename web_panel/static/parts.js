// Parts that phones and the big screen share.
import { lampColour } from "./board.js";
import { element } from "./live.js";
import { chip, tint } from "./pieces.js";

const MOST_NODES = 12; // So many nodes are named in a line of the legend.

// A card is drawn anew only when it says something else: its name tells which one it was before.
export function card(name, ...children) {
  return element("div", { class: "card", "data-card": name }, ...children);
}

export function names(view, seats) {
  return seats.map((number) => view.seats.find((seat) => seat.seat === number)?.name ?? "").join(" and ");
}

// Which pieces a seat plays, where they belong to anybody: colour, letter and word.
export function playsMark(view, seat, { brief = false } = {}) {
  if (!seat.plays) return null;
  const colour = tint(seat.plays, view.pieces);
  const words = `plays ${colour === "plain" ? view.pieces[seat.plays] ?? seat.plays : colour}`;
  return element("span", { class: "plays" }, chip(seat.plays, view.pieces), element("span", { class: brief ? "unseen" : "" }, words));
}

const OWN_COLOURS = { blue: "#2f78c8", red: "#cf3a30", yellow: "#d9a800", green: "#2a9455" };

// Where pieces have colours of players, a seat is shown in that of its pieces.
export function seatColours(view) {
  for (const seat of view.seats) {
    const own = seat.plays && OWN_COLOURS[tint(seat.plays, view.pieces)];
    if (own) document.documentElement.style.setProperty(`--seat-${seat.seat}`, own);
    else document.documentElement.style.removeProperty(`--seat-${seat.seat}`);
  }
}

// What the numbers behind the names count.
export function showCounted(host, view) {
  host.hidden = !view.standing?.length || Boolean(view.result);
  host.textContent = view.game.scoring?.score ?? "";
}

function scoreOf(view, seat) {
  const line = !view.result && view.standing?.find((one) => one.seats.includes(seat.seat));
  return line ? element("b", { class: "score", title: view.game.scoring.score }, `${line.score}`) : null;
}

export function seatItem(view, seat) {
  const marks = [];
  if (seat.resigned) marks.push("resigned");
  else if (view.phase === "sealing") marks.push(seat.sealed ? "sealed" : "choosing");
  else if (view.phase === "revealing") marks.push(seat.opened ? "opened" : "opening");
  if (view.resolver === seat.seat && view.phase !== "over") marks.push(view.phase === "resolving" ? "acts now" : "acts next");
  if (seat.computer) marks.push("computer");
  return element("li", { class: view.you?.seat === seat.seat ? "me" : "" },
    element("span", { class: `dot seat-${seat.seat}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, seat.name), playsMark(view, seat), element("span", { class: "marks" }, marks.join(" · ")), scoreOf(view, seat));
}

// The nodes that belong to a seat, in words; nothing where none do.
export function ownNodes({ homes }, { wells } = {}) {
  if (wells?.length) return homes.length ? `goal ${homes[0]}–${homes.at(-1)}` : "";
  if (homes.length < 2) return homes.length ? `home ${homes[0]}` : "";
  return `homes ${homes[0]}–${homes.at(-1)}`;
}

// The options of the rules that are in force.
export function showRules(host, view) {
  host.hidden = !view.game.rules.length;
  host.textContent = `Rules: ${view.game.rules.join("; ")}.`;
}

const MEANINGS = {
  put: "put your stone here", movable: "may be moved", target: "may go here", best: "this way", interact: "pick one of these",
  wrong: "wrong here", return: "a stone belongs here", remove: "lift this one", confirm: "tap the stack", loop: "take off: the loop",
  won: "won", line: "these move along", stone: "lies here",
};

// The lights in words, a line a meaning: whoever can't see colours or motion reads the same.
export function legend(view) {
  const lines = new Map();
  for (const [node, light] of Object.entries(view.lights)) {
    const key = `${light.meaning} ${light.seat ?? ""}`;
    lines.set(key, { light, nodes: [...(lines.get(key)?.nodes ?? []), node] });
  }
  return [...lines.values()].map(({ light, nodes }) => {
    const who = light.seat ? names(view, [light.seat]) : "";
    const run = light.meaning === "line" && view.layout.wells?.length; // A way that a piece runs, not pieces that move.
    const well = view.layout.wells?.includes(nodes[0]) && { put: "lay the tile here", confirm: "say how it lies" }[light.meaning];
    const words = run ? "the line runs here" : well || (MEANINGS[light.meaning] ?? light.meaning);
    const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES + 1} more` : "";
    return element("li", {}, element("span", { class: `lamp ${light.meaning} ${lampColour(light)}`, "aria-hidden": "true" }),
      element("span", {}, who ? `${who}: ${words}` : words), element("b", {}, nodes.slice(0, more ? MOST_NODES - 1 : MOST_NODES).join(", ") + more));
  });
}

// Pieces that the rules have removed, until they are off the board; play waits for it.
export function clearingCard(view) {
  const nodes = view.tasks.filter((task) => task.do === "take").map((task) => task.node);
  const items = nodes.map((node) => element("li", {}, ...(view.board[node] ?? []).map((piece) => chip(piece, view.pieces)), element("b", {}, node)));
  return card("clearing", element("h2", {}, "Take these off"),
    items.length ? element("ul", { class: "todo taken" }, ...items) : null);
}

export function resultCard(view, ...more) {
  const result = view.result;
  if (!result) return null;
  const won = result.winners.length ? `${names(view, result.winners)} ${result.winners.length > 1 ? "have" : "has"} won` : "A draw";
  return element("div", { class: "card result", "data-card": "result" }, element("h2", {}, "The end"),
    element("p", { class: "winner" }, ...result.winners.map((seat) => element("span", { class: `dot seat-${seat}`, "aria-hidden": "true" })), `${won}.`),
    element("p", {}, result.words), ...scoreTable(view), ...more);
}

// Where placements were sealed, each phone can work them out anew.
export function proofLink(view) {
  return view.game.secrets && element("p", {}, element("a", { href: "/proof" }, "The proof that nobody knew or changed a placement"));
}

function counts(found) {
  return Object.entries(found).map(([node, stones]) => (stones > 1 ? `${node} (${stones})` : node)).join(", ") || "none";
}

// Best first, each with its place: winners before all others, then by what was counted.
function placed(lines) {
  const better = (one, other) => other.won - one.won || other.score - one.score || other.tiebreak - one.tiebreak;
  const sorted = [...lines].sort(better);
  return sorted.map((line) => ({ ...line, place: 1 + sorted.findIndex((other) => better(other, line) === 0) }));
}

// What was counted, in the game's own words; nothing where nothing is counted, one column where nothing breaks a tie.
function scoreTable(view) {
  const scoring = view.game.scoring;
  const lines = placed(view.result.lines);
  if (!scoring || !lines.length) return [];
  const heads = ["Player", scoring.score, scoring.tiebreak].filter(Boolean);
  const rows = lines.map((line) => element("tr", { class: line.won ? "won" : "" },
    element("th", { scope: "row" }, lines.length > 2 ? `${line.place}. ` : "", line.names.join(" and "), line.won ? " – won" : ""),
    element("td", {}, `${line.score}`, element("small", {}, counts(line.counted))),
    scoring.tiebreak ? element("td", {}, `${line.tiebreak}`, element("small", {}, counts(line.sector))) : null));
  const tied = new Set(lines.map((line) => line.score)).size < lines.length;
  return [
    element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...rows)),
    element("p", { class: "hint" }, [scoring.hint, tied && scoring.tied].filter(Boolean).join(" ")),
  ];
}
