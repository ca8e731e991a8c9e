// What extensions add to the host's page: their modules run before the page's own, and each function that they give is
// asked at every drawing.

/** @import { Now } from "./host_seats.js" */
/** @typedef {(now: Now) => any} Make */

const lines = [];
const asks = [];
const cards = [];

/**
 * A line in the list of what holds for the table.
 * @param {Make} make
 */
export function addLine(make) {
  lines.push(make);
}

/**
 * A card of what the host is asked, above all others.
 * @param {Make} make
 */
export function addAsk(make) {
  asks.push(make);
}

/**
 * A card in the part of the hardware.
 * @param {Make} make
 */
export function addCard(make) {
  cards.push(make);
}

/** @param {Now} now */
export const addedLines = (now) => lines.map((make) => make(now));

/** @param {Now} now */
export const addedAsks = (now) => asks.map((make) => make(now));

/** @param {Now} now */
export const addedCards = (now) => cards.map((make) => make(now));
