// What extensions add to a phone at the table and to the big screen: their modules run before the page's own, and each
// function that they give is asked at every drawing. It returns a card, or a falsy value for none.

/**
 * `seat` is that of this phone; undefined for one that watches, null on the big screen, where nobody can tap.
 * @typedef {(view: any, seat: any) => any} Make
 */

const cards = [];

/**
 * On a phone it stands below what is to be done, on the big screen below the players; none in a lesson.
 * @param {Make} make
 */
export function addCard(make) {
  cards.push(make);
}

export const addedCards = (view, seat) => (view.lesson ? [] : cards.map((make) => make(view, seat)));
