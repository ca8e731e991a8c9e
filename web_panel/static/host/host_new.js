// A new game: the choice of games, then board, number of players, rule options.
import { section } from "./host_now.js";
import { modeWords } from "../lobby/lobby_seats.js";
import { Board } from "../shared/board.js";
import { element, renew } from "../shared/elements.js";
import { attempt, fetchInTime, post } from "../shared/live.js";
import { confirmThen } from "../shared/parts.js";
import { say, sayMany } from "../shared/words.js";

// The choice of games: a card for each, with its aim, numbers of players, duration, and a picture of its board.
const AGAIN_MS = 5000;

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

// Draw the game's picture with the board's own drawing code; retry if it can't be fetched.
async function drawCover(host, game) {
  try {
    const response = await fetchInTime(`/api/how-to-play/${encodeURIComponent(game)}/cover`);
    if (!response.ok) throw new Error(`${response.status}`);
    new Board(host).show(await response.json());
  } catch {
    setTimeout(drawCover, AGAIN_MS, host, game);
  }
}

export class Choices {
  // choose(board) is called with the first board of the chosen game.
  constructor(host, choose) {
    this.host = host;
    this.choose = choose;
    this.key = "";
  }

  // `choices` as the table sends them; `wanted` is one of them.
  show(choices, wanted) {
    const games = [...new Map(choices.map((one) => [one.game, one])).values()];
    const key = JSON.stringify(games);
    if (key !== this.key) {
      this.key = key;
      this.host.replaceChildren(...games.map((one) => this.card(one, choices)));
    }
    games.forEach((one, at) => this.host.children[at].setAttribute("aria-pressed",
      one.game === wanted.game ? "true" : "false"));
  }

  card(one, choices) {
    const cover = element("span", { class: "cover board", id: `cover-${one.game}`, "aria-hidden": "true" });
    drawCover(cover, one.game);
    const first = choices.find((choice) => choice.game === one.game && choice.current)
      ?? choices.find((choice) => choice.game === one.game);
    return element("button", { type: "button", class: "game", id: `game-${one.game}`,
      onclick: () => this.choose(first.board) },
      element("b", {}, one.title), one.aim && element("span", {}, one.aim), element("small", {}, aboutWords(one)),
        cover);
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
    cards.show(choices, one);
    renew(host, [section("new", one.title, this.modes(one, mode), this.options(one, rules),
      runs(view) ? element("p", { class: "hint" },
        say("This sets the running game aside. It can be resumed later; players keep their seats."))
        : element("p", { class: "hint" }, say("Players keep their seats if the new game has them.")),
      this.boards(choices.filter((other) => other.game === one.game), one))]);
  }

  // The button that begins the chosen game.
  button(view, choices) {
    if (!choices?.length) return null;
    const { one } = this.wanted(choices, view);
    return element("button", { id: "new-game", class: "primary big", onclick: () => this.begin() },
      say("New game: {game}", { game: one.title }));
  }

  // The choice of the board: folded, as most tables have one for each game.
  boards(boards, one) {
    const words = (choice) => say("{nodes} nodes, {sensors} sensors ({board})", choice);
    const summary = element("summary", {}, say("Hardware"));
    if (boards.length < 2) {
      return element("details", { "data-key": "new-hardware" }, summary, element("p", { class: "hint" }, words(one)));
    }
    const select = element("select", { id: "new-board" }, ...boards.map((choice) =>
      element("option", { value: choice.board, selected: choice === one }, words(choice))));
    select.addEventListener("change", () => this.want({ board: select.value, mode: null, rules: null }));
    return element("details", { "data-key": "new-hardware" }, summary,
      element("label", { for: "new-board" }, say("Board")), select);
  }

  modes(one, mode) {
    if (one.modes.length < 2) return null;
    return element("div", { class: "row modes", role: "group", "aria-label": say("Players in the new game") },
      ...one.modes.map((other) =>
      element("button", { id: `new-mode-${other}`, "aria-pressed": other === mode ? "true" : "false",
        onclick: () => this.want({ mode: other }) }, modeWords(other))));
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
    const { view, choices } = this.shown;
    const { one, mode, rules } = this.wanted(choices, view);
    const act = async () => {
      await post("host/new", { board: one.board, mode, rules });
      this.wish = {};
      this.begun();
    };
    if (runs(view)) confirmThen(say("Set the running game aside and begin a new one: {game}?", { game: one.title }),
      act);
    else attempt(act);
  }
}

export function runs(view) {
  return !["lobby", "over"].includes(view.phase);
}
