// The cards of secret placements: choosing, sealed, putting the stones down.
import { isAlone } from "../lobby/lobby_seats.js";
import { button, postButton } from "../shared/controls.js";
import { seatHue } from "../shared/lamps.js";
import { chip } from "../shared/pieces.js";
import { element, hintLine, setText } from "../shared/elements.js";
import { closeSheet, disc } from "../shared/frame.js";
import { icon } from "../shared/icons.js";
import { seatOf } from "../shared/live.js";
import { card, names } from "../shared/parts.js";
import { commit, openingOf } from "../shared/seal.js";
import { capital } from "../shared/steps.js";
import { say } from "../shared/words.js";

/** @import { Picks } from "../shared/board.js" */

// A seal that does not open: the options of its player, of the others, and of the phone that holds the seal.
const LATE_MS = 5000; // Phones that are awake open within a second or two.

const propose = (id, words, body) => postButton({ id, class: "wide-button" }, words, "propose", body);

// Whether a seat has a seal to open that is not on this phone.
export function isElsewhere(view, seat) {
  return seat.sealed && !seat.opened && !isDrawn(view, seat) && !openingOf(view.seal, seat.seat);
}

// Whether the table has sealed for a seat whose time was up: then no phone holds that seal.
function isDrawn(view, seat) {
  return Boolean(view.clocks?.seats.some((clock) => clock.seat === seat.seat && clock.late));
}

export function drawnCard(view, seat) {
  return seat.sealed && isDrawn(view, seat) && card("drawn", element("h2", {}, say("Your time is up")),
    element("p", {}, say("A placement was drawn by lot and sealed for you. The table opens it together with the others.")));
}

// The player's own card, shown at once: waiting would not help.
export function elsewhereCard(view, seat) {
  const anew = !view.proposal && (seat.may_reseal
    ? propose("reseal-own", say("That phone is lost: ask the others to let me seal again"), { what: "reseal" })
    : view.can.void && propose("propose-void", say("That phone is lost: ask that all seal this turn again"),
      { what: "void" }));
  return card("elsewhere", element("h2", {}, say("Your seal is not on this phone")),
    element("p", {}, say("It is on the phone, or in the browser, with which you sealed. Only that phone or browser can open it.")),
    element("p", {}, say("If you have that phone, open the game on it and ask for your seat. Then it opens the seal by itself.")), anew);
}

let since = { key: "", at: 0 };

// Whether the table has waited for these seals for LATE_MS; calls redraw() when that time is over.
function waitedLong(view, redraw) {
  const key = [view.game.id, ...Object.values(view.seal.commitments)].join(" ");
  if (since.key !== key) {
    since = { key, at: performance.now() };
    setTimeout(redraw, LATE_MS + 50);
  }
  return performance.now() - since.at >= LATE_MS;
}

function isLate(view, seat) {
  return seat.sealed && !seat.opened && !seat.computer && (view.seal.open || !view.seal.awake.includes(seat.seat));
}

// The card of the other players: after a while it offers solutions.
export function revealCard(view, seat, redraw) {
  const late = view.seats.filter((other) => other.seat !== seat.seat && isLate(view, other));
  const stuck = waitedLong(view, redraw) && late.length && !seat.resigned;
  const offered = stuck && !view.proposal;
  return card("reveal", stuck && hintLine(
      say("Is the phone of {names} awake, with this page open? If it can't be found, you can ask the others:",
        { names: names(view, late.map((one) => one.seat)) })),
    ...(offered ? late.filter((other) => other.may_reseal).map((other) => propose(`lost-${other.seat}`,
      say("{name}'s phone is lost: ask for a new seal", { name: other.name }),
      { what: "reseal", about: other.seat })) : []),
    offered && view.can.void && propose("propose-void", say("Void this turn: all seal again"), { what: "void" }));
}

// The card of a phone that holds a seal whose seat has moved to another phone.
export function heldCard(view, asking) {
  const mine = !view.you && view.seal && view.seats.find((seat) => !seat.opened && openingOf(view.seal, seat.seat));
  if (!mine) return null;
  if (asking.mine) return asking.waiting();
  return card("held", element("h2", {}, say("The seal of {name} is on this phone", { name: mine.name })),
    element("p", {}, say("{name} plays with another phone now, which can't open it. If this phone gets the seat back, it opens the seal by itself.", { name: mine.name })),
    asking.refusal(),
    button({ id: "ask-back", class: "primary big wide-button" }, say("Ask the host for the seat"),
      () => asking.ask(mine)));
}

const ENDS = ["pointerup", "pointercancel", "visibilitychange"]; // After each of them no finger holds a button.

export class Placement {
  // deny(words) shows why something can't be chosen.
  constructor(redraw, refresh, deny) {
    this.redraw = redraw;
    this.refresh = refresh;
    this.deny = deny;
    this.turn = null;
    this.colour = null;
    this.node = null;
    this.shown = false;
    this.look = null;
  }

  // A new turn begins without a choice; the very first one of who is alone with computers with a stone in the hand.
  follow(view) {
    if (view.seal && this.turn !== view.turn) {
      const first = view.turn === 1 && isAlone(view) && !view.lesson;
      Object.assign(this, { turn: view.turn, colour: first ? view.seal.colours[0] : null, node: null, shown: false });
    }
    if (view.seal && this.node && !view.seal.nodes.includes(this.node)) this.node = null;
  }

  /** @returns {Picks} */
  picks(view) {
    return { role: "radio", offered: view.seal.nodes, chosen: this.node, colour: this.colour };
  }

  pick(node) {
    this.node = node ?? this.node;
    this.redraw();
  }

  // The stones to choose from, and the button: it keeps its place and height, and says what is missing.
  choosing(view, seat) {
    const { seal } = view;
    const stones = Object.entries(view.pieces).map(([piece, name]) => element("button", {
      id: `colour-${piece}`, role: "radio", class: "pickstone",
      why: seal.colours.includes(piece) ? "" : seal.spent[piece] ?? say("not now"),
      "aria-checked": this.colour === piece ? "true" : "false", "aria-label": name,
      onclick: () => { this.colour = piece; this.redraw(); },
    }, chip(piece, view), element("span", {}, capital(name), piece in view.stock && element("small", { class: "num" },
      say("{count} left", { count: view.stock[piece] })))));
    const missing = view.paused ? say("The host has paused the game.") : !this.colour ? say("Choose a colour")
      : this.node ? "" : say("Choose a node");
    const words = missing || say("Seal {piece} on {node}", { piece: view.pieces[this.colour], node: this.node });
    const made = button({ id: "seal", class: missing ? "wait" : "go", why: missing }, words,
      () => this.send(seal, seat));
    if (!missing) made.prepend(icon("seal"));
    return card("seal", element("div", { class: "groove", role: "radiogroup", "aria-label": say("Colour") }, ...stones),
      made);
  }

  // Colour and node in words, in a sheet: for keyboards, and for people who prefer words.
  byWords(view, denied) {
    const example = view.seal.colours[0] + view.seal.nodes.at(-1);
    // As an attribute: `renew` sees that it has changed, and what is being typed stays.
    const text = element("input", { id: "typed", class: "typed", placeholder: say("type {example}", { example }),
      value: (this.colour ?? "") + (this.node ?? ""), autocomplete: "off",
      autocapitalize: "off", spellcheck: "false", "aria-label": say("Type colour and node, such as {example}",
        { example }) });
    text.addEventListener("change", () => this.typed(text, view));
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // Else the key would open the menu again, which has the focus then.
      this.typed(text, view);
    });
    return element("div", { "data-card": "typed" }, element("div", { class: "row stepper" },
      element("button", { id: "previous", "aria-label": say("Previous node"),
        onclick: () => this.step(-1, view.seal) }, "‹"), text,
      element("button", { id: "next", "aria-label": say("Next node"), onclick: () => this.step(1, view.seal) }, "›")),
    denied && element("p", { role: "alert" }, denied));
  }

  step(by, { nodes }) {
    const at = this.node ? nodes.indexOf(this.node) + by : Math.min(by, 0);
    this.pick(nodes.at(at % nodes.length));
  }

  // Take typed text: colour, node, or both ("b", "D12", "wd12").
  typed(field, { seal, pieces }) {
    const text = field.value.trim().toLowerCase();
    const nodes = [...seal.nodes, ...Object.keys(seal.closed)];
    const find = (word) => nodes.find((node) => node.toLowerCase() === word);
    const colour = find(text) ? null : Object.keys(pieces).find((one) => text.startsWith(one));
    const node = find(colour ? text.slice(colour.length) : text);
    const known = node || (colour && text === colour);
    const why = !known ? say("type a colour and a node, such as {example}",
      { example: seal.colours[0] + seal.nodes.at(-1) })
      : seal.closed[node ?? ""] ?? seal.spent[colour ?? ""];
    if (known && !why) {
      this.node = node ?? this.node;
      this.colour = colour ?? this.colour;
      if (this.node && this.colour) closeSheet();
      return this.redraw();
    }
    field.value = (this.colour ?? "") + (this.node ?? "");
    return text ? this.deny(why) : this.redraw();
  }

  async send(seal, seat) {
    await commit(seal, seat.seat, this.colour + this.node);
    this.refresh();
  }

  // The sealed placement is visible while a finger holds the button; a key, or a screen reader, toggles it.
  peek(shown) {
    if (this.shown === shown) return;
    this.shown = shown;
    this.redraw();
  }

  // What was sealed, as a piece that is to be put down: for the drawing, while it is looked at.
  planned(view, seat) {
    const mine = this.shown && openingOf(view.seal, seat.seat);
    return mine ? [{ do: "put", piece: mine.action[0], node: mine.action.slice(1), seat: seat.seat }] : view.tasks;
  }

  // The button is the same one all the time: of one that is replaced under the finger a phone may not tell its end.
  sealed(view, seat) {
    const mine = openingOf(view.seal, seat.seat);
    if (!mine) return card("sealed");
    this.look ??= this.makeLook();
    const { made, button: look, words } = this.look;
    look.setAttribute("aria-expanded", String(this.shown));
    words.className = this.shown ? "secret" : "";
    setText(words, this.shown ? say("{piece} on {node}", { piece: capital(view.pieces[mine.action[0]]),
      node: mine.action.slice(1) }) : say("Hold to look at your seal"));
    return made;
  }

  makeLook() {
    const words = element("span");
    const look = element("button", { id: "peek", onclick: (event) => event.detail === 0 && this.peek(!this.shown) },
      icon("eye"), words);
    const hide = () => {
      for (const end of ENDS) removeEventListener(end, hide);
      this.peek(false);
    };
    look.addEventListener("pointerdown", () => {
      for (const end of ENDS) addEventListener(end, hide);
      this.peek(true);
    });
    return { made: card("sealed", look), button: look, words };
  }
}

/** @type {{turn: string, tasks: any[], open: any[]}} */
let laid = { turn: "", tasks: [], open: [] }; // The stones of this turn to put down, and those that are open.

export function placingCard(view, partners = false) {
  const turn = `${view.game.id} ${view.turn}`;
  const todo = view.tasks.filter((task) => task.do === "put");
  if (laid.turn !== turn) laid = { turn, tasks: [], open: [] };
  const same = (one) => (other) => one.node === other.node && one.seat === other.seat && one.piece === other.piece;
  laid.tasks.push(...todo.filter((task) => task.seat && !laid.tasks.some(same(task))));
  // While something else is to be mended first, no stone is asked for: those that were open still are.
  if (!view.problem?.fault) laid.open = todo;
  const all = [...todo.filter((task) => !task.seat), ...laid.tasks];
  const items = all.map((task) => {
    const { seat, piece, node } = task;
    const mine = seat !== null && seat === view.you?.seat;
    const open = [...todo, ...laid.open].some(same(task));
    // While something else is to be mended first, nobody is named.
    const who = seat ? seatOf(view, seat) : null;
    const kinds = [mine && open && `mine ${seatHue(view, seat)}`, !open && "done"];
    return element("li", { class: kinds.filter(Boolean).join(" ") },
      chip(piece, view), who && disc(who), element("span", { class: "grow" },
        say("{piece} on {node}", { piece: capital(view.pieces[piece] ?? ""), node }),
        element("small", {},
          !open ? say("lies on the board") : mine ? say("your stone") : all.length > 2 ? "" : who?.name ?? "")),
      !open && element("span", { class: "tick", "aria-hidden": "true" }, "✓"));
  });
  // Partners have rows with their score: there is room for the own stone only.
  const own = partners && all.find(({ seat }) => seat !== null && seat === view.you?.seat);
  const stones = own ? element("div", { class: "row split" }, element("b", { class: "row" }, chip(own.piece, view),
    element("span", {}, say("Yours: {piece} on {node}", { piece: view.pieces[own.piece] ?? "", node: own.node }))),
  element("small", { class: "soft" },
    say("{count} of {all} are on the board", { count: all.length - laid.open.length, all: all.length })))
    : element("ul", { class: items.length > 2 ? "todo many" : "todo" }, ...items);
  const unseen = todo.some((task) => task.node in view.sensors.masked) || view.tasks.some((task) => task.do === "tap");
  return card("placing", items.length > 0 && stones, unseen && allDown());
}

const allDown = () =>
  postButton({ id: "both", class: "go" }, say("All stones are down"), "confirm", { action: "placed" });

/** A stack that hands have built while the board is set up or mended: no sensor shows whether all of it lies. */
export function builtCard(view) {
  const built = view.phase !== "placing" && view.tasks.some((task) => task.do === "tap" && task.seat === null);
  return built && card("built", allDown());
}
