// A recorded game, moment by moment. All screens show the same moment: the table's computer holds it, orders go there.
import { Board, lampColour } from "./board.js";
import { attempt, connect, element, post } from "./live.js";
import { playsMark, seatColours, showRules } from "./parts.js";

const PACES = [0.5, 1, 2, 4, 8];
const DRAG_MS = 120; // A dragged slider asks for so much time between two orders.
const HELD_MS = 600; // For so long after a drag the slider stays where the finger has put it.
const MARKS = {
  put: "put down", movable: "lifted here", best: "moved here", line: "moved along", loop: "taken off", remove: "taken off",
  dead: "taken off",
};

const byId = (id) => document.getElementById(id);
const board = new Board(byId("board"));
const slider = byId("slider");
let shown = null;
let dragged = 0;
let waiting = null;

const order = (body) => attempt(() => post("replay", body));
const toggle = () => order({ do: shown?.playing ? "pause" : "play" });

function seatRow(view, seat) {
  return element("li", { class: view.actor === seat.seat ? "acts" : "" },
    element("span", { class: `dot seat-${seat.seat}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, seat.name), playsMark(view, seat),
    element("span", { class: "marks" }, view.actor === seat.seat ? "this action" : ""));
}

// What each light means, a line a meaning: whoever can't see colours or motion reads the same.
function marks(view) {
  const lines = new Map();
  for (const [node, light] of Object.entries(view.lights)) {
    const key = `${MARKS[light.meaning] ?? light.words} ${light.seat ?? ""}`;
    lines.set(key, { light, nodes: [...(lines.get(key)?.nodes ?? []), node] });
  }
  return [...lines.values()].map(({ light, nodes }) => element("li", {},
    element("span", { class: `lamp ${light.meaning} ${lampColour(light)}`, "aria-hidden": "true" }),
    element("span", {}, MARKS[light.meaning] ?? light.words), element("b", {}, nodes.join(", "))));
}

// Along a board with wells a line that was run is drawn as it leads over them.
function trailsOf(view) {
  const nodes = Object.keys(view.lights).filter((node) => view.lights[node].meaning === "line");
  return nodes.length && view.layout.wells?.length ? [{ nodes, kind: "runs", loose: true }] : [];
}

function paces(pace) {
  return [...new Set([...PACES, pace])].sort((one, other) => one - other).map((seconds) =>
    element("option", { value: seconds, selected: seconds === pace }, `${seconds} s a moment`));
}

function clock(when) {
  const at = new Date(when);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

connect((view) => {
  const before = shown;
  shown = view;
  byId("title").textContent = `${view.game.title} · turn ${view.turn}`;
  byId("words").textContent = view.words;
  byId("game").textContent = `Replay of ${view.game.id}, played ${clock(view.when)}`;
  seatColours(view);
  board.show(view, { trails: trailsOf(view) });
  byId("marks").replaceChildren(...marks(view));
  byId("seats").replaceChildren(...view.seats.map((seat) => seatRow(view, seat)));
  byId("standing").hidden = !view.standing.length;
  byId("standing").replaceChildren(...view.standing.map((line) => element("li", {}, line)));
  showRules(byId("rules"), view);
  byId("notice").hidden = !view.notice;
  byId("notice").textContent = view.notice ?? "";
  document.body.classList.toggle("playing", view.playing);
  byId("play").setAttribute("aria-label", view.playing ? "Pause" : "Play");
  byId("count").textContent = `${view.moment + 1} of ${view.moments}`;
  slider.max = view.moments - 1;
  slider.setAttribute("aria-valuetext", `moment ${view.moment + 1} of ${view.moments}: ${view.words}`);
  if (Date.now() > dragged + HELD_MS) slider.value = view.moment;
  if (before?.pace !== view.pace) byId("pace").replaceChildren(...paces(view.pace));
  const [first, last] = [view.moment === 0, view.moment === view.moments - 1];
  for (const [id, off] of [["first", first], ["back", first], ["on", last], ["last", last]]) byId(id).setAttribute("aria-disabled", off);
});

for (const id of ["first", "back", "on", "last"]) byId(id).addEventListener("click", () => order({ do: id }));
byId("play").addEventListener("click", toggle);
byId("pace").addEventListener("change", (event) => order({ do: "pace", seconds: Number(event.target.value) }));
slider.addEventListener("input", () => {
  dragged = Date.now();
  waiting ??= setTimeout(() => {
    waiting = null;
    order({ do: "to", moment: Number(slider.value) });
  }, DRAG_MS);
});

// What came in from elsewhere while the slider was held is shown once it is let go.
slider.addEventListener("change", () => setTimeout(() => {
  if (shown && Date.now() > dragged + HELD_MS) slider.value = shown.moment;
}, HELD_MS + 100));

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
addEventListener("keydown", (event) => {
  const at = event.target.tagName;
  if (event.ctrlKey || event.altKey || event.metaKey || at === "SELECT") return;
  if (KEYS[event.key] && at !== "INPUT") {
    event.preventDefault();
    order({ do: KEYS[event.key] });
  } else if (event.key === " " && at !== "BUTTON") {
    event.preventDefault();
    toggle();
  }
});
