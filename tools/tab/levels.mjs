// Times engine requests in the browser's Python: node levels.mjs PYODIDE MOST ARCHIVE... < requests; a line of seconds
// each. Once a game has taken more than MOST seconds it is asked no more: its further levels take longer still.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [runtime, most, ...archives] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${runtime}/` });
const extractDir = python.runPython("import site; site.getsitepackages()[0]");
for (const name of archives) python.unpackArchive(new Uint8Array(readFileSync(name)), "zip", { extractDir });
const answerLine = python.pyimport("firmware_host.services.engine").answer_line;
const slow = {};
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { game, level, seconds } = JSON.parse(line);
  if (slow[game] < level) {
    // deno-lint-ignore no-console
    console.log(seconds);
    continue;
  }
  // The processor's time: what else the machine does meanwhile does not count.
  const before = process.cpuUsage();
  const answer = JSON.parse(answerLine(line));
  const { user, system } = process.cpuUsage(before);
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  const took = answer.in_time ? (user + system) / 1e6 : seconds;
  if (took > Number(most)) slow[game] ??= level;
  // deno-lint-ignore no-console
  console.log(took.toFixed(3));
}
