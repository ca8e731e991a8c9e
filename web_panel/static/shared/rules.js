// How to play, in a dialog over the present page, which keeps its state. Terms in the page's text link to their
// meanings.
import { Board } from "./board.js";
import { showDialog } from "./dialogs.js";
import { allOf, element } from "./elements.js";
import { explain, fetchInTime, getJson } from "./live.js";
import { say } from "./words.js";

const SHEET = "/static/learn/how_to_play.css";
const PATH = "/how-to-play/";

async function fetchPage(path) {
  const response = await fetchInTime(path);
  const { ok, status } = response;
  if (!ok) throw new Error(say("that didn't work ({status}): load the page again", { status }));
  return response.text();
}

// Draw the pictures of a sheet into #picture-1 and so on, each as near as what it is about.
export function drawPictures({ pictures, layout, pieces, tints }) {
  pictures.forEach((picture, at) => {
    const board = new Board(document.getElementById(`picture-${at + 1}`));
    board.show({ pieces, tints, ...picture, layout: picture.layout ?? layout });
    comeNear(board.drawing, picture);
  });
}

const AROUND = 1.6; // Distances of neighbours that are seen round what a picture is about.
const LEAST = 4; // The least width and height of what is seen.

function comeNear({ root, places, unit }, { board, lights, arrows }) {
  const nodes = new Set([...Object.keys(board).filter((node) => board[node].length), ...Object.keys(lights),
    ...arrows.flatMap((arrow) => arrow.nodes)]);
  const seen = [...nodes].map((node) => places[node]).filter(Boolean);
  if (!seen.length) return;
  const [left, top, width, height] = root.getAttribute("viewBox").split(" ").map(Number);
  const span = (values, from, size) => {
    const [least, most] = [Math.min(...values) - AROUND * unit, Math.max(...values) + AROUND * unit];
    const more = Math.max(0, LEAST * unit - (most - least)) / 2;
    const begin = Math.max(from, least - more);
    return [begin, Math.min(from + size, most + more) - begin];
  };
  const [x, wide] = span(seen.map((place) => place.x), left, width);
  const [y, high] = span(seen.map((place) => place.y), top, height);
  root.setAttribute("viewBox", [x, y, wide, high].map(Math.round).join(" "));
}

function dialog(...content) {
  const done = element("form", { method: "dialog" }, element("button", { class: "go" }, say("Got it")));
  const box = element("dialog", { class: "help", "aria-label": say("How to play") }, ...content, done);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  // It opens at its beginning: without this the browser goes to its first link or button.
  const first = box.querySelector("h1, h2");
  first?.setAttribute("tabindex", "-1");
  first?.setAttribute("autofocus", "");
  showDialog(box);
  box.scrollTop = 0;
  return box;
}

async function openRules(path) {
  if (!document.querySelector(`link[href="${SHEET}"]`)) {
    document.head.append(element("link", { rel: "stylesheet", href: SHEET }));
  }
  const name = path.slice(PATH.length).split("#")[0];
  const [page, sheet] = await Promise.all([fetchPage(path), getJson(`/api${PATH}${name}`)]);
  const main = /** @type {any} */ (new DOMParser().parseFromString(page, "text/html").querySelector("main"));
  for (const one of main.querySelectorAll("#error, .others")) one.remove();
  dialog(element("div", { class: "learn" }, ...main.childNodes));
  drawPictures(sheet);
  const term = path.split("#")[1];
  if (term) reveal(term);
}

// Show a term's meaning, which may be folded away.
function reveal(id) {
  const term = document.getElementById(id);
  const fold = term?.closest("details");
  if (fold) fold.open = true;
  term?.scrollIntoView();
}

function openTerm(link) {
  const { term, words } = known.terms[link.dataset.term];
  dialog(element("h2", {}, term), element("p", {}, words),
    element("p", {}, element("a", { href: PATH + known.game }, say("How to play"))));
}

/** @type {any} */
let known = { game: null, terms: [], found: null };

// Fetch the terms of the game at the table, then call done().
export async function loadTerms(game, done) {
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

// Link the first occurrence of each term in an element's text to its meaning; return the element.
export function withTerms(host) {
  if (!known.found || !host) return host;
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  const done = new Set([...host.querySelectorAll("a.term")].map((link) => link.dataset.term));
  for (const text of texts) {
    if (!text.parentElement?.closest("a, button, summary, h2, label, select, .name")) mark(text, done);
  }
  return host;
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
    for (const dialog of allOf("dialog.help")) dialog.close();
    openRules(link.getAttribute("href")).catch((error) => explain(error.message));
  });
}
