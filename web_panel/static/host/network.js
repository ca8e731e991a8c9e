// The choice of the table's Wi-Fi. A password leaves this page once, and is forgotten here at once.
import { attempt, element, post } from "../shared/live.js";
import { confirmThen } from "../shared/ask.js";
import { say } from "../shared/words.js";

const EVERY_MS = 2000;
const ANSWER_MS = 15000;
const HIDDEN = "hidden";

const byId = (id) => document.getElementById(id);
let known = "";
let networks = [];

const chosen = () => networks.find((one) => one.id === byId("network").value);
const asHex = (name) => Array.from(new TextEncoder().encode(name), (byte) => byte.toString(16).padStart(2, "0")).join("");

function label({ name, signal, kind, in_use: inUse }) {
  const values = { name, signal };
  if (inUse) return say("{name} (in use)", values);
  return kind === "open" ? say("{name} ({signal} %, without a password)", values) : say("{name} ({signal} %)", values);
}

// The list is only touched where it has changed: somebody may be choosing in it.
function showList(found) {
  const now = JSON.stringify(found.map(({ id, kind, in_use: inUse }) => [id, kind, inUse]));
  networks = found;
  if (now === known) return;
  known = now;
  const list = byId("network");
  const before = list.value;
  list.replaceChildren(
    ...found.map((one) => element("option", { value: one.id }, label(one))),
    element("option", { value: HIDDEN }, say("Another, hidden network …")));
  list.value = before === HIDDEN || found.some((one) => one.id === before) ? before : list.options[0].value;
  showRows();
}

function showRows() {
  const kind = chosen()?.kind;
  byId("hidden-row").hidden = byId("network").value !== HIDDEN;
  byId("password-row").hidden = kind === "open" || kind === "other";
  byId("other-row").hidden = kind !== "other";
  byId("join").disabled = kind === "other";
}

function show(state) {
  byId("network-form").hidden = !state.offered || Boolean(state.doing);
  const nothing = state.offered
    ? state.hotspot && say("The table knows no network here, so it has its own: {name}.", { name: state.hotspot })
    : say("This machine's network is not chosen here: sudo ./install.sh --hotspot yes sets it up.");
  const told = state.doing ?? state.told ?? (nothing || say("The table is in a network."));
  if (byId("told").textContent !== told) byId("told").textContent = told;
  showList(state.networks);
}

async function look() {
  setTimeout(look, EVERY_MS);
  if (document.hidden) return;
  try {
    const response = await fetch("/api/network", { signal: AbortSignal.timeout?.(ANSWER_MS) });
    const answer = await response.json();
    if (response.ok) show(answer);
    else byId("told").textContent = answer.error.message;
  } catch {
    if (known) byId("told").textContent = say("The table can't be reached. Is this phone in the same network? Join the one that you have chosen, and open http://lodestone.local:8000; if that fails, the table's own network is back in a minute or two.");
  }
}

function join() {
  const hidden = byId("network").value === HIDDEN;
  const network = hidden ? asHex(byId("hidden-name").value) : byId("network").value;
  const name = hidden ? byId("hidden-name").value : chosen()?.name;
  const password = chosen()?.kind === "open" ? "" : byId("password").value;
  confirmThen(say("Join {name}? This phone may lose the table: then join {name} with it, too.", { name }), () => {
    byId("password").value = "";
    return post("network/join", { network, password, hidden });
  });
}

byId("network").addEventListener("change", showRows);
byId("look").addEventListener("click", () => attempt(() => post("network/look")));
byId("network-form").addEventListener("submit", (event) => {
  event.preventDefault();
  join();
});
look();
