// Dialogs over a page are in its history: the way back of a phone closes them, and leaves the page only after that.
//
// While any dialog is open the history has one entry more, of the same page. Closing the last one takes it away again.

let returning = false; // Whether an entry is being taken away.

const openDialogs = () => [...document.querySelectorAll("dialog[open]")];
const isOver = () => Boolean(history.state?.over);

function enter() {
  if (!isOver()) history.pushState({ ...history.state, over: true }, "");
}

function leave() {
  if (returning || !isOver()) return;
  returning = true;
  history.back();
}

/**
 * Open a dialog over the page.
 * @param {any} dialog
 */
export function showDialog(dialog) {
  if (!dialog.open) dialog.showModal();
  if (!returning) enter();
}

// "close" does not bubble.
document.addEventListener("close", () => { if (!openDialogs().length) leave(); }, true);
addEventListener("popstate", () => {
  const open = openDialogs();
  if (!returning) /** @type {any} */ (open.pop())?.close();
  returning = false;
  if (open.length) enter(); // Below the one that was closed, or opened meanwhile.
});
// The page was loaded again while one was open, or somebody has come back to it.
if (isOver() && !openDialogs().length) leave();
