// The board on the host's page: its check, guided step by step with the node to touch lit, ignored sensors, and lights.
import { tell } from "../shared/announce.js";
import { Board } from "../shared/board.js";
import { button, confirmThen, folded, postButton, selectBox, switchButton } from "../shared/controls.js";
import { element, hintLine, row } from "../shared/elements.js";
import { attempt, getJson, post } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { KINDS } from "../shared/sensors.js";
import { say } from "../shared/words.js";
import { isPlaying } from "./host_now.js";

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
      button({ id: `mask-${node}` }, say("The sensor of {node} is wrong", { node }), () => this.mask(node))));
  }

  ignored(masked) {
    const nodes = Object.entries(masked);
    if (!nodes.length) return hintLine(say("No sensor is ignored."));
    return nodes.map(([node, reason]) => element("div", { class: "line" },
      element("p", {}, say("{node} is ignored: {reason}", { node, reason })),
      postButton({ id: `unmask-${node}` }, say("Use {node} again", { node }), "host/unmask", { node })));
  }

  chooser(free) {
    return folded("mask", say("Ignore a sensor"),
      element("label", { for: "mask-node" }, say("Which node has a sensor that is wrong?")),
      element("div", { class: "row tight" },
        selectBox({ id: "mask-node" }, free.map((node) => [node, node]), this.node, (node) => { this.node = node; }),
        button({ id: "mask" }, say("Ignore it"), () => this.mask(this.node))));
  }
}

function pair(name, value) {
  return (value ?? "") === "" ? [] : [element("dt", {}, name), element("dd", {}, `${value}`)];
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
      : hintLine(say("No sensor or part is known to be broken.")),
    paths && element("p", { class: "row" }, element("a", { class: "button", href: paths },
      say("What the sensors read"))));
}

// The board's lights: brightness, night and off, and their behaviour when nobody plays.
const SLEEPS = [0, 5, 20, 60];

export function lightsCard(rest, look) {
  if (!rest) return null;
  const set = (wish) => post("host/lights", { ...rest, ...wish }).finally(look);
  const flip = (what, words) => switchButton({ id: `lights-${what}` }, words, rest[what], (on) => set({ [what]: on }));
  const brightness = element("input", { id: "brightness", type: "range", min: 5, max: 100, step: 5,
    value: rest.brightness });
  brightness.addEventListener("change", () => attempt(() => set({ brightness: Number(brightness.value) })));
  const sleeps = [...new Set([...SLEEPS, rest.sleep])].map((minutes) => [minutes,
    minutes ? say("after {minutes} min without a touch", { minutes }) : say("never")]);
  return section("rest", say("The board's lights"),
    element("label", { for: "brightness" }, say("Brightness: {percent} %", { percent: rest.brightness })), brightness,
    flip("night", say("Night mode: a fifth as bright")), flip("off", say("Off: the phones show the way")),
    element("label", { for: "lights-sleep" }, say("The lights go out")),
    selectBox({ id: "lights-sleep" }, sleeps, rest.sleep, (minutes) => set({ sleep: Number(minutes) })),
    flip("show", say("Moving lights between games")));
}

const EVERY_MS = 700;
const LIGHTS = { put: "movable", off: "best", wrong: "wrong" };
const CHOICES = { skip: say("Go on without an answer"), undo: say("Back by one place"),
  go: say("Go on with what it reads"), red: say("Red"), green: say("Green"), blue: say("Blue"),
  dark: say("No light") };

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
    const fresh = await getJson("/api/host/workshop", 5000).catch(() => null); // The next request follows soon.
    this.looking = false;
    if (fresh) this.take(fresh);
  }

  take(fresh) {
    const words = (state) => state?.step?.hint ?? state?.step?.words ?? state?.result?.words;
    if (this.known && words(fresh) !== words(this.known)) tell(words(fresh) ?? "");
    this.known = fresh;
    this.redraw();
  }

  send(path, body) {
    return post(`host/workshop/${path}`, body).finally(() => this.look());
  }

  begin(view, what) {
    if (!isPlaying(view) || view.paused) return this.send("begin", { what, pause: false });
    return confirmThen(say("Pause the game and take the board? Remember what lies where: everything must come off the board, and go back afterwards."),
      () => this.send("begin", { what, pause: true }));
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
    const work = (name, words, about, attributes = {}) => [
      hintLine(refused[name] ?? about),
      !refused[name] && button({ id: `workshop-${name}`, ...attributes }, words, () => this.begin(view, name)),
    ];
    return [
      result && this.found(view, result),
      ...work("check", result && what === "check" ? say("Check it again") : say("Check the board"),
        say("Lodestone lights one place after the other; put a stone there, and take it off again. It finds sensors and lights that are dead, stuck or swapped."),
        { class: "primary" }),
      ...work("map", say("Map the board"),
        say("Newly soldered? Mapping finds out which sensor and which light each node has, and writes it into the board file.")),
      ...work("calibrate", say("Calibrate the board"),
        say("Linear sensors? Calibrating measures what each one reads with nothing, a white and a black stone, and a stack, and writes it into the board file.")),
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
    const lit = node in view.layout.nodes && !["wait", "colour"].includes(step.do);
    return [
      element("p", { class: "message workshop-words" }, step.words),
      step.hint && element("p", { class: "notice" }, step.hint),
      step.felt.length > 0 && hintLine(
        say("Felt now: {nodes}", { nodes: step.felt.join(", ") })),
      this.drawing(view, lit ? { [node]: { meaning: LIGHTS[step.do], words: step.words, seat: null } } : {}),
      element("progress", { max: step.of, value: step.done,
        "aria-label": say("{done} of {of} places are done", { done: step.done, of: step.of }) }),
      hintLine(say("{done} of {of} places are done", { done: step.done, of: step.of })),
      row(...step.choices.map((choice) =>
        button({ id: `workshop-${choice}` }, CHOICES[choice], () => this.send("answer", { choice }))),
      button({ id: "workshop-stop" }, say("Stop"), () => this.send("stop"))),
    ];
  }

  drawing(view, lights) {
    const host = element("div", { id: "workshop-board", class: "workshop-board" });
    new Board(host).show({ ...view, board: {}, lights, arrows: [], tasks: [], stage: [] });
    return host;
  }
}
