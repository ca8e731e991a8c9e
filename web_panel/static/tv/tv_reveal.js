// The reveal: once all seals are open the big screen counts down, and then shows their content. The delay is only for
// effect: phones and the board show the content already, and nobody can know it before the last opening.
import { element } from "../shared/live.js";
import { moves } from "../shared/motion.js";
import { wax } from "../shared/wax.js";
import { say } from "../shared/words.js";

const FROM = 3;
const STEP_MS = 900;
const BEFORE = ["sealing", "revealing"]; // Phases in which seals are still closed.

export class Reveal {
  // `host` is the element of the count; show(view) shows the table.
  constructor(host, show) {
    this.host = host;
    this.show = show;
    this.last = null;
    this.counting = false;
  }

  take(view) {
    const last = this.last;
    this.last = view;
    if (this.counting) return;
    if (last && opened(last, view) && moves() && document.visibilityState === "visible") this.count(last, FROM);
    else this.show(view);
  }

  count(sealed, left) {
    this.counting = left > 0;
    this.host.hidden = !this.counting;
    document.body.classList.toggle("counting", this.counting);
    if (!this.counting) {
      this.host.replaceChildren();
      return this.show(this.last);
    }
    if (left === FROM) this.host.replaceChildren(element("h2", {}, say("All have sealed")), seals(sealed), element("b", { class: "count", role: "timer" }));
    this.host.lastElementChild.textContent = left;
    this.host.dataset.left = left;
    return setTimeout(() => this.count(sealed, left - 1), STEP_MS);
  }
}

function seals(view) {
  return element("div", { class: "seals" }, ...view.seats.filter((seat) => seat.sealed).map((seat) => element("figure", {}, wax(view, seat), element("figcaption", {}, seat.name))));
}

// Whether the seals of this turn have just been opened, and not become void or been replaced by another game.
function opened(last, view) {
  return last.phase === "revealing" && !BEFORE.includes(view.phase) && view.phase !== "lobby" && last.game.id === view.game.id && !view.paused && !view.held;
}
