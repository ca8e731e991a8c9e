// Ignored sensors, and the state of the board.
import { attempt, element, post } from "../shared/live.js";
import { confirmThen } from "../shared/ask.js";
import { section } from "./host_section.js";
import { KINDS } from "../shared/sensors.js";
import { say } from "../shared/words.js";

export class Sensors {
  constructor() {
    this.node = "";
  }

  mask(node) {
    confirmThen(say("Ignore the sensor of {node} from now on? The phones ask instead.", { node }), () => post("host/mask", { node }));
  }

  card(view) {
    const { masked, suspects } = view.sensors;
    const free = Object.keys(view.layout.nodes).filter((node) => !(node in masked));
    if (!free.includes(this.node)) this.node = free[0] ?? "";
    return section("sensors", say("Sensors"), this.suspected(suspects), this.ignored(masked), this.chooser(free));
  }

  suspected(suspects) {
    return suspects.map(({ node, words }) => element("div", { class: "line" }, element("p", {}, words),
      element("button", { id: `mask-${node}`, onclick: () => this.mask(node) }, say("The sensor of {node} is wrong", { node }))));
  }

  ignored(masked) {
    const nodes = Object.entries(masked);
    if (!nodes.length) return element("p", { class: "hint" }, say("No sensor is ignored."));
    return nodes.map(([node, reason]) => element("div", { class: "line" },
      element("p", {}, say("{node} is ignored: {reason}", { node, reason })),
      element("button", { id: `unmask-${node}`, onclick: () => attempt(() => post("host/unmask", { node })) }, say("Use {node} again", { node }))));
  }

  chooser(free) {
    const select = element("select", { id: "mask-node" }, ...free.map((node) => element("option", { value: node, selected: node === this.node }, node)));
    select.addEventListener("change", () => { this.node = select.value; });
    return element("details", { "data-key": "mask" }, element("summary", {}, say("Ignore a sensor")),
      element("label", { for: "mask-node" }, say("Which node has a sensor that is wrong?")),
      element("div", { class: "row tight" }, select, element("button", { id: "mask", onclick: () => this.mask(select.value) }, say("Ignore it"))));
  }
}

function pair(name, value) {
  return value == null || value === "" ? [] : [element("dt", {}, name), element("dd", {}, `${value}`)];
}

// The switch for playing without a board: the simulated hand makes all moves that are chosen on phones.
export function handSwitch(hands, look) {
  if (hands == null) return null;
  const box = element("input", { type: "checkbox", id: "hands-all", checked: hands === "all", "aria-describedby": "hands-hint" });
  box.addEventListener("change", () => attempt(() => post("host/hands", { everybody: box.checked }).catch((error) => {
    box.checked = hands === "all";
    throw error;
  }).finally(look)));
  return element("div", { "data-card": "hands" },
    element("label", { class: "tick", for: "hands-all" }, box, element("span", {}, say("No board here: Lodestone moves the stones"))),
    element("p", { class: "hint", id: "hands-hint" }, say("Everybody plays on the phone alone: what is chosen there, a simulated hand does on the virtual board.")));
}

export function hardwareCard(hardware, paths) {
  if (!hardware) return null;
  const { board, kind, backend, nodes, scan_hz: wanted, scans_per_s: scans, health, lights, simulated } = hardware;
  const rate = scans == null ? wanted && say("{wanted} per second expected", { wanted }) : say("{scans} per second", { scans: Math.round(scans) });
  const lamps = lights && (lights.trouble || say("{pixels} pixels, all working", { pixels: lights.pixels }));
  return section("hardware", say("The board"),
    element("dl", { class: "facts" },
      ...pair(say("Board"), simulated ? say("{board}, simulated", { board }) : board), ...pair(say("Nodes"), nodes),
      ...pair(say("Sensing"), [KINDS[kind] ?? kind, !simulated && backend].filter(Boolean).join(", ")), ...pair(say("Scans"), rate), ...pair(say("Lights"), lamps)),
    health?.length ? element("ul", { class: "notice trouble", "aria-label": say("What is broken") }, ...health.map((line) => element("li", {}, line)))
      : element("p", { class: "hint" }, say("No sensor or part is known to be broken.")),
    paths && element("p", { class: "row" }, element("a", { class: "button", href: paths }, say("What the sensors read"))));
}
