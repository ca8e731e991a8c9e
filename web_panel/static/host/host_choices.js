// The choice of games: a card for each, with its aim, numbers of players, duration, and a picture of its board.
import { Board } from "../shared/board.js";
import { element, fetched } from "../shared/live.js";
import { say, sayMany } from "../shared/words.js";

const AGAIN_MS = 5000;

function playersWords(players) {
  const [least, most] = [players[0], players.at(-1)];
  if (players.length < 2) return sayMany("{count} player", "{count} players", least);
  if (players.length > 2 && most - least === players.length - 1) return say("{least} to {most} players", { least, most });
  return say("{first} or {last} players", { first: players.slice(0, -1).join(", "), last: most });
}

function aboutWords({ players, minutes }) {
  return [playersWords(players), minutes && say("{least} to {most} minutes", { least: minutes[0], most: minutes[1] })].filter(Boolean).join(" · ");
}

// Draw the game's picture with the board's own drawing code; retry if it can't be fetched.
async function drawCover(host, game) {
  try {
    const response = await fetched(`/api/how-to-play/${encodeURIComponent(game)}/cover`);
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
    games.forEach((one, at) => this.host.children[at].setAttribute("aria-pressed", one.game === wanted.game ? "true" : "false"));
  }

  card(one, choices) {
    const cover = element("span", { class: "cover board", id: `cover-${one.game}`, "aria-hidden": "true" });
    drawCover(cover, one.game);
    const first = choices.find((choice) => choice.game === one.game && choice.current) ?? choices.find((choice) => choice.game === one.game);
    return element("button", { type: "button", class: "game", id: `game-${one.game}`, onclick: () => this.choose(first.board) },
      element("b", {}, one.title), one.aim && element("span", {}, one.aim), element("small", {}, aboutWords(one)), cover);
  }
}
