// Python in a worker: the table of this tab, or the engine that searches for it. The page around tells which.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const GLUE = `
from pathlib import Path

def at_table(folder, wish, send):
    from firmware_host.commands.tab import Tab, Wish
    return Tab(Path(folder), Wish.read(wish), send)

def ask(tab, device, method, path, headers, body, port):
    tab.request(device, method, path, headers, body.to_bytes(), port)
`;
const ready = started();
let python = null;
let tab = null;
let tables = 0;
let failed = false;

async function started() {
  const [made, ...archives] = await Promise.all([loadPyodide({ indexURL: new URL("pyodide/", location.href).href }),
    ...["libraries.zip", "lodestone.zip"].map(async (name) => (await fetch(new URL(name, location.href))).arrayBuffer())]);
  const extractDir = made.runPython("import site; site.getsitepackages()[0]");
  for (const archive of archives) made.unpackArchive(archive, "zip", { extractDir });
  made.runPython(GLUE);
  python = made;
}

// What somebody at the terminal would read: the last line of a traceback.
function wordsOf(error) {
  const last = error.message.trim().split("\n").at(-1);
  return last.replace(/^[\w.]*Refused: /, "");
}

function open(wish) {
  tab?.close();
  tab = null;
  tables += 1;
  try {
    const send = (line) => postMessage({ do: "engine", line });
    tab = python.globals.get("at_table")(`/tables/${tables}`, JSON.stringify(wish), send);
    postMessage({ do: "opened" });
  } catch (error) {
    postMessage({ do: "refused", words: wordsOf(error) });
  }
}

function answer({ device, method, path, headers, body }, port) {
  let gone = false;
  port.onmessage = () => { gone = true; };
  if (!tab) {
    port.postMessage({ status: 503, headers: "{}" });
    port.postMessage(null);
    return;
  }
  python.globals.get("ask")(tab, device, method, path, headers, body, {
    head: (status, told) => port.postMessage({ status, headers: told }),
    put(data) {
      const view = data.getBuffer();
      const copy = view.data.slice();
      view.release();
      port.postMessage(copy, [copy.buffer]);
    },
    end: () => port.postMessage(null),
    is_gone: () => gone,
  });
}

function step() {
  try {
    tab?.step();
    failed = false;
  } catch (error) {
    if (!failed) postMessage({ do: "failed", words: error.message });
    failed = true;
  }
}

const deeds = {
  open: ({ wish }) => open(wish),
  request: (data, [port]) => answer(data, port),
  found: ({ line }) => tab?.found(line),
  search({ line }) {
    const answerLine = python.pyimport("firmware_host.services.engine").answer_line;
    postMessage({ do: "found", line: answerLine(line) });
  },
  table: () => {
    python.pyimport("firmware_host.commands.tab");
    python.FS.mkdirTree("/tables");
    setInterval(step, 20);
    postMessage({ do: "ready" });
  },
};
onmessage = async ({ data, ports }) => {
  await ready;
  deeds[data.do](data, ports);
};
