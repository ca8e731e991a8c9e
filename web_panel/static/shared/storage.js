// What this browser keeps by name: for the device, or for its tab only. A browser without room or permission keeps
// nothing.

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

export function recallJson(name, tab = false) {
  try {
    return JSON.parse(recall(name, tab) ?? "null");
  } catch {
    return null;
  }
}
