// Parts of a seat for the lobby and the host's page: player, name, colour, level, and the code to take the seat.
import { button, nameField, selectBox } from "../shared/controls.js";
import { element } from "../shared/elements.js";
import { post } from "../shared/live.js";
import { ownNodes } from "../shared/parts.js";
import { capital } from "../shared/steps.js";
import { say, sayMany } from "../shared/words.js";

// The computers' levels that are chosen for seats where none plays yet.
const chosen = new Map(); // Seat → level.

export function chooseLevel(seat, level) {
  chosen.set(seat.seat, level);
}

// The chosen level for a seat, else the table's default. Another game may have fewer levels than the one of the choice.
export function levelFor({ levels }, seat) {
  return Math.min(levels.length, chosen.get(seat.seat) ?? Math.max(1, Math.floor(levels.length / 2)));
}

export function modeWords(mode) {
  const sides = mode.split("v");
  return sides.length === 2 ? say("{one} against {other}", { one: sides[0], other: sides[1] })
    : sayMany("{count} player", "{count} players", Number(mode));
}

/** What is played, and by how many. */
export function gameWords({ game }) {
  const known = { 2: say("{game} for two", { game: game.title }), 3: say("{game} for three", { game: game.title }),
    4: say("{game} for four", { game: game.title }), "2v2": say("{game}, two against two", { game: game.title }) };
  return known[game.mode] ?? `${game.title}, ${modeWords(game.mode)}`;
}

// As in style.css (--seat-1 to --seat-8) and docs/view.md.
function colourWords() {
  return [say("blue"), say("orange"), say("green"), say("pink"), say("yellow"), say("red"), say("violet"),
    say("white")];
}

export function seatWords(seat) {
  return say("Seat {seat}", { seat: seat.seat });
}

export function dot(seat) {
  return element("span", { class: `dot seat-${seat.colour ?? seat.seat}`, "aria-hidden": "true" });
}

// Team and nodes of a seat.
export function aboutSeat(view, seat) {
  const shared = view.seats.some((other) => other.seat !== seat.seat && other.team === seat.team);
  const about = [shared && say("team {team}", { team: seat.team }), ownNodes(seat, view.game)]
    .filter(Boolean).join(", ");
  return about && element("p", { class: "hint" }, capital(about));
}

// Browsers cut a longer name silently: show the limit when it is reached.
export function showLongest(field, words) {
  const look = () => { words.hidden = field.value.length < field.maxLength; };
  field.addEventListener("input", look);
  look();
}

// A field for a name, sent by its own button.
export function nameForm(seat, save) {
  const id = `name-${seat.seat}`;
  const longest = element("p", { class: "hint", id: `${id}-longest` }, say("A name has up to 24 letters."));
  const form = nameField({ id, value: seat.name, "aria-describedby": longest.id }, say("Name"), say("Save"), save,
    `save-${seat.seat}`, longest);
  showLongest(form.querySelector("input"), longest);
  return form;
}

// Eight colours; a seat that has the chosen colour gets this seat's in exchange.
export function colourChoice(view, seat, choose) {
  if (!view.game.colours || !seat.colour) return null;
  const buttons = colourWords().map((word, at) => {
    const colour = at + 1;
    const other = view.seats.find((one) => one.colour === colour && one.seat !== seat.seat && one.taken);
    const label = other ? say("{colour}, {name} has it: swap", { colour: word, name: other.name }) : word;
    return button({ type: "button", class: "swatch", id: `colour-${seat.seat}-${colour}`, "aria-label": label,
      title: label, "aria-pressed": seat.colour === colour ? "true" : "false" },
    dot({ colour }), () => choose(colour));
  });
  return element("div", { class: "colouring" },
    element("p", { class: "as-label", id: `colours-${seat.seat}` }, say("Colour")),
    element("div", { class: "swatches", role: "group", "aria-labelledby": `colours-${seat.seat}` }, ...buttons));
}

// The words about the player on a taken seat.
export function sitsWords(seat, own) {
  if (seat.computer) return say("A computer plays here: {level}.", { level: seat.level.name });
  return own ? say("That is you.") : say("Taken.");
}

// The computers' levels, each with its description; choose(level) is called when another one is picked.
export function levelChoice(view, seat, choose) {
  const current = seat.level?.level ?? levelFor(view, seat);
  const about = element("p", { class: "hint", id: `about-level-${seat.seat}` }, view.levels[current - 1].about);
  const select = selectBox({ id: `level-${seat.seat}`, "aria-describedby": about.id,
    "aria-label": say("Level of the computer on seat {seat}", { seat: seat.seat }) },
  view.levels.map(({ level, name }) => [level, name]), current, (text) => {
    const level = Number(text);
    chooseLevel(seat, level);
    about.textContent = view.levels[level - 1].about;
    return choose?.(level);
  });
  return element("div", { class: "levels" }, select, about);
}

// Only the host may seat computers.
export function computer(seat, level) {
  return post("host/computer", { seat: seat.seat, level });
}

// The choice of a computer, and its level, for a seat where none plays yet.
export function computerBox(view, seat, words) {
  return element("div", {}, levelChoice(view, seat),
    button({ id: `computer-${seat.seat}` }, words, () => computer(seat, levelFor(view, seat))));
}

export function seatCode(seat, ticket) {
  return element("img", { class: "code", width: 168, height: 168, src: `/qr/seat/${seat.seat}/${ticket}.svg`,
    alt: say("QR code to join seat {seat}", { seat: seat.seat }) });
}

const unfolded = new Map(); // Seat → open, where somebody has opened or closed the code.

// The code of a free seat: folded on a phone, so that all seats fit.
export function codeBox(seat, ticket, words, open, ...more) {
  const box = element("details", { class: "folded", "data-key": `code-${seat.seat}`,
    open: unfolded.get(seat.seat) ?? (matchMedia("(min-width: 48rem)").matches || open) },
    element("summary", { id: `fold-${seat.seat}`, onclick: () => unfolded.set(seat.seat, !box.open) }, words),
      seatCode(seat, ticket), ...more);
  return box;
}

// The line about joining: it mentions codes only where this screen shows them.
export function showJoining(line, view, tickets) {
  const free = view.phase === "lobby" ? view.seats.filter((seat) => !seat.taken) : [];
  const shown = tickets.shown || free.some((seat) => tickets.of(seat));
  line.textContent = shown && view.you
    ? say("To join, scan the code of a free seat with another phone on the same network.") : shown
    ? say("To join, tap “Sit here” at a free seat, or scan its code with another phone on the same network.")
    : say("The host has the links to the free seats.");
  line.hidden = !free.length || tickets.shown === null;
}

export function joinPath(seat, ticket) {
  return `/join/${seat.seat}#${ticket}`;
}
