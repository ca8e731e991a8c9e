// The boards of a club's round that are to be played at this table: in the lobby, on phones and the host's page, and told
// on the big screen.
import { add } from "/static/shared/added.js";
import { button, postButton } from "/static/shared/controls.js";
import { element, row } from "/static/shared/elements.js";
import { section } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";
import { knownName, rename, takeSeat } from "/static/lobby/lobby_seats.js";

const plain = (name) => (name ?? "").normalize("NFKC").replace(/\s/g, "").toLowerCase();

/** The free seat that a pairing gives to the player whose name this phone knows; 0 without one. */
function pairedSeat(view) {
  const places = view.pairings.filter((one) => one.ready).flatMap((one) => one.seats);
  return places.find((one) => !one.here && plain(one.name) === plain(knownName()))?.seat ?? 0;
}

/**
 * A card for each board: what is played here, and who may sit down.
 * @param {any} view
 * @param {(seat: any) => string | null} ticketOf
 */
function pairingCards(view, ticketOf) {
  return view.pairings.map((one) => {
    const { tournament, round, board, title } = one;
    const key = `${tournament}-${round}-${board}`;
    const buttons = one.ready ? one.seats.map((place) => sitButton(view, place, ticketOf)).filter(Boolean)
      : [postButton({ id: `play-${key}` }, say("Play {game} here", { game: title }), "pairing",
        { tournament, round, board })];
    return section(`pairing-${key}`, one.name, element("p", {}, one.words),
      ...(buttons.length ? [row(...buttons)] : []));
  });
}

// Whoever has no seat takes the one of the name; who sits on it gets its name. A ticket may be renewed after the button
// was drawn: it is looked up when the button is pressed.
function sitButton(view, { seat, name, here }, ticketOf) {
  const place = view.seats.find((one) => one.seat === seat);
  const mine = view.you?.seat === seat;
  if (here || !place || !(mine || (!view.you && ticketOf(place)))) return null;
  return button({ id: `i-am-${seat}` }, say("I am {name}", { name }), async () => {
    if (mine) return rename(name);
    await takeSeat(place, ticketOf(place), name);
    return location.reload(); // The stream of views belongs to who opened it: another one begins.
  });
}

add("ask", pairingCards);
add("own-seat", pairedSeat);
add("screen-words", (view) => view.pairings.map((one) => one.words).join(" "));
