// A new game: which board, how many players, which options of the rules.
import { element, post } from "../shared/live.js";
import { confirmThen, section } from "./host_ask.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { say } from "../shared/words.js";

// A board in words; by its file's name, too, where several boards serve one game.
function boardWords(one, choices) {
  const words = { game: one.title, nodes: one.nodes, sensors: one.sensors, board: one.board };
  if (choices.filter((other) => other.title === one.title).length < 2) return say("{game}: {nodes} nodes", words);
  return say("{game}: {nodes} nodes, {sensors} sensors ({board})", words);
}

export class NewGame {
  // changed(): draw again, now that something else is wanted.
  constructor(changed) {
    this.changed = changed;
    this.wish = {};
  }

  // What is wanted, as far as it can be had.
  wanted(choices, view) {
    const one = choices.find((choice) => choice.board === this.wish.board) ?? choices.find((choice) => choice.current) ?? choices[0];
    const mode = one.modes.includes(this.wish.mode) ? this.wish.mode : one.current ? view.game.mode : one.modes[0];
    const rules = Object.keys(one.options).filter((name) => this.wish.rules?.has(name));
    return { one, mode: one.modes.includes(mode) ? mode : one.modes[0], rules };
  }

  want(change) {
    Object.assign(this.wish, change);
    this.changed();
  }

  card(view, choices) {
    if (!choices?.length) return null;
    const { one, mode, rules } = this.wanted(choices, view);
    return section("new", say("New game"),
      this.boards(choices, one), this.modes(one, mode), this.options(one, rules),
      element("button", { id: "new-game", class: "big wide-button", onclick: () => this.begin(view, one, mode, rules) }, say("New game: {game}", { game: one.title })),
      runs(view) ? element("p", { class: "hint" }, say("This sets the running game aside. It can be resumed later; players keep their seats."))
        : element("p", { class: "hint" }, say("Players keep their seats if the new game has them.")));
  }

  boards(choices, one) {
    if (choices.length < 2) return element("p", {}, boardWords(one, choices));
    const select = element("select", { id: "new-board" }, ...choices.map((choice) =>
      element("option", { value: choice.board, selected: choice === one }, boardWords(choice, choices))));
    select.addEventListener("change", () => this.want({ board: select.value, mode: null, rules: null }));
    return [element("label", { for: "new-board" }, say("Game and board")), select];
  }

  modes(one, mode) {
    if (one.modes.length < 2) return null;
    return element("div", { class: "row modes", role: "group", "aria-label": say("Players in the new game") }, ...one.modes.map((other) =>
      element("button", { id: `new-mode-${other}`, "aria-pressed": other === mode ? "true" : "false", onclick: () => this.want({ mode: other }) }, modeWords(other))));
  }

  options(one, rules) {
    const names = Object.keys(one.options);
    if (!names.length) return null;
    return element("fieldset", {}, element("legend", {}, say("Rule options")), ...names.map((name) => {
      const box = element("input", { type: "checkbox", id: `rule-${name}`, checked: rules.includes(name) });
      box.addEventListener("change", () => {
        const now = new Set(rules);
        if (box.checked) now.add(name);
        else now.delete(name);
        this.want({ rules: now });
      });
      return element("label", { class: "tick", for: `rule-${name}` }, box, element("span", {}, one.options[name]));
    }));
  }

  begin(view, one, mode, rules) {
    const deed = async () => {
      await post("host/new", { board: one.board, mode, rules });
      this.wish = {};
      this.changed();
    };
    confirmThen(runs(view) ? say("Set the running game aside and begin a new one: {game}?", { game: one.title }) : say("Begin a new game: {game}?", { game: one.title }), deed);
  }
}

export function runs(view) {
  return !["lobby", "over"].includes(view.phase);
}
