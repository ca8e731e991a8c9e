// The virtual board: a hand that lifts where the pointer goes down and puts where it comes up; keys do the same.

import { Drawing, svg, words } from "./drawing.js";

const byId = (id) => document.getElementById(id);
const person = Math.random().toString(36).slice(2, 8);
const keyHand = `keys-${person}`;
const DOUBLE_TAP_MS = 400;
const TAP_PX = 8; // Whoever moves no farther than this has tapped.
const KINDS = {
  presence: "a node feels a stone or none, neither its colour nor a stack",
  polarity: "a node feels no stone, a white one (north up) or a black one (south up), of a stack the lowest",
  level: "a node feels how strong the field is, and so tells stacks from single stones",
};
let drawing = null;
let state = null;
let held = null; // what the pointer carries
let carried = null; // what is carried without being dragged: by keys, or after a tap on a tray
let carriedFrom = null; // from where,
let carriedHand = keyHand; // and in which hand
let grabs = 0;
let lastTap = { name: null, at: -1000 };
let queue = Promise.resolve();

function say(message, bad = false) {
  byId("say").textContent = message;
  byId("say").classList.toggle("bad", bad);
}

// Deeds go one after the other: a stone is put where it was dropped after it was lifted, and only if it was (`after`).
function deed(name, body, after = null) {
  const done = queue.then(async () => {
    await after;
    let answer = { error: "The program does not answer." };
    try {
      const response = await fetch(`/sim/${name}`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      });
      answer = await response.json();
      if (response.ok) return show(answer);
    } catch {
      // Said below.
    }
    const why = answer.error?.message ?? answer.error ?? "That was refused.";
    say(why, true);
    throw new Error(why);
  });
  queue = done.catch(() => {});
  return done;
}

function show(latest) {
  if (state && latest.run === state.run && latest.version < state.version) return; // An answer that was overtaken.
  state = latest;
  drawing.show(state);
  for (const piece of ["w", "b"]) byId(`tray-${piece}`).querySelector("span").textContent = state.supply[piece];
  byId("kind").textContent = state.kind;
  byId("kind-words").textContent = KINDS[state.kind];
  byId("faults").textContent = Object.entries(state.faults).map(([node, fault]) => `${node} ${fault}`).join(", ");
  const sum = Object.values(state.pixels).flat().reduce((total, byte) => total + byte, 0);
  byId("current").textContent = `${Math.round((sum * 20) / 255)} / ${drawing.layout.max_current_ma} mA`;
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
  const fromSupply = source === "supply";
  if (!fromSupply && source === lastTap.name && event.timeStamp - lastTap.at < DOUBLE_TAP_MS) {
    event.preventDefault();
    lastTap.name = null;
    tap(source);
    return;
  }
  const stack = fromSupply ? [event.currentTarget.id.slice(-1)] : state.stones[source];
  if (!stack?.length) return;
  event.preventDefault();
  event.currentTarget.releasePointerCapture?.(event.pointerId);
  grabs += 1;
  const hand = `hand-${person}-${grabs}`; // A hand of its own: the next grab need not wait for the answer to this one.
  const whole = !fromSupply && (event.shiftKey || byId("whole").checked);
  const pieces = whole ? [...stack] : [stack.at(-1)];
  const body = fromSupply ? { node: "supply", piece: pieces[0], hand } : { node: source, pieces, hand };
  held = { source, hand, pieces, x: event.clientX, y: event.clientY, pointer: event.pointerId, shape: svg("g", { class: "held" }), lifted: deed("lift", body) };
  held.lifted.catch(() => {}); // The putting down looks at it.
  drawing.pile(pieces, held.shape);
  drawing.root.append(held.shape);
  follow(event);
  addEventListener("pointermove", follow);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);
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
  const { source, hand, shape, lifted } = held;
  if (source === "supply" && Math.hypot(event.clientX - held.x, event.clientY - held.y) < TAP_PX) return keep(held);
  const target = event.type === "pointercancel" ? source : drawing.nearest(event) ?? "supply";
  held = null;
  mark(null);
  if (target === source) lastTap = { name: source, at: event.timeStamp };
  putDown(source, target, hand, lifted).then(
    () => say(target === "supply" ? "Back in the tray." : `On ${target}: ${words(state.stones[target] ?? [])}.`),
    // What went wrong was said; a stone that was lifted goes back to the supply.
    () => { if (state.hands[hand]) deed("put", { node: "supply", hand }).catch(() => {}); },
  ).finally(() => shape.remove());
}

// A tap on a tray: the stone stays in the hand until a node is tapped.
function keep({ hand, pieces, shape, lifted }) {
  held = null;
  mark(null);
  shape.remove();
  carry(pieces, "supply", hand);
  lifted.then(() => say(`A ${words(pieces)} stone in the hand. Tap a node, or the tray to give it back.`), () => carry(null));
}

function carry(pieces, from = null, hand = keyHand) {
  carried = pieces;
  carriedFrom = from;
  carriedHand = hand;
  for (const piece of ["w", "b"]) byId(`tray-${piece}`).classList.toggle("holding", from === "supply" && pieces?.[0] === piece);
}

// Onto a neighbour's stone with "push" ticked: that one, and all in line behind it, move on.
function putDown(source, target, hand, after = null) {
  const pushes = byId("push").checked && source !== "supply" && target !== source && state.stones[target]?.length;
  return pushes ? deed("push", { from: source, node: target, hand }, after) : deed("put", { node: target, hand }, after);
}

// A second tap in a row lifts the whole stack and puts it back: so stacks are confirmed.
function tap(name) {
  queue.then(() => {
    const stack = state.stones[name];
    if (stack?.length) deed("move", { from: name, to: name, pieces: stack }).then(() => say(`Tapped ${name}.`), () => {});
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
  } else if (event.key === "t" || event.key === "T") {
    tap(name);
  } else if (event.key === "Escape") {
    giveBack();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    if (carried) putCarried(name);
    else liftByKey(name);
  }
}

function liftByKey(name) {
  const stack = state.stones[name];
  if (held || !stack?.length) return;
  const pieces = byId("whole").checked ? stack : [stack.at(-1)];
  carry(pieces, name);
  deed("lift", { node: name, pieces, hand: keyHand }).then(
    () => say(`Lifted ${words(pieces)} from ${name}. Go to a node and press Enter.`), () => carry(null));
}

function putCarried(name) {
  putDown(carriedFrom, name, carriedHand).then(() => {
    carry(null);
    say(`On ${name}: ${words(state.stones[name] ?? [])}.`);
  }, () => {});
}

function giveBack() {
  if (!carried) return;
  const hand = carriedHand;
  carry(null);
  deed("put", { node: "supply", hand }).then(() => say("Back in the tray."), () => {});
}

function takeByKey(event, piece) {
  if (event.key === "Escape") giveBack();
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  if (carried) {
    giveBack();
  } else if (!held) {
    carry([piece], "supply");
    deed("lift", { node: "supply", piece, hand: keyHand }).then(
      () => say(`A ${words([piece])} stone in the hand. Go to a node and press Enter.`), () => carry(null));
  }
}

// -- all together -----------------------------------------------------------------------------------------------

function listen() {
  let events = null;
  const open = () => {
    events?.close();
    events = new EventSource("/sim/events");
    events.onopen = () => { if (byId("say").dataset.lost) { delete byId("say").dataset.lost; say("The table is back."); } };
    events.onmessage = (event) => show(JSON.parse(event.data));
    events.onerror = () => {
      byId("say").dataset.lost = "yes";
      say("No connection to the table; trying again.", true);
      if (events.readyState === EventSource.CLOSED) setTimeout(open, 2000);
    };
  };
  open();
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") open(); });
}

async function begin() {
  drawing = new Drawing(await (await fetch("/sim/layout")).json());
  byId("board").replaceChildren(drawing.root);
  for (const [name, place] of Object.entries(drawing.places)) {
    place.group.addEventListener("pointerdown", (event) => grab(event, name));
    place.group.addEventListener("keydown", (event) => press(event, name));
  }
  const names = Object.keys(drawing.places).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  byId("node").append(...names.map((name) => new Option(name, name)));
  Object.values(drawing.places)[0].group.setAttribute("tabindex", "0");
  for (const piece of ["w", "b"]) {
    byId(`tray-${piece}`).addEventListener("pointerdown", (event) => grab(event, "supply"));
    byId(`tray-${piece}`).addEventListener("keydown", (event) => takeByKey(event, piece));
  }
  byId("feel").addEventListener("change", () => drawing.root.classList.toggle("feeling", byId("feel").checked));
  byId("fault").addEventListener("submit", (event) => {
    event.preventDefault();
    deed("fault", { kind: byId("what").value, node: byId("node").value }).catch(() => {});
  });
  byId("line-fault").addEventListener("submit", (event) => {
    event.preventDefault();
    deed("fault", { kind: byId("line").value }).catch(() => {});
  });
  byId("lose").addEventListener("click", () => deed("fault", { kind: "lost" }).catch(() => {}));
  byId("mend").addEventListener("click", () => deed("fault", { kind: "clear" }).catch(() => {}));
  addEventListener("pagehide", () => {
    const hand = held ? held.hand : carriedHand;
    const body = new Blob([JSON.stringify({ node: "supply", hand })], { type: "application/json" });
    if (held || carried) navigator.sendBeacon?.("/sim/put", body);
  });
  show(await (await fetch("/sim/state")).json());
  byId("feel").dispatchEvent(new Event("change"));
  listen();
}

begin().catch(() => say("The board can't be drawn: the program does not answer. Load the page again.", true));
