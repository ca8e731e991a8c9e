// The virtual board: pressing the pointer lifts a stone, releasing it puts the stone down; keys do the same. The panel
// that serves this page serves its drawing, its sentences, its sounds and the table's state, too.
import { besideBoard, playAlone } from "/static/lobby/lobby_seats.js";
import { SeatCodes } from "/static/link/seat_codes.js";
import { headlineOf } from "/static/play/headline.js";
import { added } from "/static/shared/added.js";
import { announce } from "/static/shared/announce.js";
import { Drawing, setNames } from "/static/shared/drawing.js";
import { capital } from "/static/shared/steps.js";
import { tilePicture } from "/static/shared/tiles.js";
import { allOf, byId, element, renew, setText, showText, svg } from "/static/shared/elements.js";
import { disc } from "/static/shared/frame.js";
import { icon } from "/static/shared/icons.js";
import { seatHue } from "/static/shared/lamps.js";
import { tileOf } from "/static/shared/lines.js";
import { attempt, connect, follow, getJson } from "/static/shared/live.js";
import { chip, made } from "/static/shared/pieces.js";
import { listOf, say, sayIn, sayMany } from "/static/shared/words.js";

const person = Math.random().toString(36).slice(2, 8);
const keyHand = `keys-${person}`;
const DOUBLE_TAP_MS = 400;
// A turned tile is put down this long after the last turn: one lift for all turns, as a hand does.
const TURNING_MS = 500;
const HOLD_MS = 20000; // So often a page says that it still holds a piece: after 60 s without that the piece goes back.
const AGAIN_MS = 3000;
const TAP_PX = 8; // A pointer that moves no farther than this has tapped.
const KINDS = {
  presence: say("A node detects a stone or none, but neither its colour nor a stack."),
  polarity: say("A node detects no stone, a white one (north up) or a black one (south up); of a stack the lowest."),
  coded: say("A well detects nine magnets of a tile, and so reads which one lies there and how it is turned; other nodes detect a piece or none."),
  level: say("A node measures how strong the field is, and so tells stacks from single stones."),
};
const COLOURS = ["blue", "red", "yellow", "green"];
const COLOUR_WORDS = {
  white: sayIn("piece", "white"), black: sayIn("piece", "black"), blue: sayIn("piece", "blue"),
  red: sayIn("piece", "red"),
  yellow: sayIn("piece", "yellow"), green: sayIn("piece", "green"),
};
const LIFTED = 1.12; // So much larger a piece in the hand is drawn.
const drawing = new Drawing(byId("board"));
const codes = new SeatCodes(byId("codes"), byId("joining"), offerPlay);
// On one page with a phone, which has the words, the codes and the sounds.
const isBeside = Boolean(globalThis.frameElement);
document.body.classList.toggle("beside", isBeside);
/** @type {any} */
let board = null; // What the program says of the board once and for all.
/** @type {any} */
let layout = null; // Its layout as the drawing wants it.
/** @type {Record<string, string>} */
let tints = {}; // Each round piece's colour.
let state = null;
/** @type {any} */
let told = null; // What the table says.
let held = null; // pieces dragged by the pointer
let carried = null; // pieces in the hand without a drag: by keys, or after a tap on a tray
/** @type {string | null} */
let carriedFrom = null; // Their node,
let [carriedHand, carriedTurned] = [keyHand, 0]; // their hand, their turn in eighths.
let twisted = null; // a tile that is being turned on its node; it stays in the hand until the turning ends
let focused = null; // the node that the Tab key reaches
let grabs = 0;
let lastTap = { name: null, at: -1000 };
/** @type {Promise<any>} */
let queue = Promise.resolve();
let turning = Promise.resolve();
let pending = 0; // requests that are not answered yet

// The colour of each round piece: white and black stones, else the colour with that first letter.
function coloursOf(letters) {
  const known = letters.includes("w") ? ["white", "black"] : COLOURS;
  return Object.fromEntries(letters.map((letter) => [letter, known.find((colour) => colour[0] === letter) ?? "white"]));
}

// Millimetres as the drawing's layout, in which neighbours, or neighbouring wells, are 1 apart.
function layoutOf({ nodes, lines, circles, paths, wells, tiles, style }) {
  const points = (wells.length ? wells : Object.keys(nodes)).map((name) => nodes[name]);
  const apart = points.flatMap(([x, y], at) => points.slice(at + 1).map(([u, v]) => Math.hypot(x - u, y - v)));
  const unit = apart.length ? Math.min(...apart) : 1;
  const scaled = (point) => point.map((one) => one / unit);
  return {
    nodes: Object.fromEntries(Object.entries(nodes).map(([name, point]) => [name, scaled(point)])),
    lines: lines.flatMap((line) => line.slice(1).map((name, at) => [line[at], name])),
    circles: scaled(circles), paths: paths.map((path) => path.map(scaled)), wells, tiles, style,
  };
}

function pieceWords(piece) {
  const tile = tileOf(piece);
  if (!tile) return COLOUR_WORDS[tints[piece]] ?? piece;
  if (!tile.turn) return say("tile {tile}", { tile: tile.name });
  return sayMany("tile {tile}, turned by {count} eighth", "tile {tile}, turned by {count} eighths", tile.turn,
    { tile: tile.name });
}

const words = (stack) => (stack.length ? listOf(stack.map(pieceWords)) : say("empty"));

// The name of a fault, as in the page's forms.
function faultName(fault) {
  return document.querySelector(`option[value="${fault}"]`)?.textContent ?? say("does not answer");
}

// An LED's byte is linear in light, a screen's is not: dark colours are brightened to look as on an LED.
function lampOf([red, green, blue]) {
  const shown = [red, green, blue].map((byte) => Math.round(255 * (byte / 255) ** 0.45));
  const colour = shown.some(Boolean) ? `rgb(${shown.join(",")})` : "transparent";
  return { colour, words: say("light {red} {green} {blue}", { red, green, blue }) };
}

// What a sensor reads, as a sign beside its node.
function signOf(kind, reading) {
  if (reading === undefined) return "";
  if (kind === "presence") return "●";
  if (kind === "polarity") return ["", "N", "S", "N+S"][reading];
  return reading > 128 ? `+${reading - 128}` : `−${128 - reading}`;
}

// The light of a node with the sign of what it means, where the table has told that: the sign stays while the light is
// off for a moment.
function lampsOf(pixels) {
  const lit = Object.entries(pixels).filter(([name, colour]) => colour.some(Boolean) || told?.lights[name]);
  return Object.fromEntries(lit.map(([name, colour]) => [name, { ...lampOf(colour), means: told?.lights[name] }]));
}

// The players' homes, if the table plays on this board.
function seatsHere() {
  const seats = told?.seats ?? [];
  return seats.every(({ homes }) => homes.every((home) => home in layout.nodes)) ? seats : [];
}

function draw() {
  const had = /** @type {any} */ (document.activeElement)?.closest("[data-node]")?.dataset.node;
  const lights = lampsOf(state.pixels);
  const pieces = Object.fromEntries(Object.values(state.stones).flat().map((piece) => [piece, pieceWords(piece)]));
  drawing.show({ layout, board: state.stones, tints, pieces, lights, seats: seatsHere(), arrows: [] });
  drawing.root.setAttribute("role", "group");
  drawing.root.setAttribute("aria-label", say("The board"));
  for (const { name, group, well, outline } of Object.values(drawing.places)) {
    const fault = state.faults[name] ?? state.faults.board;
    const parts = [words(state.stones[name] ?? []), lights[name]?.words, fault && faultName(fault)].filter(Boolean);
    const focus = focused ?? Object.keys(layout.nodes)[0];
    for (const [key, value] of Object.entries({
      role: "button", tabindex: name === focus ? "0" : "-1", "aria-label": `${name}: ${parts.join(", ")}`,
    })) group.setAttribute(key, value);
    group.classList.toggle("broken", Boolean(fault));
    if (!group.querySelector(".mark")) group.append(outline(well ? 28 : drawing.style.full, "ring mark"));
    const sign = group.querySelector(".reading-sign")
      ?? svg("text", { class: "reading-sign", y: -14, "aria-hidden": "true" });
    sign.textContent = signOf(well && state.kind !== "level" ? "presence" : state.kind, state.feels[name]);
    group.append(sign);
  }
  // Where the players have changed, the board is drawn anew: who uses keys goes on where they were.
  const { group } = drawing.places[had] ?? {};
  if (group && group !== document.activeElement) group.focus();
}

function tell(message, bad = false) {
  byId("say").textContent = message;
  byId("say").classList.toggle("bad", bad);
}

// Tell which pieces are on a node now; after a mere tap, which moves nothing, also what does.
function tellNode(name, tapped = false) {
  const there = { node: name, pieces: words(state.stones[name] ?? []) };
  if (name === "supply") tell(say("Back in the bowl."));
  else tell(tapped ? say("On {node}: {pieces}. Drag to move.", there) : say("On {node}: {pieces}.", there));
}

/**
 * Send a request after all earlier ones; `after` is one that must succeed first, such as the lift before a put.
 * @param {Promise<any> | null} after
 * @returns {Promise<any>}
 */
function send(name, body, after = null) {
  pending += 1;
  const done = queue.then(async () => {
    await after;
    let answer = { error: say("The program does not answer.") };
    try {
      const response = await fetch(`/sim/${name}`, {
        method: "POST", headers: { "Content-Type": "application/json", "X-Lodestone": "1" }, body: JSON.stringify(body),
      });
      answer = await response.json();
      if (response.ok) return show(answer);
    } catch { /* Told below. */ }
    const why = answer.form ? say(answer.form, answer.values) : answer.error?.message ?? answer.error
      ?? say("That was refused.");
    tell(why, true);
    throw new Error(why);
  });
  queue = done.catch(() => setTimeout(returnLost, AGAIN_MS)).finally(() => { pending -= 1; });
  return done;
}

// The hands in which this page has pieces now.
function hands() {
  return [held?.hand, twisted?.hand, carried && carriedHand].filter(Boolean);
}

// A request or its answer was lost, and a piece with it: it goes back where it came from.
function returnLost() {
  if (pending) return;
  const lost = Object.keys(state.hands).filter((hand) => (hand === keyHand || hand.startsWith(`hand-${person}-`))
    && !hands().includes(hand));
  for (const hand of lost) giveUp(hand);
}

function giveUp(hand) {
  send("back", { hand }).catch(() => {});
}

function show(latest) {
  if (state && latest.run === state.run && latest.version < state.version) return; // An older answer arrived late.
  if (state && latest.name !== state.name) return void location.reload(); // The host has changed the board.
  state = latest;
  draw();
  for (const piece of board.stones) fillBowl(byId(`tray-${piece}`), piece, state.supply[piece]);
  for (const tile of Object.keys(layout.tiles)) byId(`tray-${tile}`).classList.toggle("gone", !state.supply[tile]);
  byId("kind").textContent = state.kind;
  byId("kind-words").textContent = KINDS[state.kind];
  const faults = Object.entries(state.faults).sort()
    .map(([node, fault]) => [node === "board" ? say("whole board") : node, faultName(fault)]);
  byId("faults").textContent = faults.map((one) => one.join(": ")).join("; ");
  const sum = Object.values(state.pixels).flat().reduce((total, byte) => total + byte, 0);
  byId("current").textContent = say("{now} / {most} mA",
    { now: Math.round((sum * 20) / 255), most: board.max_current_ma });
  returnLost();
}

// -- dragging ---------------------------------------------------------------------------------------------------

function grab(event, source) {
  if (held || event.button > 0) return;
  if (carried) {
    event.preventDefault();
    if (source === "supply") giveBack();
    else putCarried(source);
    return;
  }
  if (twisted?.source === source) {
    event.preventDefault();
    hold(event, untwist());
    return;
  }
  layTwisted();
  const fromSupply = source === "supply";
  if (!fromSupply && source === lastTap.name && event.timeStamp - lastTap.at < DOUBLE_TAP_MS) {
    event.preventDefault();
    lastTap.name = null;
    tap(source);
    return;
  }
  const stack = fromSupply ? [event.currentTarget.dataset.piece] : state.stones[source];
  if (!stack?.length || (fromSupply && !left(stack[0]))) return;
  event.preventDefault();
  event.target.releasePointerCapture?.(event.pointerId);
  grabs += 1;
  const hand = `hand-${person}-${grabs}`; // A separate hand for each grab: the next grab need not wait for this answer.
  const whole = !fromSupply && (event.shiftKey || byId("whole").checked);
  const pieces = whole ? [...stack] : [stack.at(-1)];
  const body = fromSupply ? { node: "supply", piece: pieces[0], hand } : { node: source, pieces, hand };
  hold(event, lift(source, hand, pieces, body));
}

function lift(source, hand, pieces, body) {
  const one = { source, hand, pieces, turned: 0, shape: svg("g", { class: "held" }), lifted: send("lift", body) };
  one.lifted.catch(() => {}); // putBack() handles the error.
  one.shape.append(...drawing.shapes(pieces));
  drawing.root.append(one.shape);
  return one;
}

function hold(event, one) {
  held = Object.assign(one, { x: event.clientX, y: event.clientY, pointer: event.pointerId });
  followPointer(event);
  addEventListener("pointermove", followPointer);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);
  addEventListener("wheel", wheel, { passive: false });
}

// Return how many of a piece are left in the supply, which has each tile once.
function left(piece) {
  return state.supply[tileOf(piece)?.name ?? piece];
}

// The wheel turns tiles in the hand; the table notices the turn when they are put down.
function wheel(event) {
  event.preventDefault();
  turnHeld(event.deltaY < 0 ? -1 : 1);
}

function turnPiece(piece, eighths) {
  const tile = tileOf(piece);
  return tile ? `${tile.name}r${(tile.turn + eighths + 8) % 8}` : piece;
}

function turnHeld(eighths) {
  const drawn = held ?? twisted;
  const holder = drawn ?? (carried && { pieces: carried });
  if (!holder?.pieces.some(tileOf)) return;
  const pieces = holder.pieces.map((piece) => turnPiece(piece, eighths));
  if (drawn) {
    Object.assign(drawn, { pieces, turned: (drawn.turned + eighths + 8) % 8 });
    drawn.shape.replaceChildren(...drawing.shapes(pieces));
  } else {
    carry(pieces, carriedFrom, carriedHand, carriedTurned + eighths + 8);
  }
  tell(say("In the hand: {pieces}.", { pieces: words(pieces) }));
}

// Turn a tile on its node by keys. Quick keys are queued: one turn after the other.
function turnLying(name, eighths) {
  turning = turning.then(async () => {
    if (twisted?.source !== name) {
      layTwisted();
      await queue;
      const top = state.stones[name]?.at(-1) ?? "";
      if (held || carried || !tileOf(top)) return;
      grabs += 1;
      const hand = `hand-${person}-${grabs}`;
      twisted = lift(name, hand, [top], { node: name, pieces: [top], hand });
    }
    twist(eighths);
  });
}

function twist(eighths) {
  const { x, y } = drawing.places[twisted.source];
  twisted.shape.setAttribute("transform", `translate(${x} ${y})`);
  turnHeld(eighths);
  clearTimeout(twisted.timer);
  twisted.timer = setTimeout(layTwisted, TURNING_MS);
}

// End the turning, and return the tile for the next hand.
function untwist() {
  const one = twisted;
  clearTimeout(one.timer);
  twisted = null;
  return one;
}

function layTwisted() {
  if (twisted) putBack(untwist());
}

// Put turned pieces down: they go to the supply, where no sensor reads them, and come back with their new turning.
async function putTurned(node, hand, pieces, after = null) {
  if (node === "supply") return send("put", { node, hand }, after);
  const emptied = send("put", { node: "supply", hand }, after);
  return Promise.all([emptied, ...pieces.map((piece) => send("put", { node, piece }, emptied))]);
}

function followPointer(event) {
  if (event.pointerId !== held.pointer) return;
  const point = drawing.point(event);
  held.shape.setAttribute("transform", `translate(${point.x} ${point.y}) scale(${LIFTED})`);
  mark(drawing.nearest(point));
}

function mark(over) {
  for (const place of Object.values(drawing.places)) place.group.classList.toggle("over", place.name === over);
}

function release(event) {
  if (event.pointerId !== held.pointer) return;
  removeEventListener("pointermove", followPointer);
  removeEventListener("pointerup", release);
  removeEventListener("pointercancel", release);
  removeEventListener("wheel", wheel);
  const one = held;
  const { source } = one;
  const tapped = Math.hypot(event.clientX - held.x, event.clientY - held.y) < TAP_PX;
  if (source === "supply" && tapped) return keep(held);
  const stays = tapped || event.type === "pointercancel";
  const target = stays ? source : drawing.nearest(drawing.point(event)) ?? "supply";
  held = null;
  mark(null);
  if (tapped && one.pieces.some(tileOf)) {
    twisted = one;
    twist(drawing.point(event).x < drawing.places[source].x ? -1 : 1);
    return;
  }
  if (target === source) lastTap = { name: source, at: event.timeStamp };
  putBack(one, target, tapped);
}

function putBack({ source, hand, pieces, turned, shape, lifted }, target = source, tapped = false) {
  putDown(source, target, hand, lifted, turned ? pieces : null).then(
    () => tellNode(target, tapped),
    () => giveUp(hand), // send() has told the error.
  ).finally(() => shape.remove());
}

// After a tap on a tray the stone stays in the hand until a node is tapped.
function keep({ source, hand, pieces, turned, shape, lifted }) {
  held = null;
  mark(null);
  shape.remove();
  carry(pieces, source, hand, turned);
  lifted.then(() => tell(say("In the hand: {pieces}. Tap a node, or the bowl to give it back.",
    { pieces: words(pieces) })), () => carry(null));
}

/** @param {string | null} from */
function carry(pieces, from = null, hand = keyHand, turned = 0) {
  if (pieces) layTwisted();
  carried = pieces;
  carriedFrom = from;
  carriedHand = hand;
  carriedTurned = turned % 8;
  const kind = tileOf(pieces?.[0] ?? "")?.name ?? pieces?.[0];
  for (const tray of allOf("[data-piece]")) {
    tray.classList.toggle("holding", from === "supply" && tray.dataset.kind === kind);
  }
}

// Put pieces down. Onto a neighbour's stone with "push" ticked: that stone and all in line behind it move on.
function putDown(source, target, hand, after = null, turned = null) {
  if (turned) return putTurned(target, hand, turned, after);
  const pushes = byId("push").checked && source !== "supply" && target !== source && state.stones[target]?.length;
  return pushes ? send("push", { from: source, node: target, hand }, after)
    : send("put", { node: target, hand }, after);
}

// A double tap lifts the whole stack and puts it back, which confirms a stack.
function tap(name) {
  queue.then(() => {
    const stack = state.stones[name];
    if (stack?.length) {
      send("move", { from: name, to: name, pieces: stack })
        .then(() => tell(say("Tapped {node}.", { node: name })), () => {});
    }
  });
}

// -- keys -------------------------------------------------------------------------------------------------------

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function focusNode(name) {
  focused = name;
  for (const place of Object.values(drawing.places)) {
    place.group.setAttribute("tabindex", place.name === name ? "0" : "-1");
  }
  drawing.places[name].group.focus();
}

function press(event, name) {
  if (event.key in ARROWS) {
    event.preventDefault();
    const next = drawing.towards(name, ARROWS[event.key][0], ARROWS[event.key][1]);
    if (next) focusNode(next);
  } else if (event.key === "[" || event.key === "]") {
    if (carried) turnHeld(event.key === "[" ? -1 : 1);
    else if (!held) turnLying(name, event.key === "[" ? -1 : 1);
  } else if (event.key === "t" || event.key === "T") {
    tap(name);
  } else if (event.key === "Escape") {
    giveBack();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    if (carried) putCarried(name);
    else if (twisted?.source === name) keep(untwist());
    else liftByKey(name);
  }
}

function liftByKey(name) {
  const stack = state.stones[name];
  if (held || !stack?.length) return;
  const pieces = byId("whole").checked ? stack : [stack.at(-1)];
  carry(pieces, name);
  send("lift", { node: name, pieces, hand: keyHand }).then(
    () => tell(say("Lifted from {node}: {pieces}. Go to a node and press Enter.",
      { node: name, pieces: words(pieces) })), () => carry(null));
}

// The hand is empty at once: who takes the next piece before the board has answered would give this one back.
function putCarried(name) {
  const [pieces, from, hand, turned] = [carried, carriedFrom, carriedHand, carriedTurned];
  carry(null);
  putDown(from, name, hand, null, turned ? pieces : null).then(() => tellNode(name), () => {
    if (!carried) carry(pieces, from, hand, turned);
  });
}

function giveBack() {
  if (!carried) return;
  const hand = carriedHand;
  carry(null);
  send("put", { node: "supply", hand }).then(() => tellNode("supply"), () => {});
}

function takeByKey(event, piece) {
  if (event.key === "Escape") giveBack();
  if (carried && (event.key === "[" || event.key === "]")) turnHeld(event.key === "[" ? -1 : 1);
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  if (carried) {
    giveBack();
  } else if (!held && left(piece)) {
    carry([piece], "supply");
    send("lift", { node: "supply", piece, hand: keyHand }).then(
      () => tell(say("In the hand: {pieces}. Go to a node and press Enter.", { pieces: words([piece]) })),
      () => carry(null));
  }
}

// -- start ------------------------------------------------------------------------------------------------------

// Add a bowl for each kind of round pieces, left and right of the board in turn, and a tray for each tile.
function addTrays() {
  const make = (kind, piece, look, ...content) => {
    const unseen = element("i", { class: "unseen" }, say("take from the supply: {piece}", { piece: words([piece]) }));
    const tray = element("button", { id: `tray-${kind}`, class: look, "data-piece": piece, "data-kind": kind },
      ...content, unseen);
    tray.addEventListener("pointerdown", (event) => grab(event, "supply"));
    tray.addEventListener("keydown", (event) => takeByKey(event, piece));
    return tray;
  };
  Object.keys(tints).forEach((letter, at) => {
    const name = element("div", {}, capital(pieceWords(letter)), " ", element("span", { class: "num" }));
    byId(at % 2 ? "bowls-right" : "bowls-left").append(make(letter, letter, "bowl", bowl(), name));
  });
  const tiles = Object.entries(layout.tiles);
  for (const one of [byId("tiles"), ...allOf(".with-tiles")]) one.hidden = !tiles.length;
  byId("tiles").append(...tiles.map(([name, lines]) => make(name, `${name}r0`, "tile-tray", tilePicture(name, lines))));
}

function bowl() {
  const round = (r, attributes) => svg("circle", { r, ...attributes });
  return svg("svg", { viewBox: "-104 -100 208 208", "aria-hidden": "true" },
    round(101, { cx: 3, cy: 7, fill: "url(#table)" }), round(94, { class: "bowl-side" }),
    round(94, { fill: "url(#bevel)" }), round(90, { class: "bowl-edge" }), round(90, { fill: "url(#sheen)" }),
    round(77, { class: "bowl-inside" }), round(77, { fill: "url(#hollow)" }), svg("g", { class: "pile" }));
}

// A pile shrinks in three steps; the last stones lie there one by one.
function pile(left) {
  const ring = (count, far, turn) => [...Array(count).keys()].map((at) => {
    const angle = (2 * Math.PI * at) / count + turn;
    return [Math.cos(angle) * far * (1 + 0.06 * (at % 3)), Math.sin(angle) * far * (1 - 0.05 * (at % 2)), 1.18];
  });
  const top = [[-14, -12, 1.25], [15, -7, 1.25], [0, 13, 1.25], [-30, 12, 1.25], [31, 15, 1.25]];
  if (left < 6) return top.slice(0, left);
  const low = [...ring(6, 26, 0.3), [0, 0, 1.18], ...top.slice(0, 3)];
  return left < 20 ? low : [...ring(11, 48, 0.35), ...low];
}

function fillBowl(tray, piece, left) {
  setText(tray.querySelector(".num"), String(left));
  const stones = pile(left);
  const host = tray.querySelector(".pile");
  if (host.childElementCount === stones.length) return;
  host.replaceChildren(...stones.map(([x, y, times]) => svg("g", { transform: `translate(${x} ${y})` },
    made(`stone-${tints[piece]}`, 22, times, "stone"))));
}

// In the lobby the browser of a host who is alone begins here.
function offerPlay() {
  const free = told?.seats.find((seat) => codes.tickets.of(seat));
  const offered = told?.host && told.phase === "lobby" && free && told.seats.every((seat) => !seat.taken)
    && besideBoard();
  const begin = () => attempt(async () => {
    await playAlone(told, free, codes.tickets.of(free));
    location.assign("/here");
  });
  const words = told && sayMany("Play here against the computer", "Play here against computers",
    told.seats.length - 1);
  renew(byId("alone"), [offered && element("button", { id: "play-here", type: "button", class: "go",
    "data-card": "play-here", onclick: begin }, words)]);
}

// What the table says: what happens now, what is to be laid, and the score.
function showTable(view) {
  told = view;
  if (!isBeside) {
    announce(view);
    added("view", view, () => showTable(view));
    document.body.classList.toggle("sitting", codes.follow(view));
    offerPlay();
  }
  setText(byId("where"), view.phase === "lobby" ? view.game.title
    : say("{game} · turn {turn}", { game: view.game.title, turn: view.turn }));
  const { headline, sentence } = headlineOf(view, null);
  setText(byId("headline"), headline);
  showText(byId("table"), view.problem && view.phase !== "setup" ? view.problem.text : sentence);
  const acts = view.phase === "resolving" ? view.resolver : null;
  fillList(byId("todo"), view.tasks.filter((task) => task.do === "put").map((task) => {
    const seat = view.seats.find((one) => one.seat === task.seat);
    return element("li", {}, tileOf(task.piece) ? null : chip(task.piece, view), seat && disc(seat),
      element("span", { class: "grow" }, say("{piece} on {node}",
        { piece: capital(view.pieces[task.piece] ?? task.piece), node: task.node })));
  }));
  fillList(byId("players"), view.seats.filter((one) => one.taken || view.phase !== "lobby").map((one) => {
    const line = view.standing?.find(({ seats }) => seats.includes(one.seat));
    return element("li", { class: `player ${seatHue(view, one.seat)}${one.seat === acts ? " acts" : ""}` }, disc(one),
      element("span", { class: "grow" }, one.name), line && element("b", { class: "state score num" }, line.score));
  }));
  if (state) draw();
}

function fillList(host, items) {
  host.hidden = !items.length;
  const fresh = element("ul", {}, ...items);
  if (host.innerHTML !== fresh.innerHTML) host.replaceChildren(...items);
}

async function begin() {
  // Both before anything is there to be pressed: hands need to know what is on the board.
  const answers = ["layout", "state"].map(async (what) => (await fetch(`/sim/${what}`)).json());
  const first = await answers[1];
  board = await answers[0];
  layout = layoutOf(board);
  tints = coloursOf(board.stones);
  for (const one of allOf("[data-icon]")) one.append(icon(one.dataset.icon));
  setNames(true);
  addTrays();
  show(first);
  byId("board").addEventListener("pointerdown", (event) => {
    // Without a piece in the hand only those nodes matter where one lies, or lay just now.
    const full = (name) => state.stones[name] || name === twisted?.source || name === lastTap.name;
    const nodes = Object.keys(drawing.places);
    const over = drawing.nearest(drawing.point(event), carried ? nodes : nodes.filter(full));
    if (over) grab(event, over);
    else layTwisted();
  });
  byId("board").addEventListener("keydown", (event) => {
    const name = event.target.closest("[data-node]")?.dataset.node;
    if (name) press(event, name);
  });
  const names = Object.keys(drawing.places).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  byId("node").append(...names.map((name) => new Option(name, name)));
  byId("feel").addEventListener("change", () => drawing.root.classList.toggle("feeling", byId("feel").checked));
  byId("fault").addEventListener("submit", (event) => {
    event.preventDefault();
    send("fault", { kind: byId("what").value, node: byId("node").value }).catch(() => {});
  });
  byId("line-fault").addEventListener("submit", (event) => {
    event.preventDefault();
    send("fault", { kind: byId("line").value }).catch(() => {});
  });
  byId("lose").addEventListener("click", () => send("fault", { kind: "lost" }).catch(() => {}));
  byId("mend").addEventListener("click", () => send("fault", { kind: "clear" }).catch(() => {}));
  addEventListener("pagehide", () => {
    for (const hand of hands()) {
      navigator.sendBeacon?.("/sim/back", new Blob([JSON.stringify({ hand })], { type: "application/json" }));
    }
  });
  setInterval(() => hands().forEach((hand) => send("hold", { hand }).catch(() => {})), HOLD_MS);
  byId("feel").dispatchEvent(new Event("change"));
  follow("/sim/events", () => getJson("/sim/state"), ({ run, version }) => `${run} ${version}`, show);
  connect(showTable);
}

begin().catch(() => tell(say("The board can't be drawn: the program does not answer. Load the page again."), true));
