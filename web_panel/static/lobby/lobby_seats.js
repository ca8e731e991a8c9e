// Parts of a seat for the lobby and the host's page: player, name, colour, level, and the code to take the seat.
import { button, form } from "../shared/controls.js";
import { allOf, element, firstOf } from "../shared/elements.js";
import { choices, line, lineChoice, lineLink, openSheet } from "../shared/frame.js";
import { attempt, mySeat, post } from "../shared/live.js";
import { colourWords, computerWords, outWords } from "../shared/parts.js";
import { keep, recall, requireStorage } from "../shared/storage.js";
import { say, sayMany } from "../shared/words.js";

export function modeWords(mode) {
  const sides = mode.split("v");
  return sides.length === 2 ? say("{one} against {other}", { one: sides[0], other: sides[1] })
    : sayMany("{count} player", "{count} players", Number(mode));
}

/** What is played, and by how many. */
export function gameWords({ title, mode }) {
  const known = { 2: say("{game} for two", { game: title }), 3: say("{game} for three", { game: title }),
    4: say("{game} for four", { game: title }), "2+2": say("{game}, two against two", { game: title }) };
  return known[mode.split("v").join("+")] ?? `${title}, ${modeWords(mode)}`;
}

export function seatWords(seat) {
  return say("Seat {seat}", { seat: seat.seat });
}

// Browsers cut a longer name silently: show the limit when it is reached.
function showLongest(field, words) {
  const look = () => { words.hidden = field.value.length < field.maxLength; };
  field.addEventListener("input", look);
  look();
}

// A field for one's name, which is kept as soon as it is left.
export function nameForm(seat, save) {
  const id = `name-${seat.seat}`;
  const longest = element("p", { class: "hint", id: `${id}-longest` },
    say("A name has up to 24 letters; what is longer is cut off."));
  const field = element("input", { id, maxlength: 24, autocomplete: "off", autocapitalize: "words",
    enterkeyhint: "done", required: true, value: seat.name, "aria-describedby": longest.id });
  // What is refused, or empty, gives way to the name that counts.
  const reset = () => {
    field.value = seat.name;
    field.dispatchEvent(new Event("input"));
  };
  const send = async () => {
    const name = field.value.trim();
    if (!name) return reset();
    if (name === seat.name) return;
    try {
      await save(name);
    } catch (error) {
      if (!error.away) reset();
      throw error;
    }
  };
  field.addEventListener("change", () => attempt(send));
  showLongest(field, longest);
  return form({ class: "naming", "data-card": "name" }, () => field.blur(),
    element("label", { class: "field", for: id }, element("small", {}, say("Name")), field), longest);
}

// Eight colours; a seat that has the chosen colour gets this seat's in exchange.
export function colourChoice(view, seat, choose) {
  if (!view.game.colours || !seat.colour) return null;
  const buttons = colourWords().map((word, at) => {
    const colour = at + 1;
    const other = view.seats.find((one) => one.colour === colour && one.seat !== seat.seat && one.taken);
    const label = other ? say("{colour}, {name} has it: swap", { colour: word, name: other.name }) : word;
    const mine = seat.colour === colour;
    return button({ type: "button", class: `swatch seat-${colour}`, id: `colour-${seat.seat}-${colour}`,
      "aria-label": label, title: label, "aria-pressed": mine ? "true" : "false" },
    element("span", { class: "disc", "aria-hidden": "true" }, mine ? "✓" : other ? String(other.seat) : ""),
    () => choose(colour));
  });
  return element("div", { class: "swatches", role: "group", "aria-label": say("Colour"), "data-card": "colours" },
    ...buttons);
}

// Who sits on a seat, in a few words.
export function aboutWords(view, seat) {
  const mine = view.you?.seat === seat.seat;
  const shared = view.seats.some((other) => other.seat !== seat.seat && other.team === seat.team);
  const open = view.phase === "lobby";
  return [mine && (open || !view.host ? say("you") : say("you, the host")), !seat.taken && say("free"),
    seat.table && say("at the table {table}", seat),
    seat.computer && (open ? seat.level.name : computerWords(seat)), outWords(seat),
    shared && say("team {team}", { team: seat.team })].filter(Boolean).join(" · ");
}

// The computers' levels, each with its description: a tap seats a computer, or gives it this level. Only the host may.
export function levelLines(view, seat, label) {
  const lines = choices("levels", label, ...view.levels.map(({ level, name, about }) =>
    lineChoice(`level-${seat.seat}-${level}`, name, about, seat.level?.level === level,
      () => attempt(() => post("host/computer", { seat: seat.seat, level })))));
  return element("div", { class: "levels", "data-card": "levels" }, element("h3", {}, label), lines);
}

export function seatCode(seat, ticket) {
  return element("img", { class: "code", width: 168, height: 168, src: `/qr/seat/${seat.seat}/${ticket}.svg`,
    alt: say("QR code to join seat {seat}", { seat: seat.seat }) });
}

export function joinPath(seat, ticket) {
  return `/join/${seat.seat}#${ticket}`;
}

const NAME = "lodestone-name"; // What this phone's player was called last.

export const knownName = () => recall(NAME);

// Take a free seat: under the name of last time, unless somebody else has it, and else under its number's. With a
// `name` under that one, or not at all.
export async function takeSeat(seat, ticket, name = "") {
  requireStorage();
  const sit = (name) => post("join", { seat: seat.seat, name, ticket });
  if (name) {
    await sit(name);
    return keep(NAME, name);
  }
  const unnamed = () => sit(say("Player {seat}", { seat: seat.seat }));
  const known = knownName();
  if (!known) return unnamed();
  return sit(known).catch((error) => {
    if (error.code !== "bad_name") throw error;
    return unnamed();
  });
}

// Whether this phone's player has computers for company, and nobody else.
export function isAlone(view) {
  return Boolean(view.you) && view.seats.every((seat) => seat.computer || seat.seat === view.you.seat);
}

// The page with the virtual board and a phone side by side: where there is such a board, and room for both. That page
// does not open itself in its phone.
export function besideBoard() {
  return !globalThis.frameElement && matchMedia("(min-width: 60rem)").matches && firstOf('#links a[href="/here"]')
    ? "/here" : null;
}

// For a host who is alone: sit down, give the other seats to computers, and begin.
export async function playAlone(view, seat, ticket, name = "") {
  await takeSeat(seat, ticket, name);
  for (const other of view.seats) if (other.seat !== seat.seat) await post("host/computer", { seat: other.seat });
  await post("host/start");
}

// For who sits: the line that changes to a free seat.
export function moveLine(view, seat, ticket) {
  const own = mySeat(view);
  return own && ticket && line(`move-${seat.seat}`, "seats", say("Move here"), "", () => attempt(async () => {
    await post("join", { seat: seat.seat, name: own.name, ticket, move: true });
    location.reload(); // The stream of views belongs to who opened it.
  }));
}

/**
 * Ask for this phone's name in a sheet, as sitting down does, then act with it.
 * @param {string} words What the button says.
 * @param {(name: string) => Promise<any>} act
 * @param {[string, () => void]} back
 */
export function askName(words, act, back) {
  const field = element("input", { id: "own-name", maxlength: 24, autocomplete: "off", autocapitalize: "words",
    enterkeyhint: "go", required: true, value: knownName() ?? "" });
  const asked = form({ class: "naming", "data-card": "own-name" }, () => act(field.value.trim()),
    element("label", { class: "field", for: "own-name" }, element("small", {}, say("Name")), field),
    element("button", { id: "own-name-go", class: "primary wide-button" }, words));
  openSheet(() => ({ title: say("What are you called?"), parts: [asked], back }));
  field.focus();
}

export async function rename(name) {
  await post("name", { name });
  keep(NAME, name);
}

// The other pages of this table, as lines of the menu.
export function pageLines() {
  const icons = { "/tv": "screen", "/book": "book", "/puzzles": "bulb", "/host": "seats",
    "/board": "board", "/here": "play", "/position": "play" };
  return allOf("#links a").map((one) => {
    const path = one.getAttribute("href");
    return lineLink(`page-${path.slice(1)}`, icons[path] ?? "board", one.textContent, path);
  });
}
