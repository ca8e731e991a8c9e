// Python on a page that its reader can run there: pytest, in the browser's Python, with this program beside it. The first
// click fetches it.
const words = { begin: "Run it here", fetching: "Fetching 24 MB, once …", running: "Running …" };
let worker = null;
let waiting = null;

function begin() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => waiting?.(data);
  worker.onerror = (event) => waiting?.({ text: event.message || "Python did not start." });
}

async function run(code, button, told) {
  button.disabled = true;
  button.textContent = worker ? words.running : words.fetching;
  if (!worker) begin();
  const { text } = await new Promise((done) => {
    waiting = done;
    worker.postMessage({ do: "run", code });
  });
  told.textContent = text;
  button.textContent = words.begin;
  button.disabled = false;
}

for (const place of document.querySelectorAll(".run")) {
  const code = place.querySelector("code").textContent;
  const told = document.createElement("output");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: words.begin });
  // One at a time: there is one Python.
  button.onclick = () => document.querySelector(".run > button:disabled") || run(code, button, told);
  place.append(button, told);
}
