// What can be done with a game that is over: look at it again, keep its record, keep a picture.
import { element } from "./live.js";
import { say } from "./words.js";

export function keepBox(view, picture) {
  const id = encodeURIComponent(view.game.id);
  return element("div", { class: "row keep" },
    element("a", { class: "button", id: "replay", href: `/replay/${id}` }, say("Look at it again")),
    element("a", { class: "button", id: "record", href: `/api/records/${id}.jsonl`, download: `${view.game.id}.jsonl` }, say("Download the record")),
    picture && element("button", { id: "picture", onclick: picture }, say("Keep a picture")));
}
