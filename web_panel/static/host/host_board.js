// The board on the host's page: its state, ignored sensors, and its lights.
import { button, confirmThen, folded, onChange, postButton, selectBox, switchButton } from "../shared/controls.js";
import { element, hintLine } from "../shared/elements.js";
import { post } from "../shared/live.js";
import { section } from "../shared/parts.js";
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

export function hardwareCard(hardware) {
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
      : hintLine(say("No sensor or part is known to be broken.")));
}

// The board's lights: brightness, night and off, and their behaviour when nobody plays.
const SLEEPS = [0, 5, 20, 60];

export function lightsCard(rest, look) {
  if (!rest) return null;
  const set = (wish) => post("host/lights", { ...rest, ...wish }).finally(look);
  const flip = (what, words) => switchButton({ id: `lights-${what}` }, words, rest[what], (on) => set({ [what]: on }));
  const brightness = element("input", { id: "brightness", type: "range", min: 5, max: 100, step: 5,
    value: rest.brightness });
  onChange(brightness, () => set({ brightness: Number(brightness.value) }));
  const sleeps = [...new Set([...SLEEPS, rest.sleep])].map((minutes) => [minutes,
    minutes ? say("after {minutes} min without a touch", { minutes }) : say("never")]);
  return section("rest", say("The board's lights"),
    element("label", { for: "brightness" }, say("Brightness: {percent} %", { percent: rest.brightness })), brightness,
    flip("night", say("Night mode: a fifth as bright")), flip("off", say("Off: the phones show the way")),
    element("label", { for: "lights-sleep" }, say("The lights go out")),
    selectBox({ id: "lights-sleep" }, sleeps, rest.sleep, (minutes) => set({ sleep: Number(minutes) })),
    flip("show", say("Moving lights between games")));
}
