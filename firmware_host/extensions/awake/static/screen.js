// The big screen stays on; where its browser can't, it says in the lobby what to set.
import { keepOn } from "./awake.js";
import { add } from "/static/shared/added.js";
import { byId, showText } from "/static/shared/elements.js";
import { say } from "/static/shared/words.js";

let staysOn = true;
let again = () => {};

add("view", (view, redraw) => {
  again = redraw;
  showText(byId("awake"), view.phase === "lobby" && !staysOn
    && say("This screen can't keep itself on: switch its sleep and its screen saver off in its settings."));
});
keepOn().then((on) => {
  staysOn = on;
  again();
});
