// Parts that phones and the big screen share.
import { added } from "./added.js";
import { clockOf } from "./clock_face.js";
import { lampColour, lampRing, lampWords, seatHue } from "./lamps.js";
import { chip, tint } from "./pieces.js";
import { postButton } from "./controls.js";
import { element, showText } from "./elements.js";
import { disc } from "./frame.js";
import { seatOf } from "./live.js";
import { rowSeal } from "./wax.js";
import { listOf, say, sayIn } from "./words.js";

const MAX_NODES = 12; // Maximum number of nodes named in a line of the legend.

// A card; `renew` finds the one that it replaces by its name.
export function card(name, ...children) {
  return element("div", { class: "card", "data-card": name }, ...children);
}

// A card that is labelled by its heading.
export function section(name, title, ...children) {
  return element("section", { class: "card", "data-card": name, "aria-labelledby": `${name}-title` },
    element("h2", { id: `${name}-title` }, title), ...children.flat());
}

export function names(view, seats) {
  return listOf(seats.map((number) => seatOf(view, number)?.name ?? ""));
}

const PLAYS = {
  white: say("plays white"), black: say("plays black"), blue: say("plays blue"), red: say("plays red"),
  yellow: say("plays yellow"),
  green: say("plays green"),
};

// The pieces that a seat plays, if pieces belong to seats: colour, letter and word.
export function playsMark(view, seat, { brief = false } = {}) {
  if (!seat.plays) return null;
  const words = PLAYS[tint(seat.plays, view)] ?? say("plays {piece}", { piece: view.pieces[seat.plays] ?? seat.plays });
  return element("span", { class: "plays" }, chip(seat.plays, view),
    element("span", { class: brief ? "unseen" : "" }, words));
}

const COLOURS = 8; // Number of seat colours.
const OWN_COLOURS = { blue: "#2f78c8", red: "#cf3a30", yellow: "#e8bf2c", green: "#2a9455" };

// As in tokens.css (--s1 to --s8) and docs/view.md.
export function colourWords() {
  return [say("blue"), say("orange"), say("green"), say("pink"), say("yellow"), say("red"), say("violet"),
    say("white")];
}

// If pieces have players' colours, a seat is shown in its pieces' colour.
export function seatColours(view) {
  const { style } = document.body;
  const own = new Map(view.seats.map((seat) => [seatHue(view, seat.seat), seat.plays && tint(seat.plays, view)]));
  for (let colour = 1; colour <= COLOURS; colour += 1) {
    const hue = OWN_COLOURS[own.get(`seat-${colour}`)];
    if (hue) style.setProperty(`--s${colour}`, hue);
    else style.removeProperty(`--s${colour}`);
  }
}

// The words for the numbers after the names.
export function showCounted(host, view) {
  showText(host, view.standing?.length && !view.result && view.game.scoring?.score);
}

function scoreOf(view, seat) {
  const line = !view.result && view.standing?.find((one) => one.seats.includes(seat.seat));
  return line ? element("b", { class: "score", title: view.game.scoring.score }, `${line.score}`) : null;
}

// When the resolving seat acts: now, or after all have chosen.
function actsWords({ phase }) {
  if (phase === "resolving") return say("acts now");
  return ["sealing", "revealing", "placing"].includes(phase) ? say("acts afterwards") : say("acts next");
}

// The words for a computer and its level.
export function computerWords(seat) {
  return say("computer, {level}", { level: seat.level.name });
}

// The reason for a computer's last action, and a notice while it is thinking.
export function computerCard(view) {
  const { thinking, reason } = view;
  if (!thinking && !reason) return null;
  return card("computer", reason && element("p", { id: "reason" },
    say("{name}: {reason}", { name: names(view, [reason.seat]), reason: reason.text })),
    thinking && element("p", { role: "status", class: "hint" },
      say("{name} is still thinking.", { name: names(view, [thinking]) })),
    thinking && view.you && postButton({ id: "hurry" }, say("Make the computer move now"), "hurry"));
}

// Why a player is out of the game; nothing while in it.
export const outWords = (seat) => seat.late ? say("out of time") : seat.resigned && say("resigned");

// What a player does now, in words.
function stateWords(view, seat) {
  const marks = [];
  if (seat.resigned) marks.push(outWords(seat));
  else if (view.phase === "sealing") marks.push(seat.sealed ? say("sealed") : say("choosing"));
  else if (view.phase === "revealing") marks.push(seat.opened ? sayIn("seal", "opened") : say("opening"));
  if (seat.role && !seat.resigned) marks.push(seat.role);
  else if (view.resolver === seat.seat && view.phase !== "over" && !view.paused) marks.push(actsWords(view));
  if (seat.computer) marks.push(computerWords(seat));
  return marks.join(" · ");
}

const actsNow = (view, seat) => view.resolver === seat.seat && view.phase === "resolving" && !view.paused;

// A row for each player; partners share one, with one score.
export function playerRows(view) {
  const teams = new Map();
  for (const seat of view.seats) teams.set(seat.team ?? seat.seat, [...teams.get(seat.team ?? seat.seat) ?? [], seat]);
  return [...teams.values()].map((team, at) => (team.length > 1 ? teamRow(view, team, at) : playerRow(view, team[0])));
}

const waitingDots = () => element("span", { class: "dots", "aria-hidden": "true" }, element("i"), element("i"),
  element("i"));

function playerRow(view, seat) {
  const kind = ["player", seatHue(view, seat.seat), view.you?.seat === seat.seat && "me", actsNow(view, seat) && "acts"];
  return element("li", { class: kind.filter(Boolean).join(" "), "data-seat": seat.seat }, disc(seat),
    element("span", { class: "name" }, seat.name), element("span", { class: "state" },
      element("span", { class: "marks" }, stateWords(view, seat)),
      view.phase === "sealing" && !seat.sealed && !seat.resigned && waitingDots(),
      playsMark(view, seat, { brief: true }),
      rowSeal(view, seat), clockOf(view, seat.seat)), scoreOf(view, seat));
}

function teamRow(view, team, at) {
  const acts = team.some((seat) => actsNow(view, seat));
  const own = teamNodes(view, team);
  const kinds = ["team", seatHue(view, team[0].seat), at && "t2", acts && "acts"];
  return element("li", { class: kinds.filter(Boolean).join(" ") },
    element("span", { class: "mates grow" }, ...team.map((seat) => element("span", { class: "mate" }, disc(seat),
      element("span", { class: "name" }, seat.name), element("span", { class: "state" },
        element("small", {}, stateWords(view, seat)), rowSeal(view, seat), clockOf(view, seat.seat)))),
    element("small", {}, own)), scoreOf(view, team[0]));
}

// The partner of a seat and their homes, in words and colour; null for who plays alone.
export function partnerLine(view, seat) {
  const team = view.seats.filter((one) => one.team === seat.team);
  const partners = team.filter((one) => one !== seat);
  if (!partners.length) return null;
  const colour = colourWords()[(team[0].colour ?? team[0].seat) - 1];
  return element("p", { id: "partner", class: `partner ${seatHue(view, team[0].seat)}`, "data-card": "partner" },
    element("span", { class: "pairdisc" }, ...team.map((one) => disc(one))),
    element("b", {}, say("You and {names}", { names: names(view, partners.map((one) => one.seat)) })),
    element("span", { class: "soft" }, say("{homes}, {colour}", { homes: teamNodes(view, team), colour })));
}

function teamNodes(view, team) {
  const homes = [...new Set(team.flatMap((seat) => seat.homes))];
  const order = Object.keys(view.layout.nodes);
  return ownNodes({ homes: homes.sort((one, other) => order.indexOf(one) - order.indexOf(other)) }, view.game);
}

// A seat's own nodes, in words; empty if it has none.
export function ownNodes({ homes }, { goals }) {
  const [first, last] = [homes[0], homes.at(-1)];
  if (!homes.length) return "";
  if (homes.length < 2) return goals ? say("goal {node}", { node: first }) : say("home {node}", { node: first });
  return goals ? say("goal {first}–{last}", { first, last }) : say("homes {first}–{last}", { first, last });
}

// The game's aim in a line.
export function showAim(host, { game }) {
  if (!host.hidden && host.dataset.game === game.name) return;
  host.hidden = false;
  host.dataset.game = game.name;
  host.replaceChildren(...[game.aim && `${game.aim} `, ...added("aim", game)].filter(Boolean));
}

// The rule options and clocks in force.
export function showRules(host, view) {
  const clocks = view.clocks?.words ?? view.clocks_words;
  const lines = [view.game.rules.length && say("Rules: {rules}.", { rules: view.game.rules.join("; ") }),
    clocks && say("Clocks: {clocks}.", { clocks })];
  showText(host, lines.filter(Boolean).join(" "));
}

const WELL_MEANINGS = { put: say("lay the tile here"), confirm: say("say how it lies") };

// The lights that say the same, together: a light and its nodes, in the board's order.
export function lightGroups(lights, wordsOf) {
  const lines = new Map();
  for (const [node, light] of Object.entries(lights)) {
    const key = `${wordsOf(light)} ${light.seat ?? ""}`;
    lines.set(key, { light, nodes: [...(lines.get(key)?.nodes ?? []), node] });
  }
  return [...lines.values()];
}

export function lamp(light, view) {
  return element("span", { class: `lamp ${light.meaning} ${lampColour(light, view)} ${lampRing(light)}`, "aria-hidden": "true" });
}

// The lights in words, one line for each meaning, for readers who can't see colours or motion.
export function legend(view) {
  return lightGroups(view.lights, ({ meaning }) => meaning).map(({ light, nodes }) => {
    const who = light.seat ? names(view, [light.seat]) : "";
    // The way of a runner, not pieces that move together.
    const run = light.meaning === "line" && view.layout.wells?.length;
    const well = view.layout.wells?.includes(nodes[0]) && WELL_MEANINGS[light.meaning];
    const words = run ? say("the line runs here") : well || lampWords(light);
    const more = nodes.length > MAX_NODES;
    const named = nodes.slice(0, more ? MAX_NODES - 1 : MAX_NODES).join(", ");
    return element("li", {}, lamp(light, view), element("span", {}, who ? `${who}: ${words}` : words),
      light.meaning !== "won" && element("b", {}, more ? say("{nodes} and {count} more",
          { nodes: named, count: nodes.length - MAX_NODES + 1 }) : named));
  });
}

// Pieces that the rules have removed and that still lie on the board; play waits for them.
export function clearingCard(view) {
  const nodes = view.tasks.filter((task) => task.do === "take").map((task) => task.node);
  const items = nodes.map((node) => element("li", {}, ...(view.board[node] ?? []).map((piece) => chip(piece, view)),
    element("b", {}, node)));
  return card("clearing", element("h2", {}, say("Take these pieces off")),
    items.length ? element("ul", { class: "todo taken" }, ...items) : null);
}
