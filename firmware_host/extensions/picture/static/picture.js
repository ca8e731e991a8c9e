// A picture of the end to share, made on this device: who won, the board at rest, the score and how it went. It is a
// PNG, as messengers show no SVG. Nothing is fetched or sent.
import { add } from "/static/shared/added.js";
import { element, needStyle, svg } from "/static/shared/elements.js";
import { scoreCurve, wonWords } from "/static/shared/end.js";
import { closeSheet, line, openSheet } from "/static/shared/frame.js";
import { attempt } from "/static/shared/live.js";
import { listOf, say } from "/static/shared/words.js";

const [WIDE, HIGH, EDGE] = [1080, 1350, 60];
const BOARD = { top: 225, side: 720 };
const SCORE_TOP = 1015;
const CURVE = { top: 1045, high: 285 };
const ALONE = { top: 240, side: WIDE - 2 * EDGE, score: 1285 }; // Without a curve.
const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin",
  "stroke-linecap", "opacity", "font-size", "font-family", "font-weight", "text-anchor", "display", "r", "rx", "ry",
  "stop-color", "stop-opacity", "paint-order"];
const USED = /url\("?#([^")]+)"?\)/;

// A copy of a drawing that looks the same without the style sheet: each part carries its own style, and the page's
// gradients and shapes that it refers to come along.
function withStyles(drawing) {
  drawing.classList.add("still");
  const copy = drawing.cloneNode(true);
  const needed = new Set();
  const note = (one) => {
    for (const name of ["fill", "stroke"]) {
      const id = USED.exec(getComputedStyle(one).getPropertyValue(name))?.[1];
      if (id) needed.add(id);
    }
    if (one.tagName === "use") needed.add(one.getAttribute("href").slice(1));
  };
  const [from, to] = [[drawing, ...drawing.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((one, at) => {
    styleOf(one, to[at]);
    note(one);
  });
  drawing.classList.remove("still");
  const defs = svg("defs", {});
  for (const id of needed) { // What is needed by what is needed is added on the way.
    const shape = document.getElementById(id);
    if (!shape || drawing.contains(shape)) continue;
    const made = /** @type {Element} */ (shape.cloneNode(true));
    [...shape.querySelectorAll("*")].forEach((one, at) => {
      styleOf(one, made.querySelectorAll("*")[at]);
      note(one);
    });
    defs.append(made);
  }
  copy.prepend(defs);
  return copy;
}

function styleOf(one, copy) {
  const style = getComputedStyle(one);
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (!value || value === "auto" || (value === "none" && !["fill", "stroke", "display"].includes(name))) continue;
    copy.setAttribute(name, value.replace(USED, "url(#$1)"));
  }
  copy.removeAttribute("class");
}

// A drawing that is in no page: it must be there for its style to be computed.
function computed(drawing) {
  drawing.style.position = "absolute";
  document.body.append(drawing);
  const copy = withStyles(drawing);
  drawing.remove();
  copy.removeAttribute("style");
  return copy;
}

function widthOf(words, size, family) {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen) pen.font = `700 ${size}px ${family}`;
  return pen?.measureText(words).width ?? 0;
}

const ROOM = WIDE - 2 * EDGE;

// The largest size, up to a usual one, at which words fit on a line.
const fitting = (words, size, family) => Math.floor(size * Math.min(1, ROOM / (widthOf(words, size, family) || 1)));

function inLines(words, size, family) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (widthOf(longer, size, family) > ROOM) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function place(drawing, x, y, width, height) {
  for (const [name, value] of Object.entries({ x, y, width, height })) drawing.setAttribute(name, value);
  return drawing;
}

/** The whole picture, as the text of an SVG. */
function pictureOf(view, board) {
  const style = getComputedStyle(document.body);
  const serif = getComputedStyle(document.querySelector("h1") ?? document.body).fontFamily;
  const write = (y, size, words, more = {}) => svg("text", { x: WIDE / 2, y, "font-size": size, "text-anchor": "middle",
    fill: style.color, "font-family": serif, "font-weight": 700, ...more }, words);
  const plain = { "font-family": style.fontFamily, "font-weight": 400 };
  const curve = scoreCurve(view);
  const { top, side } = curve ? BOARD : ALONE;
  const drawn = place(withStyles(board.drawing.root), (WIDE - side) / 2, top, side, side);
  drawn.setAttribute("overflow", "visible"); // Its shadow.
  const whole = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE,
    height: HIGH }, svg("rect", { width: WIDE, height: HIGH, fill: style.backgroundColor }),
  write(95, fitting(wonWords(view), 72, serif), wonWords(view)),
  ...inLines(`${view.game.title} · ${view.result.words}`, 32, style.fontFamily)
    .map((words, at) => write(148 + 42 * at, 32, words, plain)), drawn);
  const { lines } = view.result;
  const names = view.game.scoring && lines.length
    ? lines.map((line) => `${listOf(line.names)} ${line.score}`)
    : view.seats.map((seat) => (seat.plays ? `${seat.name}: ${view.pieces[seat.plays]}` : seat.name));
  const score = names.join("  ·  ");
  whole.append(write(curve ? SCORE_TOP : ALONE.score, fitting(score, 46, serif), score));
  if (curve) whole.append(place(computed(curve), EDGE, CURVE.top, WIDE - 2 * EDGE, CURVE.high));
  return new XMLSerializer().serializeToString(whole);
}

/** The same as a PNG. */
async function pngOf(text) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [WIDE, HIGH];
    canvas.getContext("2d")?.drawImage(image, 0, 0, WIDE, HIGH);
    return await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

/** Show the picture with the link to the replay beside it; share both where this browser can, else save it. */
async function sharePicture(view, board) {
  needStyle(new URL("picture.css", import.meta.url));
  const link = new URL(`/replay/${encodeURIComponent(view.game.id)}`, location.href).href;
  const name = `${view.game.id}.png`;
  const png = await pngOf(pictureOf(view, board));
  if (!png) throw new Error(say("This browser can't draw the picture."));
  const file = new File([png], name, { type: "image/png" });
  const shared = { files: [file], text: `${wonWords(view)} – ${view.game.title}`, url: link };
  const href = URL.createObjectURL(png);
  openSheet(() => ({
    title: say("A picture of the end"),
    parts: [
      element("img", { class: "shared-picture", src: href, alt: `${wonWords(view)}. ${view.result.words}`,
        width: WIDE, height: HIGH, "data-card": "picture" }),
      element("p", { "data-card": "link", class: "shared-link" }, element("a", { href: link }, link)),
      element("div", { class: "row", "data-card": "share" },
        element("a", { class: "button", id: "save-picture", href, download: name }, say("Save the picture")),
        navigator.canShare?.(shared) && element("button", { id: "share-picture", type: "button",
          onclick: () => navigator.share(shared).catch(() => null) }, say("Share"))),
    ],
    back: [say("Back"), closeSheet],
  }));
}

add("share-line", (view, board) =>
  line("picture", "phone", say("Share a picture"), "", () => attempt(() => sharePicture(view, board))));
