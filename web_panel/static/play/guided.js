// A first game in which hints come by themselves, on this phone alone.
const PLACE = "lodestone-guided";

export function guided(view) {
  try {
    return localStorage.getItem(PLACE) === view.game.id;
  } catch {
    return false;
  }
}

export function guide(view, on) {
  try {
    if (on) localStorage.setItem(PLACE, view.game.id);
    else localStorage.removeItem(PLACE);
  } catch {
    // A browser that keeps nothing: there is the button in the game.
  }
}
