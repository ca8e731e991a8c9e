// The score, turn by turn, as far as this screen has seen it, also before a reload.
import { keep, recallJson } from "../shared/kept.js";
import { seatHue } from "../shared/lamps.js";
import { svg } from "../shared/pieces.js";
import { say } from "../shared/words.js";

const KEY = "lodestone-curve";
const [WIDE, HIGH] = [320, 96];
const LEAST = 3; // Minimum number of turns for a curve.

function kept(game) {
  const found = recallJson(KEY, true);
  return found?.game === game ? found.turns : {};
}

export class Curve {
  constructor() {
    this.game = null;
    this.turns = {}; // Turn → scores, in the order of the lines.
  }

  note(view) {
    if (this.game !== view.game.id) Object.assign(this, { game: view.game.id, turns: kept(view.game.id) });
    const lines = view.result?.lines ?? view.standing;
    if (!lines?.length || !view.turn) return;
    for (const turn of Object.keys(this.turns)) if (Number(turn) > view.turn) delete this.turns[turn]; // They were taken back.
    this.turns[view.turn] = lines.map((line) => line.score);
    keep(KEY, JSON.stringify({ game: this.game, turns: this.turns }), true);
  }

  // The drawing; null if too few turns were seen, or all scores are 0.
  drawn(view) {
    const turns = Object.keys(this.turns).map(Number).sort((one, other) => one - other);
    const scores = turns.map((turn) => this.turns[turn]);
    const most = Math.max(...scores.flat(), 0);
    if (turns.length < LEAST || !most) return null;
    const x = (turn) => 14 + ((turn - turns[0]) / (turns.at(-1) - turns[0])) * (WIDE - 40);
    const y = (score) => HIGH - 16 - (score / most) * (HIGH - 28);
    const lines = view.result.lines.map((line, at) => {
      const steps = turns.map((turn, i) => (i ? `H${x(turn)}V${y(scores[i][at])}` : `M${x(turn)} ${y(scores[i][at])}`)).join("");
      const hue = seatHue(view, line.seats[0]);
      return [svg("path", { d: steps, class: `curve-line ${hue}`, "stroke-dasharray": at ? `${8 - at} ${3 + at}` : "none" }),
        svg("circle", { cx: x(turns.at(-1)), cy: y(line.score), r: 4.5, class: `curve-end ${hue}` }),
        text(x(turns.at(-1)) + 9, y(line.score) + 4, line.seats.join("+"))];
    });
    return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img", "aria-label": say("How the score went, turn by turn") },
      svg("path", { d: `M14 ${y(0)}H${WIDE - 26}`, class: "curve-axis" }), ...lines.flat(),
      text(14, HIGH - 3, say("turn {turn}", { turn: turns[0] })), text(WIDE - 60, HIGH - 3, say("turn {turn}", { turn: turns.at(-1) })));
  }
}

function text(x, y, words) {
  const node = svg("text", { x, y });
  node.textContent = words;
  return node;
}
