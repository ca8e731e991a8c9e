// Python in a worker: the table of this tab, or the engine that searches for it. The page around tells which.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const GLUE = `
from pathlib import Path

def at_table(folder, wish, send):
    from firmware_host.extensions.tab.tab import Tab, Wish
    return Tab(Path(folder), Wish.read(wish), send)

def ask(tab, device, method, path, headers, body, port):
    tab.request(device, method, path, headers, body.to_bytes(), port)

def run(code, say):
    import contextlib, io, os, pytest

    class Told(io.TextIOBase):
        def write(self, text):
            say(text)
            return len(text)

    folder = Path("/run")
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    # A name of its own each time: nothing of an earlier one is imported again.
    file = folder / f"test_page_{len(list(folder.iterdir()))}.py"
    file.write_text(code)
    with contextlib.redirect_stdout(Told()), contextlib.redirect_stderr(Told()):
        pytest.main(["-q", "--color=no", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:faulthandler",
                     "-o", "console_output_style=classic", "--rootdir=/run", str(file)])
`;
const STEP_MS = 20;
const HURRIED_MS = 5;
const HURRIED = 8;
const ready = started();
let python = null;
let tab = null;
let tables = 0;
let failed = false;
let hurried = 0;

async function started() {
  const loading = loadPyodide({ indexURL: new URL("pyodide/", location.href).href });
  const unpacking = unpacked(["libraries.zip", "lodestone.zip"], loading);
  const made = await loading;
  await unpacking;
  made.runPython(GLUE);
  python = made;
}

async function unpacked(names, into = python) {
  const archives = await Promise.all(names.map(async (name) => {
    const answer = await fetch(new URL(name, location.href));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.arrayBuffer();
  }));
  const made = await into;
  const extractDir = made.runPython("import site; site.getsitepackages()[0]");
  for (const archive of archives) made.unpackArchive(archive, "zip", { extractDir });
}

// What somebody at the terminal would read: the last line of a traceback.
function wordsOf(error) {
  const last = `${error.message}`.trim().split("\n").at(-1);
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
  if (method === "POST") hurried = HURRIED;
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

// The board is looked at fifty times a second, and more often when hands have done something: it takes three equal looks.
function step() {
  setTimeout(step, hurried > 0 ? HURRIED_MS : STEP_MS);
  hurried -= 1;
  try {
    tab?.step();
    failed = false;
  } catch (error) {
    if (!failed) postMessage({ do: "failed", words: error.message });
    failed = true;
  }
}

// What a page's reader runs needs pytest, too, which is fetched then.
let testing = null;

async function run({ code }) {
  testing ??= unpacked(["pytest.zip"]);
  await testing;
  postMessage({ do: "running" });
  python.globals.get("run")(code, (text) => postMessage({ do: "said", text }));
  postMessage({ do: "ran" });
}

const deeds = {
  run,
  open: ({ wish }) => open(wish),
  request: (data, [port]) => answer(data, port),
  found: ({ line }) => tab?.take_answer(line),
  search({ line }) {
    const answerLine = python.pyimport("firmware_host.services.engine").answer_line;
    postMessage({ do: "found", line: answerLine(line) });
  },
  table: () => {
    python.pyimport("firmware_host.extensions.tab.tab");
    python.FS.mkdirTree("/tables");
    step();
    postMessage({ do: "ready" });
  },
};
onmessage = async ({ data, ports }) => {
  try {
    await ready;
    await deeds[data.do](data, ports);
  } catch (error) {
    postMessage({ do: "stopped", text: `${error.message}`, words: wordsOf(error) });
  }
};
