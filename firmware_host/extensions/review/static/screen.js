// On the big screen: instead of the curve of the scores.
import { add } from "/static/shared/added.js";
import { loadStyle, Review } from "./review.js";

const review = new Review();
loadStyle(); // What the screen has room for is measured once it is drawn.

add("how-it-went", (view, redraw) => {
  review.follow(view, redraw);
  return review.box(view, { quiet: true });
});
