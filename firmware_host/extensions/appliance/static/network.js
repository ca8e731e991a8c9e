// The choice of the table's Wi-Fi. A password leaves this page once, and is forgotten here at once. A guest of the
// table's own Wi-Fi may have to wait for the host, who finds the guest's code on the host's page.
import { confirmThen, onSubmit } from "/static/shared/controls.js";
import { byId, element, setText } from "/static/shared/elements.js";
import { attempt, getJson, post } from "/static/shared/live.js";
import { keep, recall } from "/static/shared/storage.js";
import { say } from "/static/shared/words.js";

const EVERY_MS = 2000;
const HIDDEN = "hidden";
const PLACE = "lodestone-network";

let known = "";
let networks = [];
let confirms = false; // Whether the host has to confirm any network that this phone chooses.
let host = false;
let mine = recall(PLACE, true); // The code of this phone's wish, until the host has answered.
let latest = null; // What the machine has said last of a network, and before the wish.
let before = null;
let refused = false;

const chosen = () => networks.find((one) => one.id === byId("network").value);
const asHex = (name) => Array.from(new TextEncoder().encode(name),
  (byte) => byte.toString(16).padStart(2, "0")).join("");

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
  const last = list.value;
  list.replaceChildren(
    ...found.map((one) => element("option", { value: one.id }, label(one))),
    element("option", { value: HIDDEN }, say("Another, hidden network …")));
  list.value = last === HIDDEN || found.some((one) => one.id === last) ? last : list.options[0].value;
}

const waits = () => confirms || (!host && (byId("network").value === HIDDEN || chosen()?.kind === "open"));

function remember(code) {
  mine = code;
  keep(PLACE, code, true);
}

function showRows() {
  const kind = chosen()?.kind;
  byId("confirm-row").hidden = !waits();
  byId("join").textContent = waits() ? say("Ask the host") : say("Join this network");
  byId("hidden-row").hidden = byId("network").value !== HIDDEN;
  byId("password-row").hidden = kind === "open" || kind === "other";
  byId("other-row").hidden = kind !== "other";
  byId("join").disabled = kind === "other";
}

// Once the wish is no longer in the state, the host has answered: the table joins, has tried to, or does nothing.
function follow(state) {
  if (!mine || state.asked === mine) return;
  remember(null);
  refused = !state.doing && state.message === before;
}

function show(state) {
  follow(state);
  ({ confirms, host, message: latest } = state);
  byId("network-form").hidden = !state.offered || Boolean(state.doing || mine);
  byId("asking").hidden = !mine;
  byId("code").textContent = mine;
  const nothing = state.offered
    ? state.hotspot && say("The table knows no network here, so it has its own: {name}.", { name: state.hotspot })
    : say("This machine's network is not chosen here: sudo ./install.sh --hotspot yes sets it up.");
  const asking = mine && say("The host has to allow this. Show the host this code:");
  const answer = refused && say("The host has not allowed this network.");
  const words = state.doing ?? (asking || answer || (state.message ?? (nothing || say("The table is in a network."))));
  setText(byId("message"), words);
  showList(state.networks);
  showRows();
}

function look() {
  setTimeout(look, EVERY_MS);
  if (!document.hidden) fetchState();
}

async function fetchState() {
  const asked = mine;
  try {
    const answer = await getJson("/api/network");
    if (asked === mine) show(answer); // Else it was asked for before the wish was known.
  } catch (error) {
    if (!error.away) {
      byId("message").textContent = error.message;
    } else if (known) {
      byId("message").textContent =
        say("The table can't be reached. Is this phone in the same network? Join the one that you have chosen, and open http://lodestone.local:8000; if that fails, the table's own network is back in a minute or two.");
    }
  }
}

function join() {
  const hidden = byId("network").value === HIDDEN;
  const network = hidden ? asHex(byId("hidden-name").value) : byId("network").value;
  const name = hidden ? byId("hidden-name").value : chosen()?.name;
  const password = chosen()?.kind === "open" ? "" : byId("password").value;
  const send = async () => {
    byId("password").value = "";
    before = latest;
    refused = false;
    remember((await post("network/join", { network, password, hidden })).code);
    await fetchState();
  };
  if (waits()) return send();
  return confirmThen(say("Join {name}? This phone may lose the table: then join {name} with it, too.", { name }), send);
}

byId("network").addEventListener("change", showRows);
byId("look").addEventListener("click", () => attempt(() => post("network/look")));
onSubmit(byId("network-form"), join);
look();
