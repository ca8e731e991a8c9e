// Company at the table: signs that players give each other, and words of computers. They are shown for some seconds, on
// phones over the board, on the big screen beside it; each phone may keep both to itself, and the host may switch them
// off for all.
import { byId, element, hintLine, needStyle, renew } from "./elements.js";
import { closeSheet, disc, lineSwitch, list } from "./frame.js";
import { iconOf } from "./icons.js";
import { seatHue } from "./lamps.js";
import { attempt, post, seatOf } from "./live.js";
import { keep, recall } from "./storage.js";
import { say } from "./words.js";

const QUIET = "lodestone-quiet"; // Whether this phone shows no signs and no words.

const FACE = "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9 9.2v.8M15 9.2v.8";

/** @type {Record<string, [string, string]>} Each sign: its words on a button, and its picture. */
const SIGNS = {
  wave: [say("Wave"),
    "M8 13V6.5a1.5 1.5 0 0 1 3 0V11V5a1.5 1.5 0 0 1 3 0v6V6.5a1.5 1.5 0 0 1 3 0V15c0 3.5-2.2 6-5.5 6" +
    "-2.6 0-4-1.2-5.2-3.3L4.2 14c-.9-1.6 1-2.9 2.2-1.6z" +
    "M3 8c0-2 1-3.6 2.5-4.5M20 10.5c1.2-2 1-4.5-.2-6"],
  luck: [say("Good luck"), "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9L12 16.9l-5.3 2.8 1.1-5.9L3.5 9.7l5.9-.8z"],
  like: [say("I like that"),
    "M4 11h3.5v9H4z" +
    "M7.5 12 11 4.5c1.8-.3 2.8 1 2.4 2.7L12.7 10H18c1.4 0 2.3 1.2 2 2.5l-1.4 5.8c-.3 1-1 1.7-2.1 1.7h-9"],
  clap: [say("Bravo"),
    "M6 10.5l5.5 5.5M8.5 8l6 6" +
    "M11.5 7l4.5 4.5V9a1.5 1.5 0 0 1 3 0v5c0 4-2.5 6.5-6 6.5-2 0-3.5-.8-5-2.3L4.5 14.5a1.4 1.4 0 0 1 2-2" +
    "M6.5 10.5a1.4 1.4 0 0 1 2-2M9.5 7a1.4 1.4 0 0 1 2 0M14 2.5v2M18 3.5l-1 1.8M9.5 2.8l.8 1.7"],
  wow: [say("Wow"), `${FACE}M10 15.5a2 2.2 0 1 0 4 0a2 2.2 0 1 0-4 0`],
  laugh: [say("Haha"), `${FACE}M7.5 13h9c-.3 3-2 4.5-4.5 4.5S7.8 16 7.5 13z`],
  oops: [say("Oops"), `${FACE}M8 16l2-1.5 2 1.5 2-1.5 2 1.5`],
  think: [say("Thinking"), "M7 15.5a4 4 0 0 1-.5-7.9A5 5 0 0 1 16 6.5a4.5 4.5 0 0 1 1.5 8.9zM6.5 18.5v.1M4.5 21v.1"],
  moment: [say("One moment"), "M6.5 3.5h11M6.5 20.5h11M8 3.5v3.5l4 5 4-5V3.5M8 20.5V17l4-5 4 5v3.5"],
  break: [say("A break?"),
    "M5 9h11v6.5a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zM16 10.5h1.5a2.5 2.5 0 0 1 0 5H16M8.5 3.5v2.5M12.5 3.5v2.5"],
  thanks: [say("Thanks"),
    "M12 20C6 15.8 3.5 12.8 3.5 9.2 3.5 6.7 5.4 5 7.6 5c1.9 0 3.4 1.1 4.4 2.9C13 6.1 14.5 5 16.4 5" +
    "c2.2 0 4.1 1.7 4.1 4.2 0 3.6-2.5 6.6-8.5 10.8z"],
  sorry: [say("Sorry"), `${FACE}M8.5 16.5c1-1.5 2.2-2 3.5-2s2.5.5 3.5 2`],
};

const picture = (sign) => iconOf(SIGNS[sign][1]);

const quiet = () => recall(QUIET) === "on";

/**
 * Show what people and computers say just now: in the page's place for it, else over its board.
 * @param {any} view
 */
export function showSaid(view) {
  let box = byId("said");
  needStyle(new URL("company.css", import.meta.url));
  if (!box) {
    box = element("div", { id: "said", class: "said", role: "status" });
    byId("board").after(box);
  }
  renew(box, quiet() ? [] : view.said.map((one) => element("p", { "data-card": `${one.seat} ${one.words}`,
    class: seatHue(view, one.seat) },
    disc(seatOf(view, one.seat)), one.sign && picture(one.sign), element("span", {}, one.sign ? one.words
      : say("{name}: {reason}", { name: seatOf(view, one.seat).name, reason: one.words })))));
}

/**
 * From where a player gives a sign, and a phone and the host choose what is shown: a part of a sheet.
 * @param {any} view
 * @param {any} seat This phone's seat.
 * @param {() => void} redraw
 */
export function signParts(view, seat, redraw) {
  needStyle(new URL("company.css", import.meta.url));
  const { words, signs } = view.company;
  const give = (sign) => () => { closeSheet(); attempt(() => post("greet", { sign })); };
  const allow = (change) => attempt(() => post("host/company", { words, signs, ...change }));
  return element("div", { class: "sign-box", "data-card": "signs" },
    seat && signs && element("div", { class: "sign-grid" }, ...Object.keys(SIGNS).map((sign) =>
      element("button", { id: `sign-${sign}`, type: "button", onclick: give(sign) }, picture(sign),
        element("span", {}, SIGNS[sign][0])))),
    seat && hintLine(signs ? say("All see it for a few seconds. It is not saved.")
      : say("The host has switched signs off.")),
    list("company",
      lineSwitch("quiet", "phone", say("Show signs and words on this phone"), !quiet(), (on) => {
        keep(QUIET, on ? null : "on");
        redraw();
      }),
      view.host && lineSwitch("allow-words", "speech", say("Computers say something"), words,
        (on) => allow({ words: on })),
      view.host && lineSwitch("allow-signs", "seats", say("Players may give signs"), signs,
        (on) => allow({ signs: on }))));
}
