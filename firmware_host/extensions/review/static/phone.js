// On phones: in the sheet about a game that is over.
import { add } from "/static/shared/added.js";
import { Review } from "./review.js";

const review = new Review();

add("how-it-went", (view, redraw) => {
  review.follow(view, redraw);
  return review.box(view);
});
