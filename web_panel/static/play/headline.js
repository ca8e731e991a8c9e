// What happens now: a headline of at most four words, and one sentence.
import { lays } from "../shared/laying.js";
import { layingOf } from "../shared/lines.js";
import { tint } from "../shared/pieces.js";
import { names } from "../shared/parts.js";
import { afterLead } from "../shared/steps.js";
import { say, sayMany } from "../shared/words.js";

const LAY = { white: say("Lay a white stone"), black: say("Lay a black stone") };

/**
 * @param {any} view
 * @param {any} seat This phone's seat.
 * @param {any} picked What is picked on this phone: `choosing`, `colour`, `node`, `source`, `well`; `elsewhere`:
 *   another phone has the seal.
 * @returns {any} `headline`, `sentence`; `alarm`: something is wrong; `mine`: this phone is to act; `verdict`: of a
 *   lesson on the last try, "right" or "wrong".
 */
export function headlineOf(view, seat, picked = {}) {
  const message = view.own_messages[seat?.seat] ?? view.message;
  const tell = (headline, sentence = message) => ({ headline, sentence: rest(sentence, headline, seat, view) });
  if (view.standstill) return { ...tell(say("Play stands still"), view.message), alarm: true };
  if (view.paused) return tell(say("Paused"), view.message);
  if (view.problem?.fault && view.phase !== "setup") {
    return { ...tell(say("Put the board right"), view.problem.text), alarm: true };
  }
  if (view.lesson) return lessonHead(view);
  if (view.phase === "resolving") return acting(view, seat, picked, tell);
  if (view.phase === "sealing" && picked.choosing) {
    return { ...tell(say("Choose in secret"), choosingWords(view, picked)), mine: true };
  }
  return phases[view.phase]?.(view, seat, tell, picked) ?? tell(say("At the table"));
}

// The task stands where the answer will stand; what hands do meanwhile is told in the sentence.
function lessonHead({ lesson, message }) {
  // The next task, beside what was right.
  if (lesson.right && !lesson.done) return { headline: lesson.task, sentence: lesson.said, mine: true };
  if (!lesson.said) return { headline: lesson.task, sentence: message, mine: true };
  const sentence = rest(lesson.said, say("Right"), null, {});
  return lesson.right ? { headline: say("Right!"), sentence, verdict: "right" }
    : { headline: say("Not this way"), sentence: lesson.said, verdict: "wrong", mine: true };
}

const phases = {
  setup: (_view, _seat, tell) => tell(say("Set the board up")),
  sealing: (view, seat, tell, { elsewhere }) => {
    const open = view.seats.filter((one) => !one.sealed && !one.resigned).map((one) => one.seat);
    return tell(elsewhere ? say("Your seal is elsewhere") : seat?.sealed ? say("Sealed") : say("All choose in secret"),
      open.length ? say("Waiting for {names}.", { names: names(view, open) }) : view.message);
  },
  revealing: (_view, _seat, tell) => tell(say("All have sealed")),
  placing: (view, _seat, tell) => {
    const puts = view.tasks.filter((task) => task.do === "put").length;
    return tell(say("Revealed!"), puts && puts === view.tasks.length
      ? sayMany("Put the stone where the light is.", "Put {count} stones where the lights are.", puts) : view.message);
  },
  clearing: (view, _seat, tell) => tell(Object.values(view.lights).some(({ meaning }) => meaning === "loop")
    ? say("An endless loop") : say("Take these pieces off")),
  over: (view, seat, tell) => {
    const { winners, words } = view.result;
    if (seat && winners.includes(seat.seat)) return tell(say("You win"), words);
    const well = seat && winners.length ? say("Well played. {words}", { words }) : words;
    return tell(winners.length ? sayMany("{names} wins", "{names} win", winners.length,
      { names: names(view, winners) }) : say("A draw"), well);
  },
};

function acting(view, seat, { source, well }, tell) {
  if (!seat || view.resolver !== seat.seat) {
    return tell(say("{name}'s turn", { name: names(view, [view.resolver]) }));
  }
  const own = (...words) => ({ ...tell(...words), mine: true });
  if (view.question) {
    if (view.question.choices.every((one) => layingOf(one.action))) return own(say("How is the tile turned?"));
    return own(view.question.choices.length > 1 ? say("What was done?") : say("Is this done?"));
  }
  if (lays(view)) {
    const tile = view.supply.piece;
    return well ? own(say("Turn tile {tile}", { tile }), say("The lights show where the tile leads."))
      : own(say("Lay tile {tile}", { tile }));
  }
  const moved = view.steps.filter((step) => step.moves.length);
  const [from, to] = ["null", "node"].map((kind) =>
    moved.length > 0 && moved.every(({ moves }) => moves.every(([start]) => (start === null) === (kind === "null"))));
  const headline = from && seat.plays && LAY[tint(seat.plays, view)] || (to ? say("Your move") : say("Your turn"));
  return source ? own(headline, say("{node} may go to any lit place.", { node: source })) : own(headline);
}

function choosingWords(view, { colour, node }) {
  const last = view.seats.every((one) => one.sealed || one.resigned || one.seat === view.you.seat);
  const words = !colour ? say("First a colour, then a node.") : !node ? say("Now tap a node.")
    : say("It stays on this phone until all have sealed.");
  return last && view.seats.length > 1 ? `${words} ${say("All others have sealed.")}` : words;
}

// A sentence without what stands in the headline already, or in the bar: who acts, this phone's own name.
function rest(sentence, headline, seat, view) {
  const acts = view.phase === "resolving" && view.seats.find((one) => one.seat === view.resolver);
  const known = [headline, seat?.name, acts?.name].filter(Boolean);
  return known.map((lead) => afterLead(sentence, lead)).find(Boolean) ?? sentence;
}
