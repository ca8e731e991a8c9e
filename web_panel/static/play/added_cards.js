// What extensions add to a phone at the table: their modules run before the page's own, and each function that they
// give is asked at every drawing. It returns a card, or a falsy value for none.

/** @typedef {(view: any, seat: any) => any} Make `seat` is that of this phone; undefined for one that watches. */

const cards = [];

/**
 * A card below what is to be done; none in a lesson.
 * @param {Make} make
 */
export function addCard(make) {
  cards.push(make);
}

export const addedCards = (view, seat) => (view.lesson ? [] : cards.map((make) => make(view, seat)));
