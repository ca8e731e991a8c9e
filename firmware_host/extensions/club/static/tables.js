// All tables as cards with small boards. Boards are drawn only while they can be seen: a club may have a thousand.
import { Drawing } from "/static/shared/drawing.js";
import { element, setText } from "/static/shared/elements.js";
import { getJson } from "/static/shared/live.js";
import { locale, say } from "/static/shared/words.js";

const MARGIN = "300px"; // So far outside of the window boards are drawn already.
const BUSY = new Set(["setup", "sealing", "revealing", "placing", "resolving", "clearing"]);

const collator = new Intl.Collator(locale, { numeric: true });
// What decides where a table stands in the list, and whether it is found.
const placing = (table) => [table.here, table.name, ...table.seats.map((seat) => seat[1])].join("\n");

const looks = new Map(); // How a game's board looks: a promise by game, options and mode.

function lookOf({ game, rules, mode }) {
  const query = new URLSearchParams({ game, rules: rules.join(","), mode });
  const key = query.toString();
  if (!looks.has(key)) {
    looks.set(key, getJson(`/api/look?${key}`).catch(() => {
      setTimeout(() => looks.delete(key), 60000); // A game that this club does not have, or no connection.
      return null;
    }));
  }
  return looks.get(key);
}

const nameOf = (table, number) => table.seats.find(([seat]) => seat === number)?.[1];

export function phaseWords(table) {
  if (!table.here) return say("Away");
  const name = nameOf(table, table.whose);
  const turn = table.turn ? `${say("Turn {turn}", { turn: table.turn })} · ` : "";
  switch (table.phase) {
    case "lobby": return table.seats.length ? say("The game has not begun") : say("Free");
    case "over": return say("The game is over");
    case "paused": return say("Paused");
    case "still": return say("The board needs help");
    case "sealing": case "revealing": return turn + say("All seal");
    case "setup": return say("The board is being set");
    default: return name ? turn + say("{name} acts", { name }) : turn + say("Stones are being moved");
  }
}

export const isPlaying = (table) => table.here && BUSY.has(table.phase);

// A scene for the drawing, from what a table says and how its game looks.
function sceneOf(table, look) {
  const seats = Object.entries(look.homes).map(([seat, homes]) => {
    const colour = table.seats.find(([number]) => number === Number(seat))?.[3] ?? Number(seat);
    return { seat: Number(seat), homes, colour, team: look.teams[seat] };
  });
  const { layout, pieces, tints } = look;
  const nothing = { lights: {}, arrows: [], tasks: [], you: null, brought: [] };
  return { layout, pieces, tints, seats, board: table.board, ...nothing };
}

class Card {
  constructor(id) {
    this.name = element("h2", {});
    this.state = element("p", { class: "soft" });
    this.board = element("div", { class: "mini", id: `board-${id}` });
    this.seats = element("ul", {});
    this.root = element("article", { class: "club-table", id: `table-${id}` },
      this.name, this.state, this.board, this.seats);
    this.table = null;
    this.seen = false;
    this.drawing = null;
    this.key = "";
  }

  show(table, place) {
    this.table = table;
    setText(this.name, table.name);
    setText(this.state, [place, phaseWords(table)].filter(Boolean).join(" · "));
    this.root.classList.toggle("away", !table.here);
    const key = JSON.stringify([table.seats, table.whose]);
    if (key !== this.key) {
      this.key = key;
      this.seats.replaceChildren(...table.seats.map(([seat, name, computer, colour]) =>
        element("li", { class: seat === table.whose ? "turn" : "" },
          element("span", { class: `dot seat-${colour}`, "aria-hidden": "true" }),
          element("span", {}, computer ? say("{name} (computer)", { name }) : name))));
    }
    this.draw();
  }

  async draw() {
    if (!this.seen) return;
    const look = await lookOf(this.table);
    if (!this.seen) return;
    if (!look) {
      this.blank();
      return;
    }
    this.drawing ??= new Drawing(this.board);
    this.drawing.show(sceneOf(this.table, look));
  }

  see(seen) {
    this.seen = seen;
    if (seen) this.draw();
    else this.blank();
  }

  blank() {
    this.drawing = null;
    this.board.replaceChildren();
  }
}

export class Tables {
  constructor(host) {
    this.host = host;
    this.cards = new Map();
    this.order = "";
    this.wanted = null; // What was looked for when the order was made.
    this.watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.cards.get(target.id.slice(6))?.see(isIntersecting);
    }, { rootMargin: MARGIN });
  }

  /**
   * @param {Record<string, any>} tables
   * @param {string[] | null} changed The ids of tables to show anew, null for all.
   * @param {(id: string) => string} place Where a table plays in a tournament, in words.
   * @param {string} wanted Part of a table's or a player's name; empty for all.
   */
  show(tables, changed, place, wanted) {
    let moved = wanted !== this.wanted;
    for (const id of changed ?? Object.keys(tables)) {
      let card = this.cards.get(id);
      moved ||= !card?.table || placing(card.table) !== placing(tables[id]);
      if (!card) {
        card = new Card(id);
        this.cards.set(id, card);
        this.watcher.observe(card.root);
      }
      card.show(tables[id], place(id));
    }
    if (!moved) return;
    this.wanted = wanted;
    const found = wanted.trim().toLocaleLowerCase();
    const fits = (table) => !found || [table.name, ...table.seats.map((seat) => seat[1])]
      .some((name) => name.toLocaleLowerCase().includes(found));
    // Tables that are away stand last, all others where people look for them: by name.
    const listed = Object.values(tables).filter(fits).sort((one, other) => Number(other.here) - Number(one.here)
      || collator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1));
    const order = listed.map(({ id }) => id).join();
    if (order === this.order) return;
    this.order = order;
    this.host.replaceChildren(...listed.map(({ id }) => this.cards.get(id).root));
  }
}
