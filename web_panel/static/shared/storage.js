// What this browser keeps by name: for the device, or for its tab only. A browser without room or permission keeps
// nothing.
import { say } from "./words.js";

// Whether this browser tab has been at the table of a game: a seated phone is sent there once after the start, and may
// visit the lobby at any time afterwards.

const PLACE = "lodestone-visited";

export function hasVisited(game) {
  try {
    return sessionStorage.getItem(PLACE) === game;
  } catch {
    return true; // No storage: rather never send a phone to the table than again and again.
  }
}

export function visit(game) {
  try {
    if (sessionStorage.getItem(PLACE) !== game) sessionStorage.setItem(PLACE, game);
  } catch {
    // No storage: see above.
  }
}

const storage = (tab) => (tab ? sessionStorage : localStorage);

export function recall(name, tab = false) {
  try {
    return storage(tab).getItem(name);
  } catch {
    return null;
  }
}

// Keep a text; null forgets it.
export function keep(name, text, tab = false) {
  try {
    if (text === null) storage(tab).removeItem(name);
    else storage(tab).setItem(name, text);
  } catch {
    // Nothing is kept.
  }
}

// The names of all that is kept for the device.
export function keptNames() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

// Keep a text; return whether it can be read again.
export function keepSurely(name, text) {
  keep(name, text);
  return recall(name) === text;
}

const TRIAL = "lodestone-trial";

// The table knows a phone again by a cookie. Throw a sentence for people before one is given in vain.
export function requireCookies() {
  document.cookie = `${TRIAL}=1; path=/; SameSite=Strict`;
  const taken = document.cookie.includes(TRIAL);
  document.cookie = `${TRIAL}=; path=/; SameSite=Strict; max-age=0`;
  if (!taken) refuse();
}

// A seat also needs a place where seals wait until they are opened.
export function requireStorage() {
  requireCookies();
  if (!keepSurely(TRIAL, "1")) refuse();
  keep(TRIAL, null);
}

function refuse() {
  throw new Error(say("This browser keeps nothing for this site, so the table would not know it again. Allow cookies and site data (a private window may forbid them), or use another browser."));
}

export function recallJson(name, tab = false) {
  try {
    return JSON.parse(recall(name, tab) ?? "null");
  } catch {
    return null;
  }
}
