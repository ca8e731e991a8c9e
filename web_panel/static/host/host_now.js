// What the host does in a running game, starting one, and phones that ask for a seat.
import { openSeats } from "./host_seats.js";
import { added } from "../shared/added.js";
import { askName, besideBoard, playAlone, seatCode, seatWords } from "../lobby/lobby_seats.js";
import { button, confirmThen, postButton } from "../shared/controls.js";
import { element, hintLine, row } from "../shared/elements.js";
import { closeSheet, disc, openSheet, tileButton } from "../shared/frame.js";
import { attempt, once, post, seatOf } from "../shared/live.js";
import { section } from "../shared/parts.js";
import { lastWords } from "../shared/steps.js";
import { listOf, say, sayIn, sayMany } from "../shared/words.js";

export const isPlaying = (view) => !["lobby", "over"].includes(view.phase);

// -- starting -------------------------------------------------------------------------------------------------------

let missing = []; // Seats that nobody has taken.

const start = once(async () => {
  for (const seat of missing) await post("host/computer", { seat });
  await post("host/start");
});

// The bar's button: it says what it does about seats that nobody has taken, and does it.
export function startButton(view) {
  missing = view.seats.filter((seat) => !seat.taken).map(({ seat }) => seat);
  const kind = missing.length ? "go two" : "go";
  return element("button", { id: "start", class: kind, "data-card": "start", onclick: start }, say("Start"),
    missing.length > 0 && element("small", {}, sayMany("A computer takes seat {seats}",
      "Computers take seats {seats}", missing.length, { seats: listOf(missing) })));
}

const back = () => /** @type {[string, () => void]} */ ([say("Back"), closeSheet]);

// Nobody sits here yet: a game at once, or codes for others. Both are one tap. On a phone neither is the usual one;
// beside a virtual board the codes are on the page already.
function firstButtons(now) {
  const { view, known } = now();
  const [number, free] = Object.entries(known?.tickets ?? {})[0] ?? [];
  const here = besideBoard();
  const play = async (name) => {
    await playAlone(view, { seat: Number(number) }, free.ticket, name);
    location.assign(here ?? "/play");
  };
  return element("div", { class: "both", "data-card": "first" },
    element("button", { id: "play-now", class: "go", why: free ? "" : say("One moment …"),
      onclick: () => (here ? attempt(play) : askName(sayIn("game", "Play"), play, back())) },
    here ? sayMany("Play here against the computer", "Play here against computers", view.seats.length - 1)
      : sayMany("Play now against the computer", "Play now against computers", view.seats.length - 1)),
    element("button", { id: "invite", class: here ? "" : "go", onclick: () => openSheet(() => inviteSheet(now())) },
      say("Invite others")));
}

function inviteSheet({ view, known }) {
  return { title: say("Invite others"), back: back(), parts: [
    hintLine(say("Everybody scans the code of a seat with their own phone.")), ...codesOf({ view, known })] };
}

// The code of each free seat.
function codesOf({ view, known }) {
  const codes = added("code", known ?? {});
  const first = codes.map(({ card, title, parts }) => element("section", { class: "centre",
    "data-card": card }, element("h3", {}, title), ...parts));
  return [...first, ...seatCodes({ view, known })];
}

function seatCodes({ view, known }) {
  return view.seats.filter(({ seat }) => known?.tickets[seat]).map((seat) => element("section", { class: "centre",
    "data-card": seat.seat }, element("h3", {}, seatWords(seat)), seatCode(seat, known.tickets[seat.seat].ticket)));
}

// A wide host's page has room for the codes, and needs no sheet for them.
export function codesCard(now) {
  const wide = matchMedia("(orientation: landscape) and (min-width: 60rem)").matches;
  const codes = wide && seatCodes(now()).length ? codesOf(now()) : [];
  return codes.length > 0 && element("div", { class: "card codes", "data-card": "codes" },
    element("h2", { class: "unseen" }, say("Codes of free seats")),
    hintLine(say("Everybody scans the code of a seat with their own phone.")),
    element("div", { id: "codes", class: "code-row" }, ...codes));
}

const LOOK = { class: "go", "data-card": "primary" };
const goOnButton = (id) => postButton({ id, ...LOOK }, say("Go on"), "host/continue");

// On the page of a game: a paused one goes on by its host alone.
export function goOnCard(view) {
  return view.paused && view.host && !view.result ? goOnButton("go-on") : null;
}

// The host's most likely next action.
export function primary(now, toGames) {
  const { view } = now();
  if (view.phase === "lobby") return view.seats.some((seat) => seat.taken) ? startButton(view) : firstButtons(now);
  if (view.paused) return goOnButton("continue");
  if (view.phase === "over") return button({ id: "another", ...LOOK }, say("Choose the next game"), toGames);
  return element("a", { "data-card": "primary", class: "button go", href: "/play" },
    view.you ? say("To my seat") : say("Watch the game"));
}

// -- a running game ---------------------------------------------------------------------------------------------------

// Close the sheet, then act: what is refused is told on the page.
export function act(path, body = {}) {
  closeSheet();
  attempt(() => post(path, body));
}

// A question about what has been done last.
function asked(question, path) {
  closeSheet();
  confirmThen(question, () => post(path), ({ game, turn, log }) => `${game.id} ${turn} ${log.at(-1)?.n}`);
}

// What only the host does during a game: large buttons of the menu, to which `back` leads, and of the host's page
// (null), whose brass button goes on after a pause. `more` are further parts of the sheet of seats.
export function hostTiles(now, back, ...more) {
  const { view, known } = now();
  const { nodes } = view.layout;
  const none = known?.hardware?.hands === "all"; // Nobody has a board.
  const ignored = Object.keys(view.sensors.masked).length;
  const people = view.seats.filter((seat) => seat.taken && !seat.computer).length;
  const why = view.cannot["take-back"];
  return element("div", { class: "tiles", "data-card": "tiles" },
    isPlaying(view) && (view.paused
      ? back && tileButton("continue", "play", say("Go on"), say("the board is checked"), () => act("host/continue"))
      : tileButton("pause", "pause", say("Pause"), view.clocks ? say("clocks stand still") : say("nothing counts"),
        () => act("host/pause"))),
    tileButton("take-back", "undo", say("Take back"), why || lastWords(view),
      () => asked(say("Take the last step back? The lights lead the pieces back."), "host/take-back"),
      { disabled: Boolean(why), title: why || null }),
    tileButton("seats-tile", "seats", say("Seats"), sayMany("one person", "{count} people", people),
      () => openSeats(now, back, ...more)),
    tileButton("board-tile", "board", none ? say("Hardware") : say("The board"), none ? say("all phones, no board")
      : ignored ? sayMany("one sensor is ignored", "{count} sensors are ignored", ignored)
      : say("all {count} nodes work", { count: Object.keys(nodes).length }),
    () => location.assign("/host?part=hardware")),
    view.phase === "revealing" && tileButton("void", "seal", say("Void this turn"), say("all seal again"),
      () => asked(say("Void this turn? Nothing of what was sealed is shown, and all seal again."), "host/void")));
}

// What the host's page says of a running game, of one that is over, and of a lesson.
export function nowCard(now) {
  const { view } = now();
  if (view.lesson) return lessonNow(view);
  const trouble = [view.standstill, view.problem?.fault && view.phase !== "setup" && view.problem.text]
    .filter((words) => words && words !== view.message);
  return element("section", { "data-card": "now", class: "now", "aria-labelledby": "headline" },
    ...trouble.map((words) => element("p", { class: "notice error" }, words)), hostTiles(now, null));
}

// A lesson and a puzzle have buttons of their own; the host may end them from here as well.
function lessonNow({ lesson, you }) {
  const [title, stop, watch] = lesson.puzzle
    ? [say("Puzzle: {title}", lesson), say("Stop the puzzle"), say("To the puzzle")]
    : [say("A lesson: {title}", lesson), say("Stop the lesson"), say("Watch the lesson")];
  return section("now", title,
    row(postButton({ id: "stop-lesson" }, stop, "lesson/stop"),
      element("a", { class: "button", href: "/play" }, watch)),
    !you && hintLine(
      say("After you have stopped it, only you begin lessons and puzzles here until a game has begun.")));
}

// The host has stopped somebody's lesson: nobody else begins one now.
export function closedLessons(known, look) {
  if (!known || known.lessons) return null;
  return section("lessons-closed", say("Lessons and puzzles"),
    element("p", {}, say("Until a game has begun only you begin lessons and puzzles at this table.")),
    row(button({ id: "allow-lessons" }, say("Allow them for everybody"), () => post("host/allow-lessons").then(look))));
}

// -- phones that ask --------------------------------------------------------------------------------------------------

// The two answers to a request.
export function answers(id, path, code) {
  return row(postButton({ id: id("allow") }, say("Allow"), `${path}/allow`, { code }),
    postButton({ id: id("refuse") }, say("Refuse"), `${path}/refuse`, { code }));
}

// Another phone asks for a player's seat: only people in the room can see who holds that phone.
export function askCards(view) {
  return (view.asks ?? []).map(({ seat, code, name }) => {
    const held = seatOf(view, seat);
    return section(`ask-${code}`, say("Another phone asks for {name}'s seat", { name }),
      element("p", {}, held && disc(held), " ", say("Does the phone that {name} holds show this code?", { name })),
      element("p", { class: "ask-code" }, code),
      hintLine(held?.computer ? say("If you allow it, the computer no longer plays there.")
        : say("If you allow it, the phone that has the seat now can only watch.")),
      answers((what) => `${what}-${code}`, "host", code));
  });
}
