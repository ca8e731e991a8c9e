// Runs the scanner firmware in a real MicroPython (WebAssembly). What it is given:
//   the folder of the firmware, the text of config.py, and the numbers of three open files: for questions to the bench
//   (chips on pins), for its answers, and the serial line (a pseudo terminal, non-blocking)
// Only pins, the line and sleeping are stand-ins, in machine.py; all else is MicroPython's own.
import fs from "node:fs";
import path from "node:path";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [firmware, config, ...files] = process.argv.slice(2);
const [QUESTIONS, ANSWERS, LINE] = files.map(Number);
const RESET = 3; // exit status: the machine wants to be started again
let posted = "";
let received = [];
let sending = [];
let answered = "";
const chunk = Buffer.alloc(4096);
const nothing = new Int32Array(new SharedArrayBuffer(4));

function flush() {
  const data = Buffer.from(sending);
  sending = [];
  for (let at = 0; at < data.length; ) {
    try {
      at += fs.writeSync(LINE, data, at);
    } catch (error) {
      if (error.code !== "EAGAIN") return; // nobody has the cable
      Atomics.wait(nothing, 0, 0, 1);
    }
  }
}

function receive() {
  try {
    const count = fs.readSync(LINE, chunk);
    received.push(...chunk.subarray(0, count));
  } catch {
    // Nothing has come.
  }
}

globalThis.bench = {
  post(deed) {
    posted += deed + ";";
  },
  ask(deed) {
    fs.writeSync(QUESTIONS, posted + deed + "\n");
    posted = "";
    while (!answered.includes("\n")) {
      const count = fs.readSync(ANSWERS, chunk);
      if (!count) process.exit(0); // the bench has been cleared away
      answered += chunk.toString("utf8", 0, count);
    }
    const end = answered.indexOf("\n");
    const answer = answered.slice(0, end);
    answered = answered.slice(end + 1);
    return answer;
  },
  sleep(ms) {
    flush();
    Atomics.wait(nothing, 0, 0, ms);
  },
  any() {
    if (!received.length) receive();
    return received.length;
  },
  take(count) {
    return Buffer.from(received.splice(0, count)).toString("hex");
  },
  send(hex) {
    sending.push(...Buffer.from(hex, "hex"));
    flush();
  },
  reset() {
    flush();
    process.exit(RESET);
  },
};

const mp = await loadMicroPython({
  heapsize: 192 * 1024, // about what a Pico leaves to a program
  linebuffer: false,
  stdin: () => (globalThis.bench.any() ? received.shift() : null),
  stdout: (data) => {
    sending.push(...data);
    if (data[data.length - 1] === 0) flush();
  },
});
mp.FS.mkdir("/flash");
for (const name of fs.readdirSync(firmware).filter((name) => name.endsWith(".py"))) {
  mp.FS.writeFile(`/flash/${name}`, fs.readFileSync(path.join(firmware, name)));
}
mp.FS.writeFile("/flash/config.py", config);
mp.FS.writeFile("/flash/machine.py", fs.readFileSync(new URL("machine.py", import.meta.url)));
try {
  mp.runPython("import sys; sys.path.insert(0, '/flash'); import machine; import main");
} catch (error) {
  fs.writeSync(2, `${error.message}\n`);
  process.exitCode = 1;
}
flush();
