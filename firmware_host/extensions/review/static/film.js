// On the page of a replay: a list that opens, below what is known of the moment.
import { add } from "/static/shared/added.js";
import { element, firstOf, renew } from "/static/shared/elements.js";
import { say } from "/static/shared/words.js";
import { Review } from "./review.js";

const inside = element("div");
const list = element("details", { id: "review", class: "review", hidden: true, "data-card": "review" },
  element("summary", {}, say("Review")), inside);
let order;
const review = new Review({ see: (moment) => order({ do: "to", moment }), older: Boolean(firstOf("main").dataset.record) });

add("film", (view, give) => {
  order = give;
  const draw = () => {
    const box = review.box(view);
    list.hidden = !box;
    if (box) renew(inside, [box]);
  };
  review.follow({ result: true, game: view.game }, draw, Boolean(view.reviews));
  draw();
  return list;
});
