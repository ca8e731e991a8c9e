// Whether this page has been at the table of a game: a seated phone is led there once after the start, and may then
// look into the lobby at any time.
const PLACE = "lodestone-visited";

export function visited(game) {
  try {
    return sessionStorage.getItem(PLACE) === game;
  } catch {
    return true; // Better nobody is led there than one who wants to be elsewhere again and again.
  }
}

export function visit(game) {
  try {
    if (sessionStorage.getItem(PLACE) !== game) sessionStorage.setItem(PLACE, game);
  } catch {
    // Without it nobody is led anywhere.
  }
}
