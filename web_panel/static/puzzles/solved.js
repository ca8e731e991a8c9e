// The puzzles solved on this device, stored on it only.
import { keep, recallJson } from "../shared/kept.js";

const KEY = "lodestone-puzzles";
const DAY_MS = 86400000;

function kept() {
  const { solved = {}, days = [] } = recallJson(KEY) ?? {};
  return { solved, days };
}

export function isSolved(game, id) {
  return Boolean(kept().solved[game]?.includes(id));
}

// Note a solved puzzle; `day` (2026-11-22) if it was the puzzle of that day, else null.
export function solve(game, id, day) {
  const { solved, days } = kept();
  solved[game] = [...new Set([...solved[game] ?? [], id])];
  const all = day ? [...new Set([...days, day])].sort() : days;
  keep(KEY, JSON.stringify({ solved, days: all }));
}

// The number of days in a row, up to this or the previous one, on which the puzzle of the day was solved.
export function streak(day) {
  const days = new Set(kept().days);
  const before = (one) => new Date(Date.parse(one) - DAY_MS).toISOString().slice(0, 10);
  let at = days.has(day) ? day : before(day);
  let count = 0;
  for (; days.has(at); at = before(at)) count += 1;
  return count;
}

// Seconds as people say them: 0:07, 12:30.
export function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
