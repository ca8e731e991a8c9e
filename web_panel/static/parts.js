// Parts that phones and the big screen share.
import { lampColour } from "./board.js";
import { element } from "./live.js";

export function seatItem(view, seat) {
  const marks = [];
  if (seat.resigned) marks.push("resigned");
  else if (view.phase === "sealing") marks.push(seat.sealed ? "sealed" : "choosing");
  else if (view.phase === "revealing") marks.push(seat.opened ? "opened" : "opening");
  if (view.resolver === seat.seat && view.phase !== "over") {
    marks.push(view.phase === "resolving" ? "resolves now" : "resolves this turn");
  }
  if (seat.computer) marks.push("computer");
  return element("li", { class: view.you?.seat === seat.seat ? "me" : "" },
    element("span", { class: `dot seat-${seat.seat}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, seat.name), element("span", { class: "marks" }, marks.join(" · ")));
}

const MEANINGS = {
  put: "put your stone here", movable: "may be moved", target: "may go here", best: "this way", interact: "pick one of these",
  wrong: "wrong here", return: "a stone belongs here", remove: "lift this one", confirm: "tap the stack", loop: "take off: the loop",
  won: "won",
};

// The lights in words, a line a meaning: whoever can't see colours or motion reads the same.
export function legend(view) {
  const lines = new Map();
  for (const [node, light] of Object.entries(view.lights)) {
    const key = `${light.meaning} ${light.seat ?? ""}`;
    lines.set(key, { light, nodes: [...(lines.get(key)?.nodes ?? []), node] });
  }
  return [...lines.values()].map(({ light, nodes }) => {
    const who = light.seat ? view.seats.find((seat) => seat.seat === light.seat)?.name : "";
    const words = MEANINGS[light.meaning] ?? light.meaning;
    return element("li", {}, element("span", { class: `lamp ${light.meaning} ${lampColour(light)}`, "aria-hidden": "true" }),
      element("span", {}, who ? `${who}: ${words}` : words), element("b", {}, nodes.join(", ")));
  });
}

function counts(found) {
  return Object.entries(found).map(([node, stones]) => (stones > 1 ? `${node} (${stones})` : node)).join(", ") || "none";
}

export function resultCard(view) {
  const result = view.result;
  if (!result) return null;
  const tied = new Set(result.lines.map((line) => line.score)).size < result.lines.length;
  const rows = result.lines.map((line) => element("tr", { class: line.won ? "won" : "" },
    element("th", { scope: "row" }, line.names.join(" and "), line.won ? " – won" : ""),
    element("td", {}, `${line.score}`, element("small", {}, counts(line.counted))),
    element("td", {}, `${line.tiebreak}`, element("small", {}, counts(line.sector)))));
  return element("div", { class: "card result", "data-card": "result" }, element("h2", {}, "The end"), element("p", {}, result.words),
    element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Player"),
      element("th", { scope: "col" }, "On home nodes"), element("th", { scope: "col" }, "In the sector"))),
    element("tbody", {}, ...rows)),
    element("p", { class: "hint" }, "Stones on home nodes count, a block as two. ",
      tied ? "Equal scores: more stones in the own sector decide, then the higher seat." : ""));
}
