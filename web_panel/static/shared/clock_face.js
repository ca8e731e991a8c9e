// What a clock shows, and what is said of it: from what stood and the time that has passed since.
import { element } from "./live.js";
import { say, sayMany } from "./words.js";

export const LAST_S = 10; // So many seconds are told one by one.
const MINUTE_MS = 60000;

// What stands on a seat's clock at a time of the table.
export function standing(clocks, seat, at) {
  const one = clocks.seats.find((clock) => clock.seat === seat);
  const passed = one.runs ? Math.max(0, at - clocks.at) : 0;
  const left = one.left === null ? null : one.left - Math.max(0, passed - one.delay);
  return { left: clocks.strict && left < 0 ? 0 : left, used: one.used + passed, runs: one.runs, free: one.runs && passed < one.delay };
}

// 9:05, 1:02:00, with a minus sign where a gentle clock has run on; what remains is rounded up, what is over down.
export function face(milliseconds) {
  const seconds = milliseconds > 0 ? Math.ceil(milliseconds / 1000) : Math.floor(-milliseconds / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return `${milliseconds <= -1000 ? "−" : ""}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}`;
}

// What is said when so much was left a moment ago and so much now: whole minutes, and the last ten seconds.
export function spoken(then, left) {
  const passed = (mark) => then > mark && left <= mark;
  for (let second = 1; second <= LAST_S; second += 1) {
    if (passed(second * 1000)) return second === LAST_S ? say("{count} seconds left", { count: second }) : `${second}`;
  }
  const minute = Math.ceil(left / MINUTE_MS);
  return minute > 0 && passed(minute * MINUTE_MS) ? sayMany("One minute left", "{count} minutes left", minute) : "";
}

// The clock of a seat; it goes on by itself.
export function clockOf({ clocks }, seat) {
  if (!clocks || !clocks.seats.some((one) => one.seat === seat)) return null;
  return element("span", { class: "clock", role: "timer", "data-clock": seat }, "");
}
