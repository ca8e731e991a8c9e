// The board on the host's page: its check, guided step by step with the node to touch lit, ignored sensors, and lights.
import { section } from "./host_now.js";
import { tell } from "../shared/announce.js";
import { Board } from "../shared/board.js";
import { element } from "../shared/elements.js";
import { attempt, post } from "../shared/live.js";
import { confirmThen } from "../shared/parts.js";
import { KINDS } from "../shared/sensors.js";
import { say } from "../shared/words.js";

// Ignored sensors, and the state of the board.
export class Sensors {
  constructor() {
    this.node = "";
  }

  mask(node) {
    confirmThen(say("Ignore the sensor of {node} from now on? The phones ask instead.", { node }),
      () => post("host/mask", { node }));
  }

  card(view) {
    const { masked, suspects } = view.sensors;
    const free = Object.keys(view.layout.nodes).filter((node) => !(node in masked));
    if (!free.includes(this.node)) this.node = free[0] ?? "";
    return section("sensors", say("Sensors"), this.suspected(suspects), this.ignored(masked), this.chooser(free));
  }

  suspected(suspects) {
    return suspects.map(({ node, words }) => element("div", { class: "line" }, element("p", {}, words),
      element("button", { id: `mask-${node}`, onclick: () => this.mask(node) },
        say("The sensor of {node} is wrong", { node }))));
  }

  ignored(masked) {
    const nodes = Object.entries(masked);
    if (!nodes.length) return element("p", { class: "hint" }, say("No sensor is ignored."));
    return nodes.map(([node, reason]) => element("div", { class: "line" },
      element("p", {}, say("{node} is ignored: {reason}", { node, reason })),
      element("button", { id: `unmask-${node}`, onclick: () => attempt(() => post("host/unmask", { node })) },
        say("Use {node} again", { node }))));
  }

  chooser(free) {
    const select = element("select", { id: "mask-node" },
      ...free.map((node) => element("option", { value: node, selected: node === this.node }, node)));
    select.addEventListener("change", () => { this.node = select.value; });
    return element("details", { "data-key": "mask" }, element("summary", {}, say("Ignore a sensor")),
      element("label", { for: "mask-node" }, say("Which node has a sensor that is wrong?")),
      element("div", { class: "row tight" }, select,
        element("button", { id: "mask", onclick: () => this.mask(select.value) }, say("Ignore it"))));
  }
}

function pair(name, value) {
  return (value ?? "") === "" ? [] : [element("dt", {}, name), element("dd", {}, `${value}`)];
}

// The switch for playing without a board: the simulated hand makes all moves that are chosen on phones.
export function handSwitch(hands, look) {
  if (hands === null || hands === undefined) return null;
  const box = element("input", { type: "checkbox", id: "hands-all", checked: hands === "all",
    "aria-describedby": "hands-hint" });
  box.addEventListener("change", () => attempt(() => post("host/hands", { everybody: box.checked }).catch((error) => {
    box.checked = hands === "all";
    throw error;
  }).finally(look)));
  return element("div", { "data-card": "hands" },
    element("label", { class: "tick", for: "hands-all" }, box,
      element("span", {}, say("No board here: Lodestone moves the stones"))),
    element("p", { class: "hint", id: "hands-hint" },
      say("Everybody plays on the phone alone: what is chosen there, a simulated hand does on the virtual board.")));
}

export function hardwareCard(hardware, paths) {
  if (!hardware) return null;
  const { board, kind, backend, nodes, scan_hz: wanted, scans_per_s: scans, health, lights, simulated } = hardware;
  const rate = (scans ?? null) === null ? wanted && say("{wanted} per second expected", { wanted })
    : say("{scans} per second", { scans: Math.round(scans) });
  const lamps = lights && (lights.trouble || say("{pixels} pixels, all working", { pixels: lights.pixels }));
  return section("hardware", say("The board"),
    element("dl", { class: "facts" },
      ...pair(say("Board"), simulated ? say("{board}, simulated", { board }) : board), ...pair(say("Nodes"), nodes),
      ...pair(say("Sensing"), [KINDS[kind] ?? kind, !simulated && backend].filter(Boolean).join(", ")),
      ...pair(say("Scans"), rate), ...pair(say("Lights"), lamps)),
    health?.length ? element("ul", { class: "notice trouble", "aria-label": say("What is broken") },
      ...health.map((line) => element("li", {}, line)))
      : element("p", { class: "hint" }, say("No sensor or part is known to be broken.")),
    paths && element("p", { class: "row" }, element("a", { class: "button", href: paths },
      say("What the sensors read"))));
}

// The board's lights: brightness, night and off, and their behaviour when nobody plays.
const SLEEPS = [0, 5, 20, 60];

function flip(id, words, on, change) {
  return element("button", { id, class: "switch", role: "switch", "aria-checked": on ? "true" : "false",
    onclick: () => change(!on) },
    element("span", {}, words), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function lightsCard(rest, look) {
  if (!rest) return null;
  const set = (wish) => attempt(() => post("host/lights", { ...rest, ...wish }).finally(look));
  const brightness = element("input", { id: "brightness", type: "range", min: 5, max: 100, step: 5,
    value: rest.brightness });
  brightness.addEventListener("change", () => set({ brightness: Number(brightness.value) }));
  const sleep = element("select", { id: "lights-sleep" }, ...[...new Set([...SLEEPS, rest.sleep])].map((minutes) =>
    element("option", { value: minutes, selected: minutes === rest.sleep },
      minutes ? say("after {minutes} min without a touch", { minutes }) : say("never"))));
  sleep.addEventListener("change", () => set({ sleep: Number(sleep.value) }));
  return section("rest", say("The board's lights"),
    element("label", { for: "brightness" }, say("Brightness: {percent} %", { percent: rest.brightness })), brightness,
    flip("lights-night", say("Night: a fifth as bright"), rest.night, (night) => set({ night })),
    flip("lights-off", say("Off: the phones show the way"), rest.off, (off) => set({ off })),
    element("label", { for: "lights-sleep" }, say("The lights go out")), sleep,
    flip("lights-show", say("Move gently between games"), rest.show, (show) => set({ show })));
}

const EVERY_MS = 700;
const ANSWER_MS = 5000;
const LIGHTS = { put: "movable", off: "best", wrong: "wrong" };
const CHOICES = { skip: say("Go on without an answer"), undo: say("Back by one place"),
  go: say("Go on with what it reads") };

export class Workshop {
  // `redraw()` draws the page again; `open()` tells whether this part of it is visible.
  constructor(redraw, open) {
    this.redraw = redraw;
    this.open = open;
    this.known = null;
    this.key = "";
    setInterval(() => this.open() && !document.hidden && this.look(), EVERY_MS);
  }

  async look() {
    if (this.looking) return;
    this.looking = true;
    try {
      const response = await fetch("/api/host/workshop", { signal: AbortSignal.timeout?.(ANSWER_MS) });
      if (response.ok) this.take(await response.json());
    } catch {
      // The stream reports that the table does not answer; the next request follows soon.
    } finally {
      this.looking = false;
    }
  }

  take(fresh) {
    const words = (state) => state?.step?.hint ?? state?.step?.words ?? state?.result?.words;
    if (this.known && words(fresh) !== words(this.known)) tell(words(fresh) ?? "");
    this.known = fresh;
    this.redraw();
  }

  send(path, body) {
    return attempt(() => post(`host/workshop/${path}`, body).finally(() => this.look()));
  }

  begin(view, what) {
    const plays = !["lobby", "over"].includes(view.phase) && !view.paused;
    if (!plays) this.send("begin", { what, pause: false });
    else confirmThen(say("Pause the game and take the board? Remember what lies where: everything must come off the board, and go back afterwards."),
      () => post("host/workshop/begin", { what, pause: true }).finally(() => this.look()));
  }

  // The same card as long as nothing has changed, to avoid drawing the board again.
  card(view) {
    if (!this.known) return null;
    const key = JSON.stringify([this.known, view.game.id, view.phase, view.paused]);
    if (key === this.key) return this.shown;
    this.key = key;
    const { step, result, refused, what } = this.known;
    this.shown = section("workshop", say("The workshop"),
      step ? this.working(view, step) : this.idle(view, result, refused, what));
    return this.shown;
  }

  idle(view, result, refused, what) {
    return [
      result && this.found(view, result),
      element("p", { class: "hint" }, refused.check
        ?? say("Lodestone lights one place after the other; put a stone there, and take it off again. It finds sensors and lights that are dead, stuck or swapped.")),
      !refused.check && element("button", { id: "workshop-check", class: "primary",
        onclick: () => this.begin(view, "check") },
        result && what === "check" ? say("Check it again") : say("Check the board")),
      element("p", { class: "hint" },
        refused.map ?? say("Newly soldered? Mapping finds out which sensor and which light each node has, and writes it into the board file.")),
      !refused.map && element("button", { id: "workshop-map", onclick: () => this.begin(view, "map") },
        say("Map the board")),
      element("p", { class: "hint" }, refused.calibrate
        ?? say("Linear sensors? Calibrating measures what each one reads with nothing, a white and a black stone, and a stack, and writes it into the board file.")),
      !refused.calibrate && element("button", { id: "workshop-calibrate",
        onclick: () => this.begin(view, "calibrate") }, say("Calibrate the board")),
    ];
  }

  found(view, { good, words, items }) {
    // What a check has not tried is no news; what a calibration could not tell apart is.
    const wrong = items.filter(({ state }) => state === "bad"
      || (state === "unproven" && this.known.what === "calibrate"));
    return element("div", { class: `found ${good ? "good" : "open"}` },
      element("p", { class: "message workshop-words" }, words),
      wrong.length > 0 && this.drawing(view,
        Object.fromEntries(wrong.map(({ node, words: about }) =>
          [node, { meaning: "wrong", words: about, seat: null }]))),
      wrong.length > 0 && element("ul", { class: "notice trouble", "aria-label": say("What is broken") },
        ...wrong.map(({ words: about }) => element("li", {}, about))));
  }

  working(view, step) {
    const node = step.node?.split("/")[0]; // The names of a well's nine sensors begin with the well's.
    const lit = node in view.layout.nodes && step.do !== "wait";
    return [
      element("p", { class: "message workshop-words" }, step.words),
      step.hint && element("p", { class: "notice" }, step.hint),
      step.felt.length > 0 && element("p", { class: "hint" },
        say("Felt now: {nodes}", { nodes: step.felt.join(", ") })),
      this.drawing(view, lit ? { [node]: { meaning: LIGHTS[step.do], words: step.words, seat: null } } : {}),
      element("progress", { max: step.of, value: step.done,
        "aria-label": say("{done} of {of} places are done", { done: step.done, of: step.of }) }),
      element("p", { class: "hint" }, say("{done} of {of} places are done", { done: step.done, of: step.of })),
      element("div", { class: "row" },
        ...step.choices.map((choice) => element("button",
          { id: `workshop-${choice}`, onclick: () => this.send("answer", { choice }) }, CHOICES[choice])),
        element("button", { id: "workshop-stop", onclick: () => this.send("stop") }, say("Stop"))),
    ];
  }

  drawing(view, lights) {
    const host = element("div", { id: "workshop-board", class: "workshop-board" });
    new Board(host).show({ ...view, board: {}, lights, arrows: [], tasks: [], stage: [] });
    return host;
  }
}
