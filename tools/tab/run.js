// Python on a page that its reader can run there: pytest, in the browser's Python, with this program beside it. The first
// click fetches it.
const BYTES_IN_MB = 1_000_000;
const BEGIN = "Run it here";
const buttons = [];
let worker = null;
let tell = null;

async function fetchingWords() {
  const { examples } = await (await fetch(new URL("about.json", import.meta.url))).json();
  return `Fetching ${Math.round(examples / BYTES_IN_MB)} MB, once …`;
}

function begin() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => tell(data);
  worker.onerror = (event) => tell({ do: "stopped", words: event.message || "not all of it could be fetched" });
}

// Show what pytest says while it says it, until it has ended, or Python could not run it.
async function run(code, button, told) {
  for (const one of buttons) one.disabled = true; // There is one Python.
  told.textContent = "";
  told.className = "";
  try {
    if (!worker) {
      button.textContent = await fetchingWords();
      begin();
    } else button.textContent = "Running …";
    await new Promise((done, fail) => {
      tell = (news) => {
        if (news.do === "stopped") fail(new Error(news.words));
        else if (news.do === "ran") done();
        else if (news.do === "running") button.textContent = "Running …";
        else told.textContent += news.text;
      };
      worker.postMessage({ do: "run", code });
    });
  } catch (error) { // The next click begins anew.
    worker?.terminate();
    worker = null;
    told.className = "words";
    told.textContent = `Python can't run it now (${error.message}). With a network, press the button again.`;
  }
  button.textContent = BEGIN;
  for (const one of buttons) one.disabled = false;
}

for (const place of document.querySelectorAll(".run")) {
  const code = place.querySelector("code").textContent;
  const told = document.createElement("output");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: BEGIN });
  button.onclick = () => run(code, button, told);
  buttons.push(button);
  place.append(button, told);
}
