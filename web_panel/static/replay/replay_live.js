// `lodestone replay`: the table's computer holds the moment, all screens show the same one, orders go there.
import { attempt, connect, post } from "../shared/live.js";

export function follow(show) {
  connect(show);
  return { order: (body) => attempt(() => post("replay", body)) };
}
