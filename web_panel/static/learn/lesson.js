// A lesson at the table: the exercise, the comment on the last try, and the learner's buttons.
import { attempt, element, fetched, post } from "../shared/live.js";
import { card } from "../shared/parts.js";
import { markDone } from "./lessons.js";
import { say } from "../shared/words.js";
import { needStyle } from "../shared/styles.js";

export function turn(name) {
  return () => attempt(() => post(`lesson/${name}`));
}

// Where this phone goes when the lobby is back: the table may tell of it before the answer to the button is here.
const way = { out: "/", leaving: false };
addEventListener("pageshow", () => { way.leaving = false; });

export function leave() {
  if (way.leaving) return;
  way.leaving = true;
  location.assign(way.out);
}

export function stopTo(path) {
  return attempt(async () => {
    way.out = path;
    await post("lesson/stop");
    leave();
  });
}

const stop = () => stopTo("/#learn");

function following(view) {
  const { lesson } = view;
  return attempt(async () => {
    const { lessons } = await (await fetched("/api/lessons")).json();
    const next = lessons[lesson.number];
    if (!next) return stop();
    await post("lesson/begin", { name: next.name, phone: lesson.phone });
    return location.reload();
  });
}

// What is asked, what was said to the last try, and the answer where somebody has asked for it.
export function told(view) {
  const { lesson } = view;
  needStyle(new URL("lesson.css", import.meta.url));
  return [lesson.said && element("p", { id: "lesson-said", class: lesson.right ? "notice good" : "notice wrong-try", role: "status" }, lesson.said),
    !lesson.done && view.message !== lesson.words && element("p", { id: "lesson-words" }, lesson.words),
    lesson.hint && element("p", { id: "lesson-hint", role: "status" }, say("This is one way: {hint}.", { hint: lesson.hint }))];
}

// The lesson's card; only the learner's phone and the host have buttons.
export function lessonCard(view) {
  const { lesson } = view;
  if (lesson.over) markDone(view.game.name, lesson.name);
  const mine = Boolean(view.you || view.host);
  const last = lesson.number === lesson.count;
  const head = say("Lesson {number} of {count}: {title}", { number: lesson.number, count: lesson.count, title: lesson.title });
  const where = lesson.exercises > 1 && say("Exercise {number} of {count}", { number: lesson.exercise, count: lesson.exercises });
  return card("lesson", element("h2", {}, head), where && element("p", { class: "hint" }, where), ...told(view),
    mine && element("div", { class: "row" },
      lesson.over ? element("button", { id: "lesson-following", class: "primary big", onclick: () => following(view) }, last ? say("Finish") : say("Next lesson"))
        : lesson.done && element("button", { id: "lesson-next", class: "primary big", onclick: turn("next") }, say("Next")),
      !lesson.done && element("button", { id: "lesson-show", class: "big", onclick: turn("show") }, say("Show me")),
      element("button", { id: "lesson-back", class: "big", onclick: turn("back") }, say("Back")),
      element("button", { id: "lesson-stop", class: "big", onclick: stop }, say("Stop the lesson"))));
}
