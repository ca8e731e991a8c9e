// The check of the board, guided from this page: the present step, the board with the node to touch lit, and the result.
import { Board } from "../shared/board.js";
import { confirmThen } from "../shared/ask.js";
import { tell } from "../shared/announce.js";
import { attempt, element, post } from "../shared/live.js";
import { section } from "./host_section.js";
import { say } from "../shared/words.js";

const EVERY_MS = 700;
const ANSWER_MS = 5000;
const LIGHTS = { put: "movable", off: "best", wrong: "wrong" };
const CHOICES = { skip: say("Go on without an answer"), undo: say("Back by one place"), go: say("Go on with what it reads") };

export class Workshop {
  // `redraw()` draws the page again; `open()` tells whether this part of it is visible.
  constructor(redraw, open) {
    this.redraw = redraw;
    this.open = open;
    this.known = null;
    this.key = "";
    setInterval(() => this.open() && !document.hidden && this.look(), EVERY_MS);
  }

  async look() {
    if (this.looking) return;
    this.looking = true;
    try {
      const response = await fetch("/api/host/workshop", { signal: AbortSignal.timeout?.(ANSWER_MS) });
      if (response.ok) this.take(await response.json());
    } catch {
      // The stream reports that the table does not answer; the next request follows soon.
    } finally {
      this.looking = false;
    }
  }

  take(fresh) {
    const words = (state) => state?.step?.hint ?? state?.step?.words ?? state?.result?.words;
    if (this.known && words(fresh) !== words(this.known)) tell(words(fresh) ?? "");
    this.known = fresh;
    this.redraw();
  }

  send(path, body) {
    return attempt(() => post(`host/workshop/${path}`, body).finally(() => this.look()));
  }

  begin(view, what) {
    const plays = !["lobby", "over"].includes(view.phase) && !view.held;
    if (!plays) this.send("begin", { what, pause: false });
    else confirmThen(say("Pause the game and take the board? Remember what lies where: everything must come off the board, and go back afterwards."),
      () => post("host/workshop/begin", { what, pause: true }).finally(() => this.look()));
  }

  // The same card as long as nothing has changed, to avoid drawing the board again.
  card(view) {
    if (!this.known) return null;
    const key = JSON.stringify([this.known, view.game.id, view.phase, view.held]);
    if (key === this.key) return this.shown;
    this.key = key;
    const { step, result, refused, what } = this.known;
    this.shown = section("workshop", say("The workshop"), step ? this.working(view, step) : this.idle(view, result, refused, what));
    return this.shown;
  }

  idle(view, result, refused, what) {
    return [
      result && this.found(view, result),
      element("p", { class: "hint" }, refused.check ?? say("Lodestone lights one place after the other; put a stone there, and take it off again. It finds sensors and lights that are dead, stuck or swapped.")),
      !refused.check && element("button", { id: "workshop-check", class: "primary", onclick: () => this.begin(view, "check") },
        result && what === "check" ? say("Check it again") : say("Check the board")),
      element("p", { class: "hint" }, refused.map ?? say("Newly soldered? Mapping finds out which sensor and which light each node has, and writes it into the board file.")),
      !refused.map && element("button", { id: "workshop-map", onclick: () => this.begin(view, "map") }, say("Map the board")),
      element("p", { class: "hint" }, refused.calibrate ?? say("Linear sensors? Calibrating measures what each one reads with nothing, a white and a black stone, and a stack, and writes it into the board file.")),
      !refused.calibrate && element("button", { id: "workshop-calibrate", onclick: () => this.begin(view, "calibrate") }, say("Calibrate the board")),
    ];
  }

  found(view, { good, words, items }) {
    // What a check has not tried is no news; what a calibration could not tell apart is.
    const wrong = items.filter(({ state }) => state === "bad" || (state === "unproven" && this.known.what === "calibrate"));
    return element("div", { class: `found ${good ? "good" : "open"}` }, element("p", { class: "message workshop-words" }, words),
      wrong.length > 0 && this.drawing(view, Object.fromEntries(wrong.map(({ node, words: about }) => [node, { meaning: "wrong", words: about, seat: null }]))),
      wrong.length > 0 && element("ul", { class: "notice trouble", "aria-label": say("What is broken") }, ...wrong.map(({ words: about }) => element("li", {}, about))));
  }

  working(view, step) {
    const node = step.node?.split("/")[0]; // The names of a well's nine sensors begin with the well's.
    const lit = node in view.layout.nodes && step.do !== "wait";
    return [
      element("p", { class: "message workshop-words" }, step.words),
      step.hint && element("p", { class: "notice" }, step.hint),
      step.felt.length > 0 && element("p", { class: "hint" }, say("Felt now: {nodes}", { nodes: step.felt.join(", ") })),
      this.drawing(view, lit ? { [node]: { meaning: LIGHTS[step.do], words: step.words, seat: null } } : {}),
      element("progress", { max: step.of, value: step.done, "aria-label": say("{done} of {of} places are done", { done: step.done, of: step.of }) }),
      element("p", { class: "hint" }, say("{done} of {of} places are done", { done: step.done, of: step.of })),
      element("div", { class: "row" },
        ...step.choices.map((choice) => element("button", { id: `workshop-${choice}`, onclick: () => this.send("answer", { choice }) }, CHOICES[choice])),
        element("button", { id: "workshop-stop", onclick: () => this.send("stop") }, say("Stop"))),
    ];
  }

  drawing(view, lights) {
    const host = element("div", { id: "workshop-board", class: "workshop-board" });
    new Board(host).show({ ...view, board: {}, lights, arrows: [], tasks: [], stage: [] });
    return host;
  }
}
