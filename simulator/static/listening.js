// Receives the board's state: as events or, when too many pages are open, by polling.

import { say } from "./words.js";

export function listen(show, tell) {
  const said = document.getElementById("say");
  let events = null;
  let asking = 0;
  const open = () => {
    events?.close();
    clearInterval(asking);
    events = new EventSource("/sim/events");
    events.onopen = () => { if (said.dataset.lost) { delete said.dataset.lost; tell(say("The table is back.")); } };
    events.onmessage = (event) => show(JSON.parse(event.data));
    events.addEventListener("enough", () => {
      // Too many pages of this address: this one polls until it becomes visible again.
      events.close();
      asking = setInterval(() => fetch("/sim/state").then((answer) => answer.json()).then(show, () => {}), 3000);
    });
    events.onerror = () => {
      said.dataset.lost = "yes";
      tell(say("The table can't be reached; trying again …"), true);
      if (events.readyState === EventSource.CLOSED) setTimeout(open, 2000);
    };
  };
  open();
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") open(); });
}
