// Between the frames and the table: a request of a frame's page goes to the page around it, which hands it to its
// worker; the answer is streamed back. All else is a file of this folder, kept for when there is no network.
const HERE = new URL("./", location.href);
// The page itself looks whether there is a newer one; what it names by version never changes.
const NEWEST = new Set(["", "index.html", "tab.css", "tab.js", "frame.js", "service.js", "about.json", "offers.json"]);

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => event.ports[0]?.postMessage(event.source.id));
addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin === location.origin) event.respondWith(answer(event, url));
});

// The table (the page around the frame), the device and the path that an address of a frame names.
function placeOf(url) {
  const parts = url.pathname.startsWith(`${HERE.pathname}at/`) && url.pathname.slice(HERE.pathname.length + 3).split("/");
  return parts && parts.length > 2 ? { table: parts[0], device: parts[1], path: `/${parts.slice(2).join("/")}` } : null;
}

async function answer(event, url) {
  const place = placeOf(url);
  if (place) return ask(event, place, url);
  // Not who asks: a worker that is just loading its modules is told of only once it has them.
  if (url.pathname.startsWith(HERE.pathname)) return fromHere(event.request, url);
  const page = event.request.mode !== "navigate" && event.clientId && await clients.get(event.clientId);
  const frame = page && placeOf(new URL(page.url));
  return frame ? ask(event, { ...frame, path: url.pathname }, url) : fetch(event.request);
}

async function fromHere(request, url) {
  const name = url.pathname.slice(HERE.pathname.length);
  if (!NEWEST.has(name)) return await caches.match(url.pathname) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(name ? url.pathname : `${HERE.pathname}index.html`);
    if (kept) return kept;
    throw error;
  }
}

// -- a table's answers ------------------------------------------------------------------------------------------------

async function ask(event, place, url) {
  const { request } = event;
  const around = await clients.get(place.table);
  if (!around) return gone();
  const body = await request.arrayBuffer();
  const { port1: port, port2: other } = new MessageChannel();
  let said;
  const ended = new Promise((done) => { said = done; });
  const answered = new Promise((done) => {
    let stream = null;
    port.onmessage = ({ data }) => {
      if (data === null) {
        stream.close();
        port.close();
        said();
      } else if (data.status) {
        const source = new ReadableStream({
          start(made) { stream = made; },
          cancel() {
            port.postMessage(null);
            said();
          },
        });
        done(new Response([204, 304].includes(data.status) ? null : source,
          { status: data.status, headers: JSON.parse(data.headers) }));
      } else {
        try {
          stream.enqueue(data);
        } catch { // The page has gone just now.
          port.postMessage(null);
        }
      }
    };
  });
  const headers = Object.fromEntries(request.headers);
  around.postMessage({ do: "request", device: place.device, method: request.method, path: place.path + url.search,
    headers: JSON.stringify(headers), body: new Uint8Array(body) }, [other]);
  event.waitUntil(ended);
  const response = await answered;
  return response.headers.get("Content-Type")?.startsWith("text/html") ? framed(response) : response;
}

async function framed(response) {
  const text = await response.text();
  const script = `<script src="${HERE.pathname}frame.js"></script>`;
  return new Response(text.replace("<head>", `<head>${script}`), { status: response.status, headers: response.headers });
}

function gone() {
  return new Response("<!doctype html><meta charset=utf-8><title>Lodestone</title><p>This table has ended with its tab. "
    + `<a href="${HERE.pathname}" target="_top">Open another one</a>`,
  { status: 410, headers: { "Content-Type": "text/html" } });
}
