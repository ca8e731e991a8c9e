// The virtual board: pressing the pointer lifts a stone, releasing it puts the stone down; keys do the same.

import { Drawing, mishap, words } from "./drawing.js";
import { listen } from "./listening.js";
import { parted, svg, tileShapes, turnPieces } from "./tile.js";
import { say } from "./words.js";

const byId = (id) => document.getElementById(id);
const person = Math.random().toString(36).slice(2, 8);
const keyHand = `keys-${person}`;
const DOUBLE_TAP_MS = 400;
const TURNING_MS = 500; // A turned tile is put down this long after the last turn: one lift for all turns, as a hand does.
const HOLD_MS = 20000; // So often a page says that it still holds a piece: after 60 s without that the piece goes back.
const AGAIN_MS = 3000;
const TAP_PX = 8; // A pointer that moves no farther than this has tapped.
const KINDS = {
  presence: say("A node detects a stone or none, but neither its colour nor a stack."),
  polarity: say("A node detects no stone, a white one (north up) or a black one (south up); of a stack the lowest."),
  coded: say("A well detects nine magnets of a tile, and so reads which one lies there and how it is turned; other nodes detect a piece or none."),
  level: say("A node measures how strong the field is, and so tells stacks from single stones."),
};
let drawing = null;
let state = null;
let held = null; // pieces dragged by the pointer
let carried = null; // pieces in the hand without a drag: by keys, or after a tap on a tray
let [carriedFrom, carriedHand, carriedTurned] = [null, keyHand, 0]; // Their node, their hand, their turn in eighths.
let twisted = null; // a tile that is being turned on its node; it stays in the hand until the turning ends
let grabs = 0;
let lastTap = { name: null, at: -1000 };
let [queue, turning] = [Promise.resolve(), Promise.resolve()];
let pending = 0; // requests that are not answered yet

function tell(message, bad = false) {
  byId("say").textContent = message;
  byId("say").classList.toggle("bad", bad);
}

// Tell which pieces are on a node now.
function tellNode(name) {
  tell(name === "supply" ? say("Back in the tray.") : say("On {node}: {pieces}.", { node: name, pieces: words(state.stones[name] ?? []) }));
}

// Send a request after all earlier ones; `after` is a request that must succeed first, such as the lift before a put.
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
    const why = answer.form ? say(answer.form, answer.values) : answer.error?.message ?? answer.error ?? say("That was refused.");
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
  const lost = Object.keys(state.hands).filter((hand) => (hand === keyHand || hand.startsWith(`hand-${person}-`)) && !hands().includes(hand));
  for (const hand of lost) giveUp(hand);
}

function giveUp(hand) {
  send("back", { hand }).catch(() => {});
}

function show(latest) {
  if (state && latest.run === state.run && latest.version < state.version) return; // An older answer arrived late.
  if (state && latest.name !== state.name) return void location.reload(); // The host has changed the board.
  state = latest;
  drawing.show(state);
  for (const piece of drawing.layout.stones) byId(`tray-${piece}`).querySelector("span").textContent = state.supply[piece];
  for (const tile of Object.keys(drawing.layout.tiles)) byId(`tray-${tile}`).classList.toggle("gone", !state.supply[tile]);
  byId("kind").textContent = state.kind;
  byId("kind-words").textContent = KINDS[state.kind];
  const faults = Object.entries(state.faults).sort().map(([node, fault]) => [node === "board" ? say("whole board") : node, mishap(fault)]);
  byId("faults").textContent = faults.map((one) => one.join(": ")).join("; ");
  const sum = Object.values(state.pixels).flat().reduce((total, byte) => total + byte, 0);
  byId("current").textContent = say("{now} / {most} mA", { now: Math.round((sum * 20) / 255), most: drawing.layout.max_current_ma });
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
  event.currentTarget.releasePointerCapture?.(event.pointerId);
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
  drawing.pile(pieces, one.shape);
  drawing.root.append(one.shape);
  return one;
}

function hold(event, one) {
  held = Object.assign(one, { x: event.clientX, y: event.clientY, pointer: event.pointerId });
  follow(event);
  addEventListener("pointermove", follow);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);
  addEventListener("wheel", wheel, { passive: false });
}

// Return how many of a piece are left in the supply, which has each tile once.
function left(piece) {
  return state.supply[parted(piece)?.name ?? piece];
}

// The wheel turns tiles in the hand; the table notices the turn when they are put down.
function wheel(event) {
  event.preventDefault();
  turnHeld(event.deltaY < 0 ? -1 : 1);
}

function turnHeld(eighths) {
  const drawn = held ?? twisted;
  const holder = drawn ?? (carried && { pieces: carried });
  if (!holder?.pieces.some(parted)) return;
  const pieces = turnPieces(holder.pieces, eighths);
  if (drawn) {
    Object.assign(drawn, { pieces, turned: (drawn.turned + eighths + 8) % 8 });
    drawn.shape.replaceChildren();
    drawing.pile(pieces, drawn.shape);
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
      if (held || carried || !parted(top)) return;
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

function follow(event) {
  if (event.pointerId !== held.pointer) return;
  const { x, y } = drawing.at(event);
  held.shape.setAttribute("transform", `translate(${x} ${y}) scale(1.12)`);
  mark(drawing.nearest(event));
}

function mark(over) {
  for (const place of Object.values(drawing.places)) place.group.classList.toggle("over", place.name === over);
}

function release(event) {
  if (event.pointerId !== held.pointer) return;
  removeEventListener("pointermove", follow);
  removeEventListener("pointerup", release);
  removeEventListener("pointercancel", release);
  removeEventListener("wheel", wheel);
  const one = held;
  const { source } = one;
  const tapped = Math.hypot(event.clientX - held.x, event.clientY - held.y) < TAP_PX;
  if (source === "supply" && tapped) return keep(held);
  const target = event.type === "pointercancel" ? source : drawing.nearest(event) ?? "supply";
  held = null;
  mark(null);
  if (tapped && target === source && one.pieces.some(parted)) {
    twisted = one;
    twist(drawing.at(event).x < drawing.places[source].x ? -1 : 1);
    return;
  }
  if (target === source) lastTap = { name: source, at: event.timeStamp };
  putBack(one, target);
}

function putBack({ source, hand, pieces, turned, shape, lifted }, target = source) {
  putDown(source, target, hand, lifted, turned ? pieces : null).then(
    () => tellNode(target),
    () => giveUp(hand), // send() has told the error.
  ).finally(() => shape.remove());
}

// After a tap on a tray the stone stays in the hand until a node is tapped.
function keep({ source, hand, pieces, turned, shape, lifted }) {
  held = null;
  mark(null);
  shape.remove();
  carry(pieces, source, hand, turned);
  lifted.then(() => tell(say("In the hand: {pieces}. Tap a node, or the tray to give it back.", { pieces: words(pieces) })), () => carry(null));
}

function carry(pieces, from = null, hand = keyHand, turned = 0) {
  if (pieces) layTwisted();
  carried = pieces;
  carriedFrom = from;
  carriedHand = hand;
  carriedTurned = turned % 8;
  const kind = parted(pieces?.[0] ?? "")?.name ?? pieces?.[0];
  for (const tray of document.querySelectorAll("[data-piece]")) tray.classList.toggle("holding", from === "supply" && tray.dataset.kind === kind);
}

// Put pieces down. Onto a neighbour's stone with "push" ticked: that stone and all in line behind it move on.
function putDown(source, target, hand, after = null, turned = null) {
  if (turned) return putTurned(target, hand, turned, after);
  const pushes = byId("push").checked && source !== "supply" && target !== source && state.stones[target]?.length;
  return pushes ? send("push", { from: source, node: target, hand }, after) : send("put", { node: target, hand }, after);
}

// A double tap lifts the whole stack and puts it back, which confirms a stack.
function tap(name) {
  queue.then(() => {
    const stack = state.stones[name];
    if (stack?.length) send("move", { from: name, to: name, pieces: stack }).then(() => tell(say("Tapped {node}.", { node: name })), () => {});
  });
}

// -- keys -------------------------------------------------------------------------------------------------------

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function focusNode(name) {
  for (const place of Object.values(drawing.places)) place.group.setAttribute("tabindex", place.name === name ? "0" : "-1");
  drawing.places[name].group.focus();
}

function press(event, name) {
  if (event.key in ARROWS) {
    event.preventDefault();
    const next = drawing.towards(name, ...ARROWS[event.key]);
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
    () => tell(say("Lifted from {node}: {pieces}. Go to a node and press Enter.", { node: name, pieces: words(pieces) })), () => carry(null));
}

function putCarried(name) {
  putDown(carriedFrom, name, carriedHand, null, carriedTurned ? carried : null).then(() => {
    carry(null);
    tellNode(name);
  }, () => {});
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
      () => tell(say("In the hand: {pieces}. Go to a node and press Enter.", { pieces: words([piece]) })), () => carry(null));
  }
}

// -- start ------------------------------------------------------------------------------------------------------

// Add one tray for each kind of round pieces, and one for each tile.
function addTrays() {
  const make = (kind, piece, look) => {
    const tray = document.createElement("button");
    Object.assign(tray, { id: `tray-${kind}`, className: look });
    Object.assign(tray.dataset, { piece, kind });
    const unseen = Object.assign(document.createElement("i"), { className: "unseen", textContent: say("take from the supply: {piece}", { piece: words([piece]) }) });
    tray.append(unseen);
    tray.addEventListener("pointerdown", (event) => grab(event, "supply"));
    tray.addEventListener("keydown", (event) => takeByKey(event, piece));
    return tray;
  };
  for (const [letter, colour] of Object.entries(drawing.colours)) {
    const tray = make(letter, letter, `tray ${colour}`);
    tray.prepend(Object.assign(document.createElement("b"), { textContent: letter.toUpperCase() }), document.createElement("span"));
    byId("trays").append(tray);
  }
  const tiles = Object.entries(drawing.layout.tiles);
  byId("tiles").hidden = !tiles.length;
  document.querySelector(".with-tiles").hidden = !tiles.length;
  for (const [name, lines] of tiles) {
    const tray = make(name, `${name}r0`, "tile-tray");
    tray.prepend(svg("svg", { viewBox: "-31 -31 62 62", "aria-hidden": "true" }, ...tileShapes(name, lines, 0, 28)));
    byId("tiles").append(tray);
  }
}

async function begin() {
  // Both before anything is there to be pressed: hands need to know what is on the board.
  const [layout, first] = await Promise.all(["layout", "state"].map(async (what) => (await fetch(`/sim/${what}`)).json()));
  drawing = new Drawing(layout);
  byId("board").replaceChildren(drawing.root);
  for (const [name, place] of Object.entries(drawing.places)) {
    place.group.addEventListener("pointerdown", (event) => grab(event, name));
    place.group.addEventListener("keydown", (event) => press(event, name));
  }
  const names = Object.keys(drawing.places).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  byId("node").append(...names.map((name) => new Option(name, name)));
  Object.values(drawing.places)[0].group.setAttribute("tabindex", "0");
  addTrays();
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
    for (const hand of hands()) navigator.sendBeacon?.("/sim/back", new Blob([JSON.stringify({ hand })], { type: "application/json" }));
  });
  setInterval(() => hands().forEach((hand) => send("hold", { hand }).catch(() => {})), HOLD_MS);
  show(first);
  byId("feel").dispatchEvent(new Event("change"));
  listen(show, tell);
}

begin().catch(() => tell(say("The board can't be drawn: the program does not answer. Load the page again."), true));
