// The rules on the big screen in the lobby: one picture after the other, drawn with the board's own drawing code.
import { PATH } from "./links.js";
import { add } from "/static/shared/added.js";
import { Board } from "/static/shared/board.js";
import { element } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";

const EACH_MS = 12000;
const AGAIN_MS = 5000;

class RulesStrip {
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
      const sheet = await getJson(`/api${PATH}${encodeURIComponent(game)}`);
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

let strip = null;
add("screen-rules", (host, view, changed) => {
  strip ??= new RulesStrip(host, changed);
  strip.follow(view);
});
