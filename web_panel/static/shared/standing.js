// How those stand who have just met: a best of three and of five, from the household's book.
import { element, fetched } from "./live.js";

const AGAIN_MS = 2000;
const TRIES = 3;

export class Standing {
  constructor(redraw) {
    Object.assign(this, { redraw, game: null, words: [] });
  }

  // To be called with every view.
  follow(view) {
    const game = view.result && !view.lesson ? view.game.id : null;
    if (game === this.game) return;
    Object.assign(this, { game, words: [] });
    if (game) this.look(game, TRIES);
  }

  async look(game, tries) {
    const found = await fetched("/api/standing").then((answer) => answer.json()).catch(() => null);
    if (this.game !== game) return;
    if (found?.words && found.game === game) {
      this.words = found.words;
      this.redraw();
    } else if (!found && tries > 1) setTimeout(() => this.look(game, tries - 1), AGAIN_MS); // The table did not answer.
  }

  // The part of the end's card; nothing where the game does not count, or more than two sides have met.
  box() {
    return this.words.length ? element("ul", { class: "series hint" }, ...this.words.map((words) => element("li", {}, words))) : null;
  }
}
