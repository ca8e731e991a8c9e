// What extensions add to pages: their modules run before a page's own, and each function that they give is asked at
// every drawing. It returns a falsy value for nothing, which is left out.
const makers = {
  "host-line": [], // (now) → a line of the host's page, in the list of what holds for the table.
  "host-ask": [], // (now) → a card of what the host is asked, above all others.
  "host-card": [], // (now) → a card of the host's page, in the part of the hardware.
  // (what /api/tickets has answered, or /api/host/state) → { card, title, label, parts }: a code before those of seats.
  code: [],
  // (view, seat → its ticket or null) → cards of what may be played next: in the lobby, on phones, on the host's page.
  ask: [],
  "own-seat": [], // (view) → the seat, of those that are free, that is meant for whose phone this is.
  "screen-words": [], // (view) → a sentence on the big screen.
  "bar-button": [], // (a game: { name }) → a button of a page's bar, before the menu's.
  "game-line": [], // (a game) → a line about it, in menus.
  aim: [], // (a game) → a link behind what it is about.
  cover: [], // (element, a game's name) → nothing; draws the game there, for the choice of games.
  text: [], // (element, view, redraw) → nothing; called with each text for a player on a phone: links words in it.
  "screen-rules": [], // (element, view, redraw) → nothing; shows the rules there on the big screen, in the lobby.
  joining: [], // (what /api/tickets has answered) → a sentence on how to join, beside the codes of seats.
  "lobby-button": [], // () → a quiet button of the lobby.
  series: [], // (view, redraw) → words on those who have met, with a `data-card`, for the end; asked with every view.
  // (view, redraw) → how a game that is over went, for the end, with a `data-card`; asked with every view. On the big
  // screen it stands in place of the curve, and is left out where there is no room: what has the lowest `data-spare`,
  // 1 to 4, first.
  "how-it-went": [],
  "end-button": [], // (view) → a button of the card of the end.
  "menu-line": [], // (this phone's seat, redraw, the way back to the menu) → a line of the menu of a game.
  "hears-on": [], // (view) → whether a phone's page goes on hearing of the table while it is hidden.
  // (view, redraw) → nothing; called with each view that phones at the table, the big screen, the virtual board show.
  view: [],
  announced: [], // (text) → nothing; called with all that screen readers are told.
  turn: [], // ([headline, about], null where it is not this phone's) → nothing; called when the turn has changed.
  "share-line": [], // (view, board) → a line of the sheet about a game that is over, before its downloads.
  "end-line": [], // () → a line of the sheet about a game that is over.
  "end-record": [], // (view) → a line of that sheet, behind the download of the record.
  "replay-record": [], // (a recorded game's id, whether the page is the host's) → a link behind that download.
  // (view, redraw) → what a phone shows in place of the game as it stands, asked with every view: { head, scene,
  // card(whether it is its turn) }.
  instead: [],
  "above-log": [], // (view, redraw) → a line above the log.
  log: [], // (view) → what stands below the log.
  film: [], // (view, order) → a part of a replay's page, always the same one; `order` as POST /api/replay takes it.
  learn: [], // (what /api/lessons has answered) → a button beside the lessons.
  // (view, seat) → a card on phones at the table and on the big screen; none in a lesson. `seat` is undefined for who
  // watches, and null on the big screen, where nobody can tap.
  card: [],
  "exercise-cards": [], // (view, redraw) → the cards of an exercise that has no lesson.
  // (what /api/position has answered) → a search of a position, or a promise of it: { id, modes, path, words, busy,
  // forHost, show(answer) }. It is offered in these modes of the game.
  "position-search": [],
};

/**
 * @param {keyof typeof makers} place
 * @param {(...given: any[]) => any} make
 */
export function add(place, make) {
  /** @type {any[]} */ (makers[place]).push(make);
}

/**
 * @param {keyof typeof makers} place
 * @param {...any} given
 * @returns {any[]}
 */
export const added = (place, ...given) =>
  makers[place].map((make) => /** @type {any} */ (make)(...given)).filter(Boolean);
