// The virtual board and a phone on one page. A narrow window shows one of them.
import { byId } from "/static/shared/elements.js";
import { state } from "/static/shared/live.js";

const PARTS = ["table", "phone"];

function show(shown) {
  for (const part of PARTS) {
    byId(part).classList.toggle("behind", part !== shown);
    byId(`to-${part}`).setAttribute("aria-pressed", String(part === shown));
  }
}

for (const part of PARTS) byId(`to-${part}`).addEventListener("click", () => show(part));
show("table");

// In the lobby the phone takes a seat first.
state().then(({ phase }) => (phase === "lobby" ? "/" : "/play"), () => "/")
  .then((path) => { byId("phone").src = path; });
