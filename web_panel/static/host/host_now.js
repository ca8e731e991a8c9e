// The state of the table, the host's main buttons, and phones that ask for a seat.
import { dot } from "../lobby/lobby_seats.js";
import { element } from "../shared/elements.js";
import { attempt, once, post } from "../shared/live.js";
import { confirmThen } from "../shared/parts.js";
import { say, sayMany } from "../shared/words.js";

// A card that is labelled by its heading.
export function section(name, title, ...children) {
  return element("section", { class: "card", "data-card": name, "aria-labelledby": `${name}-title` },
    element("h2", { id: `${name}-title` }, title), ...children.flat());
}

export const start = once(() => post("host/start"));

export function nowCard(view) {
  const playing = !["lobby", "over"].includes(view.phase);
  const trouble = view.standstill && view.standstill !== view.message ? view.standstill : "";
  const pause = !view.paused && playing && element("button",
    { id: "pause", class: "big", onclick: () => attempt(() => post("host/pause")) }, say("Pause"));
  const back = view.phase !== "lobby" && element("button",
    { id: "take-back", class: "big", why: view.cannot["take-back"],
    onclick: () => confirmThen(say("Take the last step back? The lights lead the pieces back."),
      () => post("host/take-back")) },
  say("Take the last step back"));
  const voiding = view.phase === "revealing" && element("button", { id: "void", class: "big",
    onclick: () => confirmThen(say("Void this turn? Nothing of what was sealed is shown, and all seal again."),
      () => post("host/void")) },
  say("Void this turn"));
  if (view.lesson) return lessonNow(view);
  return section("now", view.turn ? say("{game}, turn {turn}", { game: view.game.title, turn: view.turn })
    : view.game.title,
    view.phase === "lobby" && view.game.aim && element("p", {}, view.game.aim),
    trouble && element("p", { class: "notice error" }, trouble),
    view.problem?.fault && view.phase !== "setup" && view.problem.text !== view.message
      && element("p", { class: "notice error" }, view.problem.text),
    (pause || back) && element("div", { class: "row" }, pause, back, voiding));
}

// The host's most likely next action: this button is always visible.
export function primary(view, toGames) {
  const missing = view.seats.filter((seat) => !seat.taken).length;
  if (view.paused) {
    return element("button", { id: "continue", class: "primary big",
      onclick: () => attempt(() => post("host/continue")) }, say("Go on"));
  }
  if (view.phase === "over") {
    return element("button", { id: "another", class: "primary big", onclick: toGames }, say("Another game"));
  }
  if (view.phase !== "lobby") {
    return element("a", { class: "button primary big", href: "/play" },
      view.you ? say("To my seat") : say("Watch the game"));
  }
  return element("button", { id: "start", class: "primary big", onclick: start,
    why: missing && sayMany("One seat is free.", "{count} seats are free.", missing) }, say("Start the game"));
}

// A lesson and a puzzle have buttons of their own; the host may end them from here as well.
function lessonNow({ lesson, message, you }) {
  const [title, stop, watch] = lesson.puzzle ? [say("Puzzle: {title}", lesson), say("Stop the puzzle"),
    say("To the puzzle")]
    : [say("A lesson: {title}", lesson), say("Stop the lesson"), say("Watch the lesson")];
  return section("now", title, element("p", { class: "message" }, message),
    element("div", { class: "row" }, element("button",
      { id: "stop-lesson", class: "big", onclick: () => attempt(() => post("lesson/stop")) }, stop),
      element("a", { class: "button", href: "/play" }, watch)),
    !you && element("p", { class: "hint" },
      say("After you have stopped it, only you begin lessons and puzzles here until a game has begun.")));
}

// The host has stopped somebody's lesson: nobody else begins one now.
export function closedLessons(known, look) {
  if (!known || known.lessons) return null;
  return section("lessons-closed", say("Lessons and puzzles"),
    element("p", {}, say("Until a game has begun only you begin lessons and puzzles at this table.")),
    element("div", { class: "row" }, element("button",
      { id: "allow-lessons", class: "big", onclick: () => attempt(() => post("host/allow-lessons").then(look)) },
      say("Allow them to everybody"))));
}

// A guest of the table's own Wi-Fi wishes a network for the table.
export function networkCard(asked) {
  if (!asked) return null;
  const { code, name, hidden, open } = asked;
  const answer = (what) => () => attempt(() => post(`network/${what}`, { code }));
  return section("network-ask", say("A phone wants the table to join the Wi-Fi {name}", { name }),
    element("p", {}, say("Does the phone that asks show this code?")),
    element("p", { class: "ask-code" }, code),
    open && element("p", { class: "notice" },
      say("It has no password: the table joins any network of this name, whoever has opened it.")),
    hidden && !open && element("p", { class: "notice" },
      say("It is hidden: the table calls for it by its name wherever it is.")),
    element("div", { class: "row" },
      element("button", { id: "network-allow", class: "primary big", onclick: answer("allow") }, say("Allow")),
      element("button", { id: "network-refuse", class: "big", onclick: answer("refuse") }, say("Refuse"))),
    element("p", { class: "hint" },
      say("If you allow it, the table leaves its own Wi-Fi and joins this one by itself from now on. All phones have to join {name}, too.", { name })));
}

// Another phone asks for a player's seat: only people in the room can see who holds that phone.
export function askCards(view) {
  return (view.asks ?? []).map(({ seat, code, name }) => {
    const held = view.seats.find((one) => one.seat === seat);
    return section(`ask-${code}`, say("Another phone asks for {name}'s seat", { name }),
      element("p", {}, held && dot(held), " ", say("Does the phone that {name} holds show this code?", { name })),
      element("p", { class: "ask-code" }, code),
      element("p", { class: "hint" }, held?.computer ? say("If you allow it, the computer no longer plays there.")
        : say("If you allow it, the phone that has the seat now can only watch.")),
      element("div", { class: "row" },
        element("button", { id: `allow-${code}`, class: "primary big",
          onclick: () => attempt(() => post("host/allow", { code })) }, say("Allow")),
        element("button", { id: `refuse-${code}`, class: "big",
          onclick: () => attempt(() => post("host/refuse", { code })) }, say("Refuse"))));
  });
}
