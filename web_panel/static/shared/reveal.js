// The reveal: once all seals are open, phones and the big screen count down together, and then show their content. The
// delay is only for effect: the board shows the content already, and nobody can know it before the last opening.
import { element, svg } from "./elements.js";
import { moves } from "./motion.js";

const FROM = 3;
const STEP_MS = 900;
const ROUND = 327; // Length of the counter's ring.
const BEFORE = ["sealing", "revealing"]; // Phases in which seals are still closed.

// Whether the seals of this turn have just been opened, and not become void or been replaced by another game.
function sealsOpened(last, view) {
  return BEFORE.includes(last.phase) && goesOn(view) && last.game.id === view.game.id && last.turn === view.turn;
}

function goesOn(view) {
  return !BEFORE.includes(view.phase) && view.phase !== "lobby" && !view.lesson && !view.standstill && !view.paused;
}

export class Reveal {
  /**
   * @param {HTMLElement} host The place of the count.
   * @param {(view: any) => void} show Shows the table.
   * @param {(sealed: any) => any[]} about What stands above the count.
   */
  constructor(host, show, about = () => []) {
    this.host = host;
    this.show = show;
    this.about = about;
    this.ring = svg("circle", { cx: 60, cy: 60, r: 52, class: "left" });
    this.number = element("b", { role: "timer" });
    this.last = null;
    this.timer = 0;
    this.counting = false;
    // Nobody has to wait: a tap or a key shows it at once.
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => this.counting && this.end());
  }

  take(view) {
    const last = this.last;
    this.last = view;
    if (this.counting) return goesOn(view) && last.game.id === view.game.id ? undefined : this.end();
    if (last && sealsOpened(last, view) && moves() && document.visibilityState === "visible") return this.begin(last);
    return this.show(view);
  }

  begin(sealed) {
    this.counting = true;
    document.body.classList.add("counting");
    this.host.hidden = false;
    this.host.replaceChildren(...this.about(sealed), element("div", { class: "counter" },
      svg("svg", { viewBox: "0 0 120 120", "aria-hidden": "true" }, svg("circle", { cx: 60, cy: 60, r: 52 }),
        this.ring), this.number));
    this.count(FROM);
  }

  count(left) {
    if (left === 0) return this.end();
    this.number.textContent = left;
    this.ring.style.strokeDashoffset = `${ROUND * (1 - left / FROM)}`;
    document.body.dataset.left = left;
    this.timer = setTimeout(() => this.count(left - 1), STEP_MS);
    return undefined;
  }

  end() {
    clearTimeout(this.timer);
    this.counting = false;
    document.body.classList.remove("counting");
    delete document.body.dataset.left;
    this.host.hidden = true;
    this.host.replaceChildren();
    this.show(this.last);
  }
}
