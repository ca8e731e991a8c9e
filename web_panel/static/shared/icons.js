// Icons of buttons and lines: one path each, in the colour of the text beside them.
import { svg } from "./elements.js";

/** @type {Record<string, string>} */
const PATHS = {
  bulb: "M9 18h6M10 21h4M8.6 15C6.9 13.8 6 12 6 10a6 6 0 0 1 12 0c0 2-.9 3.8-2.6 5v1H8.6z",
  help: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.5 9.6a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1.1.9-1.1 1.8M12 16.9v.2",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM9 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  menu: "M5 7h14M5 12h14M5 17h14",
  undo: "M9 6 4 11l5 5M4 11h9a6 6 0 0 1 6 6v1",
  play: "M8 5v14l11-7z",
  seal: "M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M8.6 8.5V12a3.4 3.4 0 0 0 6.8 0V8.5",
  replay: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4v4.5H9",
  pause: "M8.5 5v14M15.5 5v14",
  seats:
    "M5.2 8.5a3.3 3.3 0 1 0 6.6 0a3.3 3.3 0 1 0-6.6 0M2.5 19.5c0-3.6 2.6-5.6 6-5.6s6 2 6 5.6M14.5 9.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M17.3 14.4c2.5.2 4.2 1.8 4.2 4.4",
  board: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 3v18M3 12h18",
  clock: "M3.5 12.5a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M12 7.5v5l3.4 2",
  phone: "M7 2.8h10v18.4h-10zM11 18h2",
  screen: "M3 5h18v11.5H3zM9 20h6",
  book: "M5 4h11a2.5 2.5 0 0 1 2.5 2.5V20H7.5A2.5 2.5 0 0 1 5 17.5zM5 17.5A2.5 2.5 0 0 1 7.5 15h11",
  right: "M9 5.5 15.5 12 9 18.5",
  left: "M15 5.5 8.5 12 15 18.5",
  down: "M5.5 9 12 15.5 18.5 9",
  sound: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11",
  flag: "M6 21V4M6 4.5h11l-2.5 4 2.5 4H6",
  clockwise: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M17.6 2.8v4h-4",
  counterclockwise: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M6.4 2.8v4h4",
  qr: "M4 4h6v6h-6zM14 4h6v6h-6zM4 14h6v6h-6zM14 14h2v2h-2zM19 14h1M14 19.5h1M18.5 18.5h1.5v1.5h-1.5z",
  curve: "M3.5 19.5h17M4.5 16l5-4 4 1.5 6-8",
  even: "M5 9.5h14M5 14.5h14",
  speech: "M4 5h16v11h-9l-4.5 4v-4H4z",
  names: "M4 18 8.5 6h1L14 18M5.6 14h6.8M16.5 18v-7.5M20 13.5c0-2-1.4-3-3.2-3",
};

/** @param {string} name */
export const icon = (name) => iconOf(PATHS[name]);

/** An icon of a page's own. @param {string} path */
export function iconOf(path) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}
