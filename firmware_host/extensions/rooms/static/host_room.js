// The room in which this table meets others: its host opens one, joins one with an invitation, or leaves it.
import { add } from "/static/shared/added.js";
import { button, confirmThen, copyFrom, folded, form } from "/static/shared/controls.js";
import { byId, element, hintLine, row } from "/static/shared/elements.js";
import { closeSheet, line, openSheet } from "/static/shared/frame.js";
import { post } from "/static/shared/live.js";
import { section } from "/static/shared/parts.js";
import { listOf, say, sayIn } from "/static/shared/words.js";

/** @import { Now } from "/static/host/host_seats.js" */

add("host-line", (now) => {
  const { room } = now().known ?? {};
  return line("room", "seats", say("Far tables"), roomWords(room), () => openSheet(() => roomSheet(now)));
});

function roomWords(room) {
  if (!room) return sayIn("tables", "none");
  if (room.stopped) return say("stopped");
  if (!room.connected) return say("not connected");
  const here = room.tables.filter((one) => one.here);
  return here.length ? listOf(here.map(({ name }) => name)) : say("waiting for others");
}

function roomSheet(now) {
  const { known } = now();
  return {
    title: say("Far tables"),
    parts: known?.room ? inRoom(now, known.room) : noRoom(now),
    back: /** @type {[string, () => void]} */ ([say("Back"), closeSheet]),
  };
}

const typed = {}; // What was typed stays: a refusal closes the sheet.

function field(id, words, attributes = {}) {
  const input = element("input", { id, name: id, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    value: typed[id] ?? "", ...attributes });
  input.addEventListener("input", () => { typed[id] = value(id); });
  return [element("label", { for: id }, words), input];
}

const value = (id) => /** @type {HTMLInputElement} */ (byId(id)).value.trim();

function noRoom(now) {
  const { look } = now();
  const open = () => post("host/room/open", { name: value("open-name"), broker: value("broker") }).finally(look);
  return [
    element("p", { class: "soft" },
      say("Up to four tables play one game: what one hand does here, the lights ask for there.")),
    section("room-open", say("Invite others"), form({ id: "open-room" }, open,
      ...field("open-name", say("What the others call this table"), { maxlength: 24, required: true }),
      ...field("broker", say("MQTT broker, empty for tables on this network"),
        { maxlength: 200, placeholder: "mqtts://…" }),
      row(element("button", { class: "go" }, say("Open a room"))))),
    joining(look, () => value("join-name"),
      ...field("join-name", say("What the others call this table"), { maxlength: 24, required: true })),
  ];
}

// With an invitation; one to the same room, whose broker is elsewhere now, leads a table there that is in it.
function joining(look, name, ...more) {
  const join = () => post("host/room/join", { name: name(), link: value("invitation") }).finally(look);
  return section("room-join", say("I was invited"), form({ id: "join-room" }, join, ...more,
    ...field("invitation", say("Invitation"), { maxlength: 500, placeholder: "lodestone-room:…", required: true }),
    row(element("button", {}, say("Join")))));
}

function inRoom(now, room) {
  const { look } = now();
  const leave = () => confirmThen(say("Leave the room? A game that has begun goes on at this table alone."),
    () => post("host/room/leave").then(() => { closeSheet(); look(); }));
  return [
    room.stopped && element("p", { class: "notice error" }, room.stopped),
    !room.connected && !room.stopped
      && element("p", { class: "notice" }, say("There is no connection to {broker} yet.", room)),
    !room.connected && !room.stopped && joining(look, () => room.name),
    element("ul", { class: "plain", id: "room-tables" }, ...room.tables.map((one) => element("li", {}, one.name, ": ",
      !one.here ? say("away") : one.lies ? say("here") : say("the board is being set")))),
    ...room.tables.flatMap((heir) => heir.instead_of.map((lost) => instead(look, heir, lost))),
    room.link && invitation("play", say("Invitation to play"), room.link),
    room.watch
      && folded("watch", say("Invitation to watch"), invitation("watch", say("Invitation to watch"), room.watch)),
    ...(room.tables.length ? [ // They follow from the keys of all tables.
      element("p", {},
        say("Read these words to each other: they are the same at every table unless somebody is listening in.")),
      element("p", { class: "room-words", id: "room-words" }, room.words)] : []),
    row(button({ id: "leave-room" }, say("Leave the room"), leave)),
  ];
}

// A new table for one whose card is broken: its seats are played there from then on.
function instead(look, heir, lost) {
  const words = heir.name === lost.name ? say("Let the new {heir} play on", { heir: heir.name })
    : say("Let {heir} play on in place of {lost}", { heir: heir.name, lost: lost.name });
  const replace = () => confirmThen(
    say("Is the old table lost for good? Its seats are played at the new one from now on."),
    () => post("host/room/replace", { lost: lost.id, heir: heir.id }).then(look));
  return row(button({}, words, replace));
}

let copied = {}; // The invitation that was copied last, and the words about it, which survive drawing again.

// A code to scan, and the text for a message.
function invitation(which, words, link) {
  const text = element("textarea", { id: `link-${which}`, rows: 3, readonly: true, "aria-label": words }, link);
  const result = element("p", { class: "hint", role: "status" }, copied.link === link && copied.words);
  const copy = () => {
    copied = { link, words: copyFrom(text) };
    result.textContent = copied.words;
  };
  return section(`invitation-${which}`, words,
    element("img", { class: "code", src: `/qr/room/${which}.svg`, alt: words, width: 180, height: 180 }), text,
    row(button({ id: `copy-${which}` }, say("Copy"), copy)), result,
    which === "play" && hintLine(say("Whoever has it can play. Send it only to those with whom you want to play.")));
}
