// The virtual board: lights as they are in the bytes, stones dragged with mouse, finger or keys.

const NS = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
const hand = `hand-${Math.random().toString(36).slice(2, 8)}`;
const places = {};
let state = null;
let root = null;
let size = 200;
let held = null;
let queue = Promise.resolve();

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function say(text, bad = false) {
  byId("say").textContent = text;
  byId("say").classList.toggle("bad", bad);
}

// Deeds go one after the other: a stone is put where it was dropped only after it was lifted.
function deed(name, body) {
  queue = queue.then(async () => {
    const response = await fetch(`/sim/${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) {
      say(answer.error ?? "refused", true);
      throw new Error(answer.error);
    }
    show(answer);
  });
  const done = queue;
  queue = queue.catch(() => {});
  return done;
}

function build(layout) {
  const reach = Math.max(...Object.values(layout.nodes).flat().map(Math.abs));
  const stone = layout.node_mm / 2;
  size = reach + layout.node_mm;
  root = svg("svg", { viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, role: "group", "aria-label": "The board" });
  root.append(svg("circle", { r: size - 1, class: "felt" }));
  for (const radius of layout.circles) root.append(svg("circle", { r: radius, class: "printed" }));
  for (const line of layout.lines) {
    root.append(svg("polyline", { class: "printed", points: line.map((name) => `${layout.nodes[name][0]},${-layout.nodes[name][1]}`).join(" ") }));
  }
  for (const [name, [x, y]] of Object.entries(layout.nodes)) {
    const group = svg("g", { class: "node", transform: `translate(${x} ${-y})`, tabindex: "0", role: "button", "data-node": name });
    const halo = svg("circle", { r: stone * 1.75, class: "halo", fill: "none" });
    const hole = svg("circle", { r: stone * 1.05, class: "hole" });
    const led = svg("circle", { r: stone * 0.95, fill: "none", class: "led" });
    const label = svg("text", { class: "label", y: 2.6 });
    label.textContent = name;
    const stones = svg("g", {});
    group.append(halo, hole, led, label, stones);
    group.addEventListener("pointerdown", (event) => grab(event, name));
    group.addEventListener("keydown", (event) => press(event, name));
    root.append(group);
    places[name] = { group, halo, led, label, stones, x, y: -y, stone, drawn: null };
    byId("node").append(new Option(name, name));
  }
  byId("board").replaceChildren(root);
}

function pile(stack, stone, into) {
  stack.forEach((piece, level) => {
    const y = stack.length > 1 ? 4 - level * 6 : 0;
    into.append(svg("circle", { r: stone * 0.92, cy: y, class: `stone ${piece}` }));
    if (level === stack.length - 1) {
      const letter = svg("text", { y: y + 3.5, class: `letter ${piece}` });
      letter.textContent = stack.length > 1 ? `${piece.toUpperCase()}${stack.length}` : piece.toUpperCase();
      into.append(letter);
    }
  });
}

function show(latest) {
  if (state && latest.frame < state.frame) return;
  state = latest;
  byId("kind").textContent = `sensors: ${state.kind}`;
  for (const piece of ["w", "b"]) byId(`tray-${piece}`).querySelector("span").textContent = state.supply[piece];
  const faults = Object.entries(state.faults).map(([node, fault]) => `${node}: ${fault}`);
  byId("faults").textContent = faults.join(", ");
  for (const [name, place] of Object.entries(places)) {
    const stack = state.stones[name] ?? [];
    const key = stack.join("");
    if (place.drawn !== key) {
      place.drawn = key;
      place.stones.replaceChildren();
      pile(stack, place.stone, place.stones);
      place.label.style.display = stack.length ? "none" : "";
    }
    const [red, green, blue] = state.pixels[name];
    const lit = red + green + blue > 0;
    // A LED's byte is linear in light, a screen's is not: lift the dark ones so that they are seen as they would be.
    const seen = [red, green, blue].map((byte) => Math.round(255 * (byte / 255) ** 0.45));
    const colour = lit ? `rgb(${seen.join(",")})` : "none";
    place.led.setAttribute("fill", colour);
    place.halo.setAttribute("fill", colour);
    place.group.setAttribute("aria-label", `${name}: ${stack.length ? stack.map((p) => (p === "w" ? "white" : "black")).join(" and ") : "empty"}${lit ? `, light ${red} ${green} ${blue}` : ""}`);
  }
}

// -- dragging ---------------------------------------------------------------------------------------------------

function point(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
}

function nearest(event) {
  const at = point(event);
  let best = null;
  for (const [name, place] of Object.entries(places)) {
    const distance = Math.hypot(place.x - at.x, place.y - at.y);
    if (distance < place.stone * 1.6 && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

function grab(event, source) {
  if (held) return;
  const stack = source === "supply" ? [event.currentTarget.id.slice(-1)] : state.stones[source];
  if (!stack?.length) return;
  event.preventDefault();
  const whole = source !== "supply" && (event.shiftKey || byId("whole").checked);
  const pieces = whole ? [...stack] : [stack.at(-1)];
  const body = source === "supply" ? { node: "supply", piece: pieces[0], hand } : { node: source, pieces, hand };
  held = { source, pieces, shape: svg("g", { class: "held" }), lifted: deed("lift", body) };
  pile(pieces, Object.values(places)[0].stone, held.shape);
  root.append(held.shape);
  follow(event);
  addEventListener("pointermove", follow);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);
}

function follow(event) {
  const at = point(event);
  held.shape.setAttribute("transform", `translate(${at.x} ${at.y})`);
  const over = nearest(event);
  for (const [name, place] of Object.entries(places)) place.group.classList.toggle("over", name === over);
}

async function release(event) {
  removeEventListener("pointermove", follow);
  removeEventListener("pointerup", release);
  removeEventListener("pointercancel", release);
  const { source, shape, lifted } = held;
  const target = event.type === "pointercancel" ? source : nearest(event) ?? "supply";
  for (const place of Object.values(places)) place.group.classList.remove("over");
  try {
    await lifted;
    await deed("put", { node: target, hand });
    say(target === "supply" ? "Back to the supply." : `On ${target}.`);
  } catch {
    // What went wrong was said; a stone that was lifted goes back to the supply.
    await deed("put", { node: "supply", hand }).catch(() => {});
  }
  shape.remove();
  held = null;
}

// -- keys -------------------------------------------------------------------------------------------------------

let carried = null;

async function press(event, name) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  try {
    if (carried) {
      await deed("put", { node: name, hand });
      say(`Put on ${name}.`);
      carried = null;
    } else if (state.stones[name]?.length) {
      const stack = state.stones[name];
      await deed("lift", { node: name, pieces: byId("whole").checked ? stack : [stack.at(-1)], hand });
      carried = name;
      say(`Lifted from ${name}. Go to a node and press Enter.`);
    }
  } catch {
    // Said already.
  }
}

for (const piece of ["w", "b"]) {
  const tray = byId(`tray-${piece}`);
  tray.addEventListener("pointerdown", (event) => grab(event, "supply"));
  tray.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (carried) {
      await deed("put", { node: "supply", hand }).catch(() => {});
      carried = null;
      say("Back to the supply.");
    } else {
      await deed("lift", { node: "supply", piece, hand }).then(() => {
        carried = "supply";
        say(`A ${piece === "w" ? "white" : "black"} stone in the hand. Go to a node and press Enter.`);
      }).catch(() => {});
    }
  });
}

byId("fault").addEventListener("submit", (event) => {
  event.preventDefault();
  const kind = byId("what").value;
  const node = kind === "lost" || kind === "clear" ? {} : { node: byId("node").value };
  deed("fault", { kind, ...node }).catch(() => {});
});

addEventListener("pagehide", () => {
  if (held || carried) navigator.sendBeacon?.("/sim/put", new Blob([JSON.stringify({ node: "supply", hand })], { type: "application/json" }));
});

build(await (await fetch("/sim/layout")).json());
show(await (await fetch("/sim/state")).json());
let events = null;
function listen() {
  events?.close();
  events = new EventSource("/sim/events");
  events.onmessage = (event) => show(JSON.parse(event.data));
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}
listen();
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") listen();
});
