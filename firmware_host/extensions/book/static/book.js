// The server writes the book's page; this script writes its dates in the reader's form, and adds the host's buttons
// that forget a name, or a day's solved puzzles.
import { allOf } from "/static/shared/elements.js";
import { post } from "/static/shared/live.js";
import { confirmThen } from "/static/shared/controls.js";
import { locale, say, sayMany } from "/static/shared/words.js";

const medium = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const dated = (text) => text.replace(/\d{4}-\d\d-\d\d/g, (day) => medium.format(new Date(day)));

for (const one of allOf(".when, button[data-day]")) one.textContent = dated(one.textContent);

for (const button of allOf("button[data-forget]")) {
  const name = button.dataset.forget;
  button.addEventListener("click", () => confirmThen(
    say("Show {name} as “somebody” in all games until now? This can't be undone. The records keep the name.", { name }),
    () => post("host/forget", { name }).then(() => location.reload())));
}

for (const button of allOf("button[data-day]")) {
  const { day, count } = button.dataset;
  button.addEventListener("click", () => confirmThen(
    sayMany("Remove the one puzzle solved on {day}? This can't be undone.",
      "Remove all {count} puzzles solved on {day}? This can't be undone.", Number(count), { day: dated(day) }),
    () => post("host/remove-solved", { day }).then(() => location.reload())));
}
