// `lodestone replay`: the server holds the moment, all screens show the same one and send their commands to the server.
import { attempt, connect, post } from "../shared/live.js";

export function follow(show) {
  connect(show);
  return { order: (body) => attempt(() => post("replay", body)) };
}
