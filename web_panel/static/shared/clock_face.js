// Reading and text of a clock, computed from the last view and the time since.
import { element } from "./elements.js";
import { say, sayMany } from "./words.js";

export const LAST_S = 10; // The last seconds, which are announced one by one.
const MINUTE_MS = 60000;

// A seat's clock at a time of the table; all times in milliseconds.
export function standing(clocks, seat, at) {
  const one = clocks.seats.find((clock) => clock.seat === seat);
  const passed = one.runs ? Math.max(0, at - clocks.at) : 0;
  const left = one.left === null ? null : one.left - Math.max(0, passed - one.delay);
  return { left: clocks.strict && left !== null && left < 0 ? 0 : left, used: one.used + passed, runs: one.runs,
    free: one.runs && passed < one.delay };
}

// 9:05 or 1:02:00, with a minus sign after the end of time; remaining time is rounded up, exceeded time down.
export function face(milliseconds) {
  const seconds = milliseconds > 0 ? Math.ceil(milliseconds / 1000) : Math.floor(-milliseconds / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return `${milliseconds <= -1000 ? "−" : ""}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}`;
}

// The announcement for a clock that has gone from `then` to `left`: at whole minutes and the last ten seconds, else "".
export function spoken(then, left) {
  const passed = (mark) => then > mark && left <= mark;
  for (let second = 1; second <= LAST_S; second += 1) {
    if (passed(second * 1000)) return second === LAST_S ? say("{count} seconds left", { count: second }) : `${second}`;
  }
  const minute = Math.ceil(left / MINUTE_MS);
  return minute > 0 && passed(minute * MINUTE_MS) ? sayMany("One minute left", "{count} minutes left", minute) : "";
}

// An element with a seat's clock, updated by clocks.js.
export function clockOf({ clocks }, seat) {
  if (!clocks || !clocks.seats.some((one) => one.seat === seat)) return null;
  return element("span", { class: "clock", role: "timer", "data-clock": seat }, "");
}
