// A new game: the choice of games, then board, number of players, rule options.
import { isPlaying } from "./host_now.js";
import { gameWords, modeWords } from "../lobby/lobby_seats.js";
import { added } from "../shared/added.js";
import { button, confirmThen, folded, selectBox, tickBox } from "../shared/controls.js";
import { allOf, element, hintLine, renew } from "../shared/elements.js";
import { post } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { say, sayMany } from "../shared/words.js";

// The choice of games: a card for each, with its aim, numbers of players, duration, and a picture of its board.

function playersWords(players) {
  const [least, most] = [players[0], players.at(-1)];
  if (players.length < 2) return sayMany("{count} player", "{count} players", least);
  if (players.length > 2 && most - least === players.length - 1) {
    return say("{least} to {most} players", { least, most });
  }
  return say("{first} or {last} players", { first: players.slice(0, -1).join(", "), last: most });
}

function aboutWords({ players, minutes }) {
  return [playersWords(players), minutes && say("{least} to {most} minutes", { least: minutes[0], most: minutes[1] })]
    .filter(Boolean).join(" · ");
}

const shortMode = (mode) => mode.split("v").join(" : ");

export class Choices {
  // choose({board, mode, rules}) is called with the first board of the chosen game, and the chosen number of players.
  constructor(host, choose) {
    this.host = host;
    this.choose = choose;
    this.key = "";
  }

  // `choices` as the table sends them; `wanted` is one of them, `mode` one of its modes.
  show(choices, wanted, mode) {
    const games = [...new Map(choices.map((one) => [one.game, one])).values()];
    const key = JSON.stringify(games);
    if (key !== this.key) {
      this.key = key;
      this.host.replaceChildren(...games.map((one) => this.card(one, choices)));
    }
    const press = (button, on) => button.setAttribute("aria-pressed", on ? "true" : "false");
    games.forEach((one, at) => {
      const [pick, ...modes] = allOf("button", this.host.children[at]);
      const is = one.game === wanted.game;
      press(pick, is);
      this.host.children[at].classList.toggle("chosen", is);
      for (const button of modes) press(button, is && button.dataset.mode === mode);
    });
  }

  card(one, choices) {
    const cover = element("span", { class: "cover board", id: `cover-${one.game}`, "aria-hidden": "true" });
    added("cover", cover, one.game);
    const first = choices.find((choice) => choice.game === one.game && choice.current)
      ?? choices.find((choice) => choice.game === one.game);
    const choose = (mode) => () => this.choose({ board: first.board, mode, rules: null });
    const modes = first.modes.length > 1 && element("div", { class: "game-modes", role: "group",
      "aria-label": say("Players of {game}", { game: one.title }) }, ...first.modes.map((mode) =>
      element("button", { type: "button", id: `mode-${one.game}-${mode}`, "data-mode": mode,
        "aria-label": modeWords(mode), onclick: choose(mode) }, shortMode(mode))));
    return element("div", { class: "game" },
      element("button", { type: "button", class: "pick", id: `game-${one.game}`, onclick: choose(null) },
        element("b", {}, one.title)), one.aim && element("span", {}, one.aim),
      element("small", {}, aboutWords(one)), modes, cover);
  }
}

export class NewGame {
  // changed() is called when the choice has changed, begun() when the new game is at the table.
  constructor(changed, begun) {
    this.changed = changed;
    this.begun = begun;
    this.wish = {};
    /** @type {any} */
    this.shown = null; // The last shown view and choices: the button acts on these.
  }

  // The choice; a wish that is not possible is replaced by a default.
  wanted(choices, view) {
    const one = choices.find((choice) => choice.board === this.wish.board) ?? choices.find((choice) => choice.current)
      ?? choices[0];
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
    this.shown = { view, choices };
    const { one, mode, rules } = this.wanted(choices, view);
    cards.show(choices, one, mode);
    renew(host, [section("new", one.title, this.options(one, rules),
      hintLine(isPlaying(view)
        ? say("This sets the running game aside. It can be resumed later; players keep their seats.")
        : say("Players keep their seats if the new game has them.")),
      this.boards(choices.filter((other) => other.game === one.game), one))]);
  }

  // The button that begins the chosen game.
  button(view, choices) {
    if (!choices?.length) return null;
    const { one, mode } = this.wanted(choices, view);
    return button({ id: "new-game", class: "go", "data-card": "new-game" },
      say("New game: {game}", { game: gameWords({ title: one.title, mode }) }), () => this.begin());
  }

  // The choice of the board: folded, as most tables have one for each game.
  boards(boards, one) {
    const words = (choice) => say("{nodes} nodes, {sensors} sensors ({board})", choice);
    if (boards.length < 2) return folded("new-hardware", say("Hardware"), hintLine(words(one)));
    return folded("new-hardware", say("Hardware"), element("label", { for: "new-board" }, say("Board")),
      selectBox({ id: "new-board" }, boards.map((choice) => [choice.board, words(choice)]), one.board,
        (board) => this.want({ board, mode: null, rules: null })));
  }

  options(one, rules) {
    const names = Object.keys(one.options);
    if (!names.length) return null;
    return element("fieldset", {}, element("legend", {}, say("Rule options")), ...names.map((name) =>
      tickBox(`rule-${name}`, one.options[name], rules.includes(name), (on) =>
        this.want({ rules: new Set(on ? [...rules, name] : rules.filter((other) => other !== name)) }))));
  }

  begin() {
    const { view, choices } = this.shown;
    const { one, mode, rules } = this.wanted(choices, view);
    const act = async () => {
      await post("host/new", { board: one.board, mode, rules });
      this.wish = {};
      this.begun();
    };
    if (!isPlaying(view)) return act();
    return confirmThen(say("Set the running game aside and begin a new one: {game}?", { game: one.title }), act);
  }
}
