// The end of a game on a phone: the numbers, how it went, and one tap to play again.
import { added } from "../shared/added.js";
import { postButton } from "../shared/controls.js";
import { element, hintLine } from "../shared/elements.js";
import { crown, decided, rolesOf, scoreCurve, scores, scoreTable } from "../shared/end.js";
import { closeSheet, list, openSheet } from "../shared/frame.js";
import { icon } from "../shared/icons.js";
import { say } from "../shared/words.js";

/**
 * The card of the end.
 * @param {any} view
 * @param {any} seat This phone's seat, if it has one.
 * @param {() => any[] | null} parts What the sheet about the game shows.
 */
export function endCard(view, seat, parts) {
  const id = encodeURIComponent(view.game.id);
  return element("div", { class: "card result", "data-card": "result" },
    decided(view), scores(view) ?? rolesOf(view), scoreCurve(view),
    seat ? postButton({ id: "again", class: "go" }, say("Play again"), "rematch",
      { game: view.game.id })
      : hintLine(say("Another game? The players start it on their phones.")),
    element("div", { class: "three" },
      element("button", {
        id: "how-it-went", type: "button",
        onclick: () => openSheet(() => {
          const about = parts();
          if (!about) return null; // The next game has begun.
          return { title: say("How it went"), parts: about, back: [say("Back"), closeSheet] };
        }),
      }, icon("curve"), say("How it went")),
      element("a", { class: "button", id: "replay", href: `/replay/${id}` }, icon("replay"), say("Watch again")),
      ...added("end-button", view)));
}

/**
 * What the sheet about a finished game shows; null where none has finished.
 * @param {any} view
 * @param {{series: any[], went: any[], board: any}} known
 */
export function aboutGame(view, { series, went, board }) {
  if (!view.result) return null;
  const id = encodeURIComponent(view.game.id);
  return [...series, ...went, scoreTable(view), list("keep",
    ...added("share-line", view, board),
    element("a", { id: "record", href: `/api/records/${id}.jsonl`, download: `${view.game.id}.jsonl` }, icon("down"),
      element("span", {}, say("Download the record"))),
    ...added("end-record", view), ...added("end-line"))];
}

/** Whether others than a seat have won. */
export const hasLost = (view, seat) => view.result.winners.length > 0 && !view.result.winners.includes(seat.seat);

/** The crown above who has won; not on the phone of who has lost. */
export function showCrown(head, view, seat) {
  const won = Boolean(view.result?.winners.length) && !view.lesson && !(seat && hasLost(view, seat));
  const there = head.querySelector(".crown");
  if (won && !there) head.append(crown());
  if (!won) there?.remove();
}
