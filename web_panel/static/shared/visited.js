// Whether this browser tab has been at the table of a game: a seated phone is sent there once after the start, and may
// visit the lobby at any time afterwards.
const PLACE = "lodestone-visited";

export function visited(game) {
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
