// The clocks: chosen in the lobby, for the next game and those after it.
import { attempt, element, post } from "../shared/live.js";
import { say } from "../shared/words.js";

// Seconds: main time of each player (0: no limit), increment after each turn, free delay before it.
export const PRESETS = {
  relaxed: { main: 0, increment: 0, delay: 0 },
  family: { main: 600, increment: 10, delay: 0 },
  club: { main: 1200, increment: 10, delay: 0 },
  fast: { main: 300, increment: 3, delay: 0 },
};

function presetWords(name) {
  return { none: say("No clocks"), relaxed: say("Relaxed: time is only shown"), family: say("Family: 10 min + 10 s"), club: say("Club: 20 min + 10 s"), fast: say("Fast: 5 min + 3 s") }[name];
}

function presetOf(clocks) {
  if (!clocks) return "none";
  const fits = ([, preset]) => (clocks.main ?? 0) === preset.main && clocks.increment === preset.increment && clocks.delay === preset.delay;
  return Object.entries(PRESETS).find(fits)?.[0] ?? "own";
}

function choose(clocks) {
  return attempt(() => (clocks ? post("host/clocks", clocks) : post("host/no-clocks")));
}

function number(id, label, value, most) {
  const input = element("input", { id, inputmode: "numeric", pattern: "[0-9]{1,4}", maxlength: 4, size: 5, value, required: true, title: say("0 to {most}", { most }) });
  return element("label", { class: "line", for: id }, element("span", {}, label), input);
}

export class ClocksCard {
  card(view) {
    const { clocks } = view;
    if (view.phase !== "lobby") return clocks && element("p", { class: "hint", "data-card": "clocks" }, say("Clocks: {clocks}.", { clocks: clocks.words }));
    const chosen = presetOf(clocks);
    return element("fieldset", { "data-card": "clocks", class: "clocks" }, element("legend", {}, say("Clocks")),
      element("div", { class: "row modes", role: "group", "aria-label": say("Clocks") }, ...["none", ...Object.keys(PRESETS)].map((name) =>
        element("button", { id: `clock-${name}`, "aria-pressed": name === chosen ? "true" : "false",
          onclick: () => choose(name !== "none" && { ...PRESETS[name], strict: Boolean(clocks?.strict) }) }, presetWords(name)))),
      clocks && element("p", { class: "hint" }, say("Now: {clocks}.", { clocks: clocks.words })),
      ...(clocks?.main ? this.strict(clocks) : []), this.own(clocks), clocks?.main && this.odds(view));
  }

  strict(clocks) {
    const { main, increment, delay } = clocks;
    return [element("button", { id: "clock-strict", class: "switch", role: "switch", "aria-checked": clocks.strict ? "true" : "false", "aria-describedby": "strict-hint",
      onclick: () => choose({ main, increment, delay, strict: !clocks.strict }) },
    element("span", {}, say("Strict: the end of time counts")), element("span", { class: "knob", "aria-hidden": "true" })),
    element("p", { class: "hint", id: "strict-hint" }, say("Strict: in a game of turns the player has lost; where placements are sealed, lots are drawn for two turns, and with the next one the player is out. Otherwise it is only said that time is up."))];
  }

  own(clocks) {
    const form = element("form", {},
      number("clock-main", say("Minutes for each player"), Math.max(1, Math.round((clocks?.main ?? 600) / 60)), 1440),
      number("clock-increment", say("Seconds more after each turn"), clocks?.increment ?? 10, 600),
      number("clock-delay", say("Free seconds before each turn"), clocks?.delay ?? 0, 600),
      element("button", { id: "clock-own" }, say("Use these times")));
    const value = (id) => Math.round(Number(form.querySelector(`#${id}`).value));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      choose({ main: 60 * value("clock-main"), increment: value("clock-increment"), delay: value("clock-delay"), strict: Boolean(clocks?.strict) });
    });
    return element("details", { "data-key": "clock-own" }, element("summary", {}, say("Other times")), form);
  }

  // Handicaps: five minutes for an expert, twenty for a child.
  odds(view) {
    const names = (seat) => view.seats.find((one) => one.seat === seat)?.name ?? "";
    return element("details", { "data-key": "clock-odds" }, element("summary", {}, say("Other times for some players")), ...view.clocks.seats.map(({ seat, main }) => {
      const select = element("select", { id: `odds-${seat}` }, ...[...new Set([60, 180, 300, 600, 1200, 1800, view.clocks.main, main])].sort((one, other) => one - other).map((seconds) =>
        element("option", { value: seconds, selected: seconds === main }, say("{minutes} min", { minutes: Math.round(seconds / 6) / 10 }))));
      select.addEventListener("change", () => attempt(() => post("host/odds", { seat, main: Number(select.value) })));
      return element("label", { class: "line", for: `odds-${seat}` }, element("span", {}, names(seat)), select);
    }));
  }
}
