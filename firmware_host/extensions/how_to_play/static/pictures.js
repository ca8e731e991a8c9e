// A sheet's pictures.
import { Board } from "/static/shared/board.js";

// Draw the pictures of a sheet into #picture-1 and so on of its page, each as near as what it is about.
export function drawPictures({ pictures, layout, pieces, tints }, page) {
  pictures.forEach((picture, at) => {
    const board = new Board(page.querySelector(`#picture-${at + 1}`));
    board.show({ pieces, tints, ...picture, layout: picture.layout ?? layout });
    comeNear(board.drawing, picture);
  });
}

const AROUND = 1.6; // Distances of neighbours that are seen round what a picture is about.
const LEAST = 4; // The least width and height of what is seen.

function comeNear({ root, places, unit }, { board, lights, arrows }) {
  const nodes = new Set([...Object.keys(board).filter((node) => board[node].length), ...Object.keys(lights),
    ...arrows.flatMap((arrow) => arrow.nodes)]);
  const seen = [...nodes].map((node) => places[node]).filter(Boolean);
  if (!seen.length) return;
  const [left, top, width, height] = root.getAttribute("viewBox").split(" ").map(Number);
  const span = (values, from, size) => {
    const [least, most] = [Math.min(...values) - AROUND * unit, Math.max(...values) + AROUND * unit];
    const more = Math.max(0, LEAST * unit - (most - least)) / 2;
    const begin = Math.max(from, least - more);
    return [begin, Math.min(from + size, most + more) - begin];
  };
  const [x, wide] = span(seen.map((place) => place.x), left, width);
  const [y, high] = span(seen.map((place) => place.y), top, height);
  root.setAttribute("viewBox", [x, y, wide, high].map(Math.round).join(" "));
}
