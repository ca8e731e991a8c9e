// The rules on the big screen in the lobby: one picture after the other, drawn with the board's own drawing code.
import { Board } from "../shared/board.js";
import { element, fetched } from "../shared/live.js";

const EACH_MS = 12000;
const AGAIN_MS = 5000;

export class RulesStrip {
  // `host` is hidden while it is empty; changed() is called after each new picture.
  constructor(host, changed) {
    this.host = host;
    this.changed = changed;
    this.picture = element("div", { id: "rule-picture", class: "board" });
    this.words = element("p", {});
    host.append(this.picture, this.words);
    this.game = null;
    this.timer = 0;
  }

  follow(view) {
    const game = view.phase === "lobby" ? view.game.name : null;
    if (game === this.game) return;
    this.game = game;
    this.host.hidden = true;
    this.picture.replaceChildren();
    clearTimeout(this.timer);
    if (game) this.load(game);
  }

  async load(game) {
    try {
      const response = await fetched(`/api/how-to-play/${encodeURIComponent(game)}`);
      if (!response.ok) throw new Error(`${response.status}`);
      const sheet = await response.json();
      if (this.game === game && sheet.pictures.length) this.turn(sheet, 0);
    } catch {
      if (this.game === game) this.timer = setTimeout(() => this.load(game), AGAIN_MS);
    }
  }

  turn(sheet, at) {
    const { pictures, pieces, tints, layout } = sheet;
    const picture = pictures[at % pictures.length];
    new Board(this.picture).show({ pieces, tints, ...picture, layout: picture.layout ?? layout });
    this.words.textContent = picture.words;
    this.host.hidden = false;
    this.changed();
    this.timer = setTimeout(() => this.turn(sheet, at + 1), EACH_MS);
  }
}
