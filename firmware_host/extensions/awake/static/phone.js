// A phone stays on while its player is the one to choose or to act.
import { stayAwake } from "./awake.js";
import { add } from "/static/shared/added.js";
import { mySeat } from "/static/shared/live.js";

function isDue(view) {
  const seat = mySeat(view);
  if (view.phase === "sealing") {
    return seat && !seat.sealed && !seat.resigned && !seat.computer && !view.lesson?.done;
  }
  return view.phase === "resolving" && seat && view.resolver === seat.seat && !view.standstill;
}

add("view", (view) => { stayAwake(Boolean(isDue(view))); });
