// Runs the scanner firmware in a real MicroPython (WebAssembly). What it is given:
//   the folder of the firmware, the texts of config.py and wifi.py (if that is not the folder's), and the numbers of three open files: for questions to the bench
//   (chips on pins), for its answers, and the serial line (a pseudo terminal, non-blocking)
// Only pins, the line and sleeping are stand-ins, in machine.py, and the radio, in network.py and socket.py; all else is
// MicroPython's own.
import fs from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { Bench } from "./bench.mjs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [firmware, config, wifi, ...files] = process.argv.slice(2);
const RESET = 3; // exit status: the machine wants to be started again
const bench = (globalThis.bench = new Bench(...files.map(Number)));
bench.reset = () => {
  bench.flush();
  process.exit(RESET);
};

// The watchdog: a thread that ends the process when the firmware works on for so long without feeding it. It counts the
// process's own time, so that a busy machine makes no difference.
const fed = new Int32Array(new SharedArrayBuffer(8)); // how often, and after how many milliseconds it bites
bench.feed = () => Atomics.add(fed, 0, 1);
bench.watch = (timeout) => {
  bench.feed();
  if (Atomics.exchange(fed, 1, timeout)) return;
  new Worker(new URL("watchdog.mjs", import.meta.url), { workerData: fed }).unref();
};

const mp = await loadMicroPython({
  heapsize: 192 * 1024, // about what a Pico leaves to a program
  linebuffer: false,
  stdin: () => (bench.any() ? bench.received.shift() : null),
  stdout: (data) => {
    bench.sending.push(...data);
    if (data[data.length - 1] === 0) bench.flush();
  },
});
mp.FS.mkdir("/flash");
for (const name of fs.readdirSync(firmware).filter((name) => name.endsWith(".py"))) {
  mp.FS.writeFile(`/flash/${name}`, fs.readFileSync(path.join(firmware, name)));
}
mp.FS.writeFile("/flash/config.py", config);
for (const name of ["machine.py", "network.py", "socket.py"]) {
  mp.FS.writeFile(`/flash/${name}`, fs.readFileSync(new URL(name, import.meta.url)));
}
if (wifi) mp.FS.writeFile("/flash/wifi.py", wifi);
try {
  mp.runPython("import sys; sys.path.insert(0, '/flash'); import machine");
  for (const name of ["boot", "main"]) if (fs.existsSync(path.join(firmware, `${name}.py`))) mp.runPython(`import ${name}`);
} catch (error) {
  fs.writeSync(2, `${error.message}\n`);
  process.exitCode = 1;
}
bench.flush();
