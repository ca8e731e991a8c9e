// How to play, in a dialog over the present page, which keeps its state. Terms in the page's text link to their
// meanings.
import { PATH } from "./links.js";
import { drawPictures } from "./pictures.js";
import { showDialog } from "/static/shared/dialogs.js";
import { allOf, element, needStyle } from "/static/shared/elements.js";
import { explain, fetchInTime, getJson } from "/static/shared/live.js";
import { say } from "/static/shared/words.js";

async function fetchPage(path) {
  const response = await fetchInTime(path);
  const { ok, status } = response;
  if (!ok) throw new Error(say("that didn't work ({status}): load the page again", { status }));
  return response.text();
}

// A dialog with the contents of an element; only one is open, the last.
function openHelp(inside) {
  needStyle(new URL("how_to_play.css", import.meta.url));
  for (const one of allOf("dialog.help")) one.close();
  const done = element("form", { method: "dialog" }, element("button", { class: "go" }, say("Got it")));
  const box = element("dialog", { class: "help", "aria-label": say("How to play") }, inside, done);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  showDialog(box);
  beginReading(box);
  return box;
}

// At the heading: the browser goes to the first link or button.
function beginReading(box) {
  const first = box.querySelector("h1, h2");
  first.setAttribute("tabindex", "-1");
  first.focus();
  box.scrollTop = 0;
}

async function openRules(path) {
  const inside = element("div", { class: "learn" }, element("h2", {}, say("One moment …")));
  const box = openHelp(inside);
  try {
    const name = path.slice(PATH.length).split("#")[0];
    const [page, sheet] = await Promise.all([fetchPage(path), getJson(`/api${PATH}${name}`)]);
    if (!box.open) return;
    const main = /** @type {any} */ (new DOMParser().parseFromString(page, "text/html").querySelector("main"));
    for (const one of main.querySelectorAll("#error, .others")) one.remove();
    inside.replaceChildren(...main.childNodes);
    drawPictures(sheet, inside);
    beginReading(box);
    reveal(inside, path.split("#")[1]);
  } catch (error) {
    if (!box.open) return;
    box.close();
    throw error;
  }
}

// Show a term's meaning, which may be folded away.
function reveal(inside, id) {
  const term = id && inside.querySelector(`#${CSS.escape(id)}`);
  const fold = term?.closest("details");
  if (fold) fold.open = true;
  term?.scrollIntoView();
}

function openTerm(link) {
  const { term, words } = known.terms[link.dataset.term];
  openHelp(element("div", {}, element("h2", {}, term), element("p", {}, words),
    element("p", {}, element("a", { href: PATH + known.game }, say("How to play")))));
}

/** @type {any} */
let known = { game: null, terms: [], found: null };

// Fetch the terms of the game at the table, then call done().
async function loadTerms(game, done) {
  if (known.game === game) return;
  known = { game, terms: [], found: null };
  try {
    const { terms } = await getJson(`/api${PATH}${encodeURIComponent(game)}/terms`);
    if (known.game !== game || !terms.length) return;
    // "to pass": pass.
    const words = terms.map(({ term }) => term.split(" ").at(-1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    known = { game, terms, found: new RegExp(`(^|[^\\p{L}])(${words.join("|")})(s|es|e|en|n|er)?(?![\\p{L}])`, "iu"),
      words };
    done();
  } catch {
    known.game = null; // Fetched again with the next view.
  }
}

// Link the first occurrence of each term in an element's text to its meaning, as soon as the terms are known.
export function linkTerms(host, { game }, redraw) {
  loadTerms(game.name, redraw);
  if (!known.found || !host) return;
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  const done = new Set([...host.querySelectorAll("a.term")].map((link) => link.dataset.term));
  for (const text of texts) {
    if (!text.parentElement?.closest("a, button, summary, h2, label, select, .name")) mark(text, done);
  }
}

function mark(text, done) {
  const match = known.found.exec(text.data);
  if (!match) return;
  const at = known.words.findIndex((word) => word.replace(/\\/g, "").toLowerCase() === match[2].toLowerCase());
  const rest = text.splitText(match.index + match[1].length);
  const after = rest.splitText(match[0].length - match[1].length);
  if (!done.has(`${at}`)) {
    done.add(`${at}`);
    rest.replaceWith(element("a", { class: "term", href: `${PATH}${known.game}#term-${at + 1}`, "data-term": at },
      rest.data));
  }
  mark(after, done);
}

// Make links to the rules open a dialog over this page.
export function openOverPage() {
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.(`a[href^="${PATH}"]`);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.classList.contains("term")) return openTerm(link);
    openRules(link.getAttribute("href")).catch((error) => explain(error.message, error));
  });
}
