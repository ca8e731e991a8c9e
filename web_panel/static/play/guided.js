// A first game in which hints come by themselves, on this phone alone.
import { keep, recall } from "../shared/kept.js";

const PLACE = "lodestone-guided";

export const guided = (view) => recall(PLACE) === view.game.id;
export const guide = (view, on) => keep(PLACE, on ? view.game.id : null);
