// Broken parts, in words, for phones and the big screen. Play goes on meanwhile.
import { askButton } from "./controls.js";
import { element } from "./elements.js";
import { post, seatOf } from "./live.js";
import { say, sayMany } from "./words.js";

// The kinds of sensors, by their names in board files.
export const KINDS = { presence: say("presence"), polarity: say("polarity"), level: say("level") };

// Every broken part: notices first, then the ignored sensors, grouped by reason.
function troubleLines(view) {
  const reasons = new Map();
  for (const [node, reason] of Object.entries(view.sensors.masked)) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), node]);
  }
  const masked = [...reasons].map(([reason, nodes]) =>
    sayMany("Ignored: the sensor of {nodes} ({reason}). The phones ask instead.",
      "Ignored: the sensors of {nodes} ({reason}). The phones ask instead.", nodes.length,
      { nodes: nodes.join(", "), reason }));
  return [...view.notices, ...masked];
}

// What people have to know, for pages without a list of broken parts.
export const noticeLines = (view) => view.notices.map((words) => element("p", { class: "notice" }, words));

export function showTrouble(list, view) {
  const lines = troubleLines(view);
  list.hidden = !lines.length;
  list.replaceChildren(...lines.map((line) => element("li", {}, line)));
}

// Whether a seat may move pieces now: the acting seat; everybody for a computer, and while all act.
export function handles(view, seat) {
  const actor = view.phase === "resolving" && seatOf(view, view.resolver);
  return !seat.resigned && (!actor || actor.computer || actor.seat === seat.seat);
}

// The card about a sensor that may be stuck, or a board that differs: folded, as a player may just be slow.
export function sensorCard(view) {
  const mask = view.host ? "host/mask" : "mask"; // The host's request has no limit on their number.
  const words = new Map(view.sensors.suspects.map((suspect) => [suspect.node, suspect.words]));
  const nodes = words.size ? [...words.keys()] : view.problem.nodes.slice(0, 4);
  const buttons = nodes.flatMap((node) => [
    words.has(node) && element("p", {}, words.get(node)),
    askButton({}, say("The sensor of {node} is wrong", { node }),
      say("Ignore the sensor of {node} from now on? The phones ask instead.", { node }), () => post(mask, { node })),
  ].filter(Boolean));
  const title = words.size ? say("Is a sensor stuck?") : say("Is the board right, and a sensor wrong?");
  return element("details", { class: "card", "data-card": words.size ? "stuck" : "sensor" },
    element("summary", {}, title), element("div", { class: "column" }, ...buttons));
}
