// A new game: board, number of players, rule options.
import { confirmThen } from "../shared/ask.js";
import { attempt, element, post, renew } from "../shared/live.js";
import { section } from "./host_section.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { say } from "../shared/words.js";

export class NewGame {
  // changed() is called when the choice has changed, begun() when the new game is at the table.
  constructor(changed, begun) {
    this.changed = changed;
    this.begun = begun;
    this.wish = {};
    this.seen = null; // The last shown view and choices: the button acts on these.
  }

  // The choice; a wish that is not possible is replaced by a default.
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

  // The cards of all games, and below them the settings of the chosen one.
  show(view, choices, cards, host) {
    if (!choices?.length) return;
    this.seen = { view, choices };
    const { one, mode, rules } = this.wanted(choices, view);
    cards.show(choices, one);
    renew(host, [section("new", one.title, this.modes(one, mode), this.options(one, rules),
      runs(view) ? element("p", { class: "hint" }, say("This sets the running game aside. It can be resumed later; players keep their seats."))
        : element("p", { class: "hint" }, say("Players keep their seats if the new game has them.")),
      this.boards(choices.filter((other) => other.game === one.game), one))]);
  }

  // The button that begins the chosen game.
  button(view, choices) {
    if (!choices?.length) return null;
    const { one } = this.wanted(choices, view);
    return element("button", { id: "new-game", class: "primary big", onclick: () => this.begin() }, say("New game: {game}", { game: one.title }));
  }

  // The choice of the board: folded, as most tables have one for each game.
  boards(boards, one) {
    const words = (choice) => say("{nodes} nodes, {sensors} sensors ({board})", choice);
    const summary = element("summary", {}, say("Hardware"));
    if (boards.length < 2) return element("details", { "data-key": "new-hardware" }, summary, element("p", { class: "hint" }, words(one)));
    const select = element("select", { id: "new-board" }, ...boards.map((choice) =>
      element("option", { value: choice.board, selected: choice === one }, words(choice))));
    select.addEventListener("change", () => this.want({ board: select.value, mode: null, rules: null }));
    return element("details", { "data-key": "new-hardware" }, summary, element("label", { for: "new-board" }, say("Board")), select);
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

  begin() {
    const { view, choices } = this.seen;
    const { one, mode, rules } = this.wanted(choices, view);
    const deed = async () => {
      await post("host/new", { board: one.board, mode, rules });
      this.wish = {};
      this.begun();
    };
    if (runs(view)) confirmThen(say("Set the running game aside and begin a new one: {game}?", { game: one.title }), deed);
    else attempt(deed);
  }
}

export function runs(view) {
  return !["lobby", "over"].includes(view.phase);
}
