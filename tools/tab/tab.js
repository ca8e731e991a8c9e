// The page around a table: it fetches the program, starts it in a worker, and shows the board and phones in frames.
// What the frames ask comes from the service worker and goes to the worker; what the table wants to be searched goes to
// another one.
const byId = (id) => document.getElementById(id);
const CACHE = "lodestone-tab-";
const STAY_MS = 20_000; // A service worker that hears nothing for half a minute is ended, and its streams with it.
const PEOPLE = [[0, "Computers"], [1, "One phone"], [2, "Two phones"]];
const TOLD_MS = 10_000;
const BYTES_IN_MB = 1_000_000;

const SHARE = byId("share").textContent;

const address = new URL(location.href);
const asked = address.searchParams;
let offers = [];
let bigScreen = "";
let table = "";
let worker = null;
let engine = null;
let begun = 0;

// -- what can be chosen -----------------------------------------------------------------------------------------------

const option = (value, words, disabled = false) => Object.assign(document.createElement("option"),
  { value, textContent: words, disabled });
const offer = () => offers.find((one) => one.game === byId("game").value);

function showChoice() {
  byId("game").replaceChildren(...offers.map((one) => option(one.game, one.title)));
  byId("people").replaceChildren(...PEOPLE.map(([number, words]) => option(number, words)));
  if (offers.some((one) => one.game === asked.get("game"))) byId("game").value = asked.get("game");
  byId("people").value = PEOPLE.some(([number]) => `${number}` === asked.get("people")) ? asked.get("people") : "1";
  showLevels(asked.has("level") ? Number(asked.get("level")) : offer().usual);
}

// Of the levels that are fast enough the one that is wanted, or else the strongest one below it.
function showLevels(wanted) {
  const { levels } = offer();
  const slow = levels.filter((one) => !one.fast);
  byId("level").replaceChildren(...levels.map(({ level, name, fast }) => option(level, name, !fast)));
  const fast = levels.filter((one) => one.fast);
  byId("level").value = `${(fast.findLast(({ level }) => level <= wanted) ?? fast[0]).level}`;
  showOpponent();
  byId("too-slow").textContent = `${slow.map(({ name }) => name).join(" and ")}: in a browser's Python an action would `
    + "take longer than three seconds, so not here. An installed Lodestone has them all.";
}

// Where people have all seats no computer plays.
function showOpponent() {
  const none = Number(byId("people").value) >= offer().seats;
  byId("level").disabled = none;
  byId("too-slow").hidden = none || offer().levels.every((one) => one.fast);
}

function wish(more = {}) {
  return { game: byId("game").value, people: Number(byId("people").value), level: Number(byId("level").value), ...more };
}

// The address leads to the same choice again.
function keepAddress(more) {
  const { record, ...chosen } = wish(more);
  address.search = `${new URLSearchParams(Object.entries(chosen).map(([name, value]) => [name, `${value}`]))}`;
  if (!record) address.hash = "";
  history.replaceState(null, "", address);
}

// -- records in the address -------------------------------------------------------------------------------------------

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream))
  .arrayBuffer());

async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const one of bytes) binary += String.fromCharCode(one);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(word) {
  const binary = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

async function recordAsked() {
  if (!location.hash.startsWith("#record=")) return null;
  try {
    return await unpacked(location.hash.slice("#record=".length));
  } catch {
    return "The link is cut off.";
  }
}

// -- fetching ---------------------------------------------------------------------------------------------------------

const TYPES = { mjs: "text/javascript", wasm: "application/wasm" };

// Fetch what this version needs and is not kept yet, and unpack what comes packed; the bar counts bytes.
async function fetched(about) {
  const cache = await caches.open(CACHE + about.version);
  const all = Object.values(about.files).reduce((sum, size) => sum + size, 0);
  let done = 0;
  const show = () => {
    byId("bar").value = done / all;
    byId("told").textContent = `${(done / BYTES_IN_MB).toFixed(1)} of ${(all / BYTES_IN_MB).toFixed(1)} MB`;
  };
  await Promise.all(Object.entries(about.files).map(async ([name, size]) => {
    const from = new URL(name, document.baseURI).pathname;
    const url = from.replace(/\.packed$/, "");
    if (!await cache.match(url)) {
      const answer = await fetch(`${from}?${about.version}`);
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      const [counted, kept] = answer.body.tee();
      const keeping = cache.put(url, url === from ? new Response(kept, { headers: answer.headers })
        : new Response(kept.pipeThrough(new DecompressionStream("gzip")),
          { headers: { "Content-Type": TYPES[url.split(".").at(-1)] } }));
      for await (const chunk of chunksOf(counted)) {
        done += chunk.length;
        show();
      }
      await keeping;
    } else done += size;
    show();
  }));
  await cache.put(new URL("about.json", document.baseURI).pathname, new Response(JSON.stringify(about)));
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE) && name !== CACHE + about.version) await caches.delete(name);
  }
}

async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

// -- workers ----------------------------------------------------------------------------------------------------------

// Return who this page is to the service worker: the frames' addresses name it.
async function ownName() {
  await navigator.serviceWorker.register("service.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await new Promise((done) => { navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }); });
  }
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => done(data);
    navigator.serviceWorker.controller.postMessage("who", [port2]);
  });
}

const python = () => new Worker("worker.js", { type: "module" });

const news = {
  ready: () => open(),
  opened: () => showTable(),
  refused: ({ words }) => unable(`${words}.`, "This can't be opened"),
  stopped: ({ words }) => unable(words, "Python did not start"),
  // deno-lint-ignore no-console
  failed: ({ words }) => console.error(words),
  engine({ line }) {
    if (!engine) {
      engine = python();
      engine.onmessage = ({ data }) => (data.do === "found" ? worker.postMessage(data) : news[data.do](data));
    }
    engine.postMessage({ do: "search", line });
  },
};

function showGameOf(record) {
  const [, game] = /"game": ?"(\w+)"/.exec(record.split("\n", 1)[0]) ?? [];
  if (!offers.some((one) => one.game === game)) return;
  byId("game").value = game;
  showLevels(offer().usual);
}

async function open(more = null) {
  const record = more?.record ?? (begun ? null : await recordAsked());
  const first = begun ? {} : Object.fromEntries(["position", "pause"].filter((name) => asked.has(name))
    .map((name) => [name, name === "pause" ? Number(asked.get(name)) : asked.get(name)]));
  if (record) showGameOf(record);
  const whole = { ...first, ...(record && { record }) };
  if (begun) keepAddress(whole);
  begun += 1;
  worker.postMessage({ do: "open", wish: wish(whole) });
  byId("again").disabled = true;
  document.body.dataset.shows = record ? "record" : "table";
}

// -- what is shown ----------------------------------------------------------------------------------------------------

function showTable() {
  byId("loading").hidden = true;
  byId("unable").hidden = true;
  byId("again").disabled = false;
  const isRecord = document.body.dataset.shows === "record";
  const phones = isRecord ? [["phone-1", "The replay", "/replay"]]
    : [...Array(Math.max(1, Number(byId("people").value)))].map((_, at) => [`phone-${at + 1}`,
      ...(Number(byId("people").value) ? [`Phone ${at + 1}`, "/play"] : ["Screen", bigScreen])]);
  const shown = [["board", "Board", "/board"], ...phones];
  byId("table").replaceChildren(...shown.map(([device, title, path], at) => Object.assign(document.createElement("iframe"),
    { id: device, title, src: `at/${table}/${device}${path}`, className: at === 0 ? "shown" : "" })));
  byId("tabs").replaceChildren(...shown.map(([device, title], at) => {
    const made = Object.assign(document.createElement("button"), { type: "button", role: "tab", textContent: title,
      onclick: () => choose(device) });
    made.dataset.device = device;
    made.setAttribute("aria-selected", `${at === 0}`);
    return made;
  }));
  byId("share").textContent = SHARE;
  byId("how").textContent = how(isRecord);
  byId("how").hidden = !byId("how").textContent;
  byId("table").hidden = false;
  byId("tabs").hidden = false;
  byId("share").hidden = isRecord;
}

// Beside each other the frames explain themselves; one at a time it has to be said where to look.
function how(isRecord) {
  if (isRecord) return "The replay leads through the game, the board shows it.";
  return ["", "Phone 1 tells you what to do. Pieces lie on the board.",
    "The phones tell you what to do. Pieces lie on the board."][Number(byId("people").value)];
}

function choose(device) {
  for (const one of byId("tabs").children) one.setAttribute("aria-selected", `${one.dataset.device === device}`);
  for (const one of byId("table").children) one.classList.toggle("shown", one.id === device);
}

function unable(why, title = "This browser can't run it here") {
  byId("loading").hidden = true;
  byId("table").hidden = true;
  byId("tabs").hidden = true;
  byId("how").hidden = true;
  byId("unable").hidden = false;
  byId("unable").querySelector("h1").textContent = title;
  byId("why").textContent = why;
  byId("again").disabled = !worker;
}

// The record of the game at the table, as a link that holds all of it.
async function share() {
  const read = (path) => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    const parts = [];
    let status = 0;
    port1.onmessage = ({ data }) => {
      if (data === null) done({ ok: status === 200, blob: new Blob(parts) });
      else if (data.status) status = data.status;
      else parts.push(data);
    };
    worker.postMessage({ do: "request", device: "phone-1", method: "GET", path, headers: "{}", body: new Uint8Array() },
      [port2]);
  });
  const { game } = JSON.parse(await (await read("/api/state")).blob.text());
  const record = await read(`/api/records/${game.id}.jsonl`);
  if (!record.ok) return shareTells("Once the game is over");
  address.search = "";
  address.hash = `record=${await packed(await record.blob.text())}`;
  history.replaceState(null, "", address);
  const copied = await navigator.clipboard?.writeText(address.href).then(() => true, () => false);
  shareTells(copied ? "Copied: it is in the address, too" : "It is in the address now");
}

function shareTells(words) {
  byId("share").textContent = words;
  setTimeout(() => { if (byId("share").textContent === words) byId("share").textContent = SHARE; }, TOLD_MS);
}

// -- the beginning ----------------------------------------------------------------------------------------------------

function lacking() {
  if (!isSecureContext) return "A page that keeps a program has to come by https, or from localhost.";
  if (!("serviceWorker" in navigator)) return "It has no service workers: private windows of some browsers switch them off.";
  if (!("caches" in globalThis)) return "It keeps nothing for this site.";
  if (!("navigation" in globalThis)) return "It is too old: it does not let a page follow where its frames lead.";
  if (!("WebAssembly" in globalThis)) return "It has no WebAssembly.";
  return "";
}

const read = async (name) => (await fetch(name)).json();

async function begin() {
  const [about, offered] = await Promise.all(["about.json", "offers.json"].map(read));
  offers = offered;
  bigScreen = about.screen;
  showChoice();
  byId("licences").textContent = `Python in the browser: Pyodide ${about.pyodide.version} (${about.pyodide.licence}). `
    + "Lodestone: MIT.";
  byId("game").onchange = () => showLevels(Number(byId("level").value));
  byId("people").onchange = showOpponent;
  byId("choose").onsubmit = (event) => {
    event.preventDefault();
    if (worker) open();
  };
  byId("file").onchange = async () => {
    const [file] = byId("file").files;
    if (file && worker) open({ record: await file.text() });
    byId("file").value = "";
  };
  byId("share").onclick = share;
  const why = lacking();
  if (why) return unable(why);
  byId("again").disabled = true;
  try {
    table = await ownName();
  } catch (error) {
    return unable(`It allows no service workers here (${error.message}): private windows of some browsers switch them off.`);
  }
  try {
    await fetched(about);
  } catch (error) {
    return unable(`Something could not be fetched (${error.message}). With a network, load this page again.`, "Not all is here");
  }
  byId("bar").removeAttribute("value");
  byId("told").textContent = "Starting Python, and the table …";
  worker = python();
  worker.onmessage = ({ data }) => news[data.do](data);
  worker.onerror = (event) => unable(event.message || "The worker did not start.", "Python did not start");
  navigator.serviceWorker.addEventListener("message", ({ data, ports }) => worker.postMessage(data, [...ports]));
  navigator.serviceWorker.startMessages();
  setInterval(() => navigator.serviceWorker.controller?.postMessage("stay"), STAY_MS);
  worker.postMessage({ do: "table" });
}

await begin().catch((error) => unable(`${error.message}. With a network, load this page again.`, "Not all is here"));
