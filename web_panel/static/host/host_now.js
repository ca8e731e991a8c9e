// The state of the table, the host's main buttons, and phones that ask for a seat.
import { dot } from "../lobby/lobby_seats.js";
import { askButton, button, postButton } from "../shared/controls.js";
import { element, hintLine, row } from "../shared/elements.js";
import { once, post, seatOf } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { say, sayMany } from "../shared/words.js";

export const start = once(() => post("host/start"));

export const isPlaying = (view) => !["lobby", "over"].includes(view.phase);

export function nowCard(view) {
  if (view.lesson) return lessonNow(view);
  const { game, turn } = view;
  const trouble = view.standstill && view.standstill !== view.message ? view.standstill : "";
  const pause = !view.paused && isPlaying(view)
    && postButton({ id: "pause", class: "big" }, say("Pause"), "host/pause");
  const back = view.phase !== "lobby" && askButton(
    { id: "take-back", class: "big", why: view.cannot["take-back"] }, say("Take the last step back"),
    say("Take the last step back? The lights lead the pieces back."), () => post("host/take-back"));
  const voiding = view.phase === "revealing" && askButton({ id: "void", class: "big" }, say("Void this turn"),
    say("Void this turn? Nothing of what was sealed is shown, and all seal again."), () => post("host/void"));
  return section("now", turn ? say("{game}, turn {turn}", { game: game.title, turn }) : game.title,
    view.phase === "lobby" && game.aim && element("p", {}, game.aim),
    trouble && element("p", { class: "notice error" }, trouble),
    view.problem?.fault && view.phase !== "setup" && view.problem.text !== view.message
      && element("p", { class: "notice error" }, view.problem.text),
    (pause || back) && row(pause, back, voiding));
}

// The host's most likely next action: this button is always visible.
export function primary(view, toGames) {
  const look = { class: "primary big" };
  const missing = view.seats.filter((seat) => !seat.taken).length;
  if (view.paused) return postButton({ id: "continue", ...look }, say("Go on"), "host/continue");
  if (view.phase === "over") return button({ id: "another", ...look }, say("Another game"), toGames);
  if (view.phase !== "lobby") {
    return element("a", { class: "button primary big", href: "/play" },
      view.you ? say("To my seat") : say("Watch the game"));
  }
  return element("button", { id: "start", ...look, onclick: start,
    why: missing && sayMany("One seat is free.", "{count} seats are free.", missing) }, say("Start the game"));
}

// A lesson and a puzzle have buttons of their own; the host may end them from here as well.
function lessonNow({ lesson, message, you }) {
  const [title, stop, watch] = lesson.puzzle
    ? [say("Puzzle: {title}", lesson), say("Stop the puzzle"), say("To the puzzle")]
    : [say("A lesson: {title}", lesson), say("Stop the lesson"), say("Watch the lesson")];
  return section("now", title, element("p", { class: "message" }, message),
    row(postButton({ id: "stop-lesson", class: "big" }, stop, "lesson/stop"),
      element("a", { class: "button", href: "/play" }, watch)),
    !you && hintLine(
      say("After you have stopped it, only you begin lessons and puzzles here until a game has begun.")));
}

// The host has stopped somebody's lesson: nobody else begins one now.
export function closedLessons(known, look) {
  if (!known || known.lessons) return null;
  return section("lessons-closed", say("Lessons and puzzles"),
    element("p", {}, say("Until a game has begun only you begin lessons and puzzles at this table.")),
    row(button({ id: "allow-lessons", class: "big" }, say("Allow them to everybody"),
      () => post("host/allow-lessons").then(look))));
}

// The two answers to a request.
function answers(id, path, code) {
  return row(postButton({ id: id("allow"), class: "primary big" }, say("Allow"), `${path}/allow`, { code }),
    postButton({ id: id("refuse"), class: "big" }, say("Refuse"), `${path}/refuse`, { code }));
}

// A guest of the table's own Wi-Fi wishes a network for the table.
export function networkCard(asked) {
  if (!asked) return null;
  const { code, name, hidden, open } = asked;
  return section("network-ask", say("A phone wants the table to join the Wi-Fi {name}", { name }),
    element("p", {}, say("Does the phone that asks show this code?")),
    element("p", { class: "ask-code" }, code),
    open && element("p", { class: "notice" },
      say("It has no password: the table joins any network of this name, whoever has opened it.")),
    hidden && !open && element("p", { class: "notice" },
      say("It is hidden: the table calls for it by its name wherever it is.")),
    answers((what) => `network-${what}`, "network", code),
    hintLine(say("If you allow it, the table leaves its own Wi-Fi and joins this one by itself from now on. All phones have to join {name}, too.", { name })));
}

// Another phone asks for a player's seat: only people in the room can see who holds that phone.
export function askCards(view) {
  return (view.asks ?? []).map(({ seat, code, name }) => {
    const held = seatOf(view, seat);
    return section(`ask-${code}`, say("Another phone asks for {name}'s seat", { name }),
      element("p", {}, held && dot(held), " ", say("Does the phone that {name} holds show this code?", { name })),
      element("p", { class: "ask-code" }, code),
      hintLine(held?.computer ? say("If you allow it, the computer no longer plays there.")
        : say("If you allow it, the phone that has the seat now can only watch.")),
      answers((what) => `${what}-${code}`, "host", code));
  });
}
