// The options after a game: replay, download of the record, the book, a picture.
import { element } from "./live.js";
import { say } from "./words.js";

export function keepBox(view, picture) {
  const id = encodeURIComponent(view.game.id);
  return element("div", { class: "row keep" },
    element("a", { class: "button", id: "replay", href: `/replay/${id}` }, say("Look at it again")),
    element("a", { class: "button", id: "record", href: `/api/records/${id}.jsonl`, download: `${view.game.id}.jsonl` }, say("Download the record")),
    element("a", { class: "button", id: "book", href: "/book" }, say("The standings and the book")),
    picture && element("button", { id: "picture", onclick: picture }, say("Keep a picture")));
}
