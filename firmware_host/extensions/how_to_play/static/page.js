// How to play: the page has the sentences; the pictures are drawn with the board's own drawing code.
import { drawPictures } from "./pictures.js";
import { byId, firstOf } from "/static/shared/elements.js";
import { connect, explain, getJson } from "/static/shared/live.js";
import { seatColours } from "/static/shared/parts.js";
import { openWhenAsked } from "/static/shared/seal.js";
import { say } from "/static/shared/words.js";

const AGAIN_MS = 3000;
const { game = "" } = firstOf("main").dataset;

function draw(sheet) {
  if (sheet.pictures.length) seatColours({ ...sheet, ...sheet.pictures[0] });
  drawPictures(sheet, document);
}

async function load() {
  try {
    draw(await getJson(`/api/how-to-play/${encodeURIComponent(game)}`));
    explain(null);
  } catch {
    explain(say("The table does not answer. Trying again …"), { away: true });
    setTimeout(load, AGAIN_MS);
  }
}

// Back to the page before: a phone at the table, the big screen, a replay.
byId("back").addEventListener("click", (event) => {
  if (history.length < 2) return;
  event.preventDefault();
  history.back();
});

load();
// A phone that has sealed may show this page meanwhile: it opens its seal from every page.
connect(openWhenAsked, (view) => Boolean(view.you) && ["sealing", "revealing"].includes(view.phase));
