// The workshop on the host's page: the board is checked, mapped or calibrated, with the node to touch lit.
import { add } from "/static/shared/added.js";
import { isPlaying } from "/static/host/host_now.js";
import { tell } from "/static/shared/announce.js";
import { Board } from "/static/shared/board.js";
import { button, confirmThen } from "/static/shared/controls.js";
import { byId, element, hintLine, renew, row } from "/static/shared/elements.js";
import { getJson, post } from "/static/shared/live.js";
import { section } from "/static/shared/parts.js";
import { say } from "/static/shared/words.js";

const EVERY_MS = 700;
const LIGHTS = { put: "movable", off: "best", wrong: "wrong" };
const CHOICES = { skip: say("Go on without an answer"), undo: say("One step back"),
  go: say("Go on with what it reads"), red: say("Red"), green: say("Green"), blue: say("Blue"),
  dark: say("No light") };

class Workshop {
  constructor() {
    this.box = element("div", { id: "workshop", "data-card": "workshop-box" });
    this.known = null;
    this.view = null;
    this.key = "";
    setInterval(() => this.open && !document.hidden && this.look(), EVERY_MS);
  }

  // Whether this part of the page is visible.
  get open() {
    return Boolean(this.view?.host) && byId("page").dataset.part === "hardware";
  }

  draw(view) {
    this.view = view;
    renew(this.box, [view && this.card(view)]);
    return this.box;
  }

  async look() {
    if (this.looking) return;
    this.looking = true;
    const fresh = await getJson("/api/host/workshop", 5000).catch(() => null); // The next request follows soon.
    this.looking = false;
    if (fresh) this.take(fresh);
  }

  take(fresh) {
    const words = (state) => state?.step?.hint ?? state?.step?.words ?? state?.result?.words;
    if (this.known && words(fresh) !== words(this.known)) tell(words(fresh) ?? "");
    this.known = fresh;
    this.draw(this.view);
  }

  send(path, body) {
    return post(`host/workshop/${path}`, body).finally(() => this.look());
  }

  begin(view, what) {
    if (!isPlaying(view) || view.paused) return this.send("begin", { what, pause: false });
    return confirmThen(say("Pause the game and take the board? Remember what lies where: everything must come off the board, and go back afterwards."),
      () => this.send("begin", { what, pause: true }));
  }

  // The same card as long as nothing has changed, to avoid drawing the board again.
  card(view) {
    if (!this.known) return null;
    const key = JSON.stringify([this.known, view.game.id, view.phase, view.paused]);
    if (key === this.key) return this.shown;
    this.key = key;
    const { step, result, refused, what } = this.known;
    this.shown = section("workshop", say("The workshop"),
      step ? this.working(view, step) : this.idle(view, result, refused, what));
    return this.shown;
  }

  idle(view, result, refused, what) {
    const told = new Set(); // Two works may be refused for one reason.
    const why = (name) => !told.has(refused[name]) && told.add(refused[name]) && hintLine(refused[name]);
    const work = (name, words, about, attributes = {}) => [
      refused[name] ? why(name) : hintLine(about),
      !refused[name] && button({ id: `workshop-${name}`, ...attributes }, words, () => this.begin(view, name)),
    ];
    return [
      result && this.found(view, result),
      ...work("check", result && what === "check" ? say("Check it again") : say("Check the board"),
        say("Lodestone lights one node after the other; put a stone there, and take it off again. It finds sensors and lights that are dead, stuck or swapped."),
        { class: "primary" }),
      ...work("map", say("Map the board"),
        say("Newly soldered? Mapping finds out which sensor and which light each node has, and writes it into the board file.")),
      ...work("calibrate", say("Calibrate the board"),
        say("Linear sensors? Calibrating measures what each one reads with nothing, a white and a black stone, and a stack, and writes it into the board file.")),
    ];
  }

  found(view, { good, words, items }) {
    // What a check has not tried is no news; what a calibration could not tell apart is.
    const wrong = items.filter(({ state }) => state === "bad"
      || (state === "unproven" && this.known.what === "calibrate"));
    return element("div", { class: `found ${good ? "good" : "open"}` },
      element("p", { class: "message workshop-words" }, words),
      wrong.length > 0 && this.drawing(view,
        Object.fromEntries(wrong.map(({ node, words: about }) =>
          [node, { meaning: "wrong", words: about, seat: null }]))),
      wrong.length > 0 && element("ul", { class: "notice trouble", "aria-label": say("What is broken") },
        ...wrong.map(({ words: about }) => element("li", {}, about))));
  }

  working(view, step) {
    const node = step.node?.split("/")[0]; // The names of a well's nine sensors begin with the well's.
    const lit = node in view.layout.nodes && !["wait", "colour"].includes(step.do);
    return [
      element("p", { class: "message workshop-words" }, step.words),
      step.hint && element("p", { class: "notice" }, step.hint),
      step.felt.length > 0 && hintLine(
        say("Felt now: {nodes}", { nodes: step.felt.join(", ") })),
      this.drawing(view, lit ? { [node]: { meaning: LIGHTS[step.do], words: step.words, seat: null } } : {}),
      element("progress", { max: step.of, value: step.done,
        "aria-label": say("{done} of {of} done", { done: step.done, of: step.of }) }),
      hintLine(say("{done} of {of} done", { done: step.done, of: step.of })),
      row(...step.choices.map((choice) =>
        button({ id: `workshop-${choice}` }, CHOICES[choice], () => this.send("answer", { choice, done: step.done }))),
      button({ id: "workshop-stop" }, say("Stop"), () => this.send("stop"))),
    ];
  }

  drawing(view, lights) {
    const host = element("div", { id: "workshop-board", class: "workshop-board" });
    new Board(host).show({ ...view, board: {}, lights, arrows: [], tasks: [], stage: [] });
    return host;
  }
}

const workshop = new Workshop();
add("host-card", (now) => workshop.draw(now().view));
