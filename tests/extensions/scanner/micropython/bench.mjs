// What firmware under Node is connected to: a bench of simulated chips (questions and answers over pipes) and a serial line
// (a pseudo terminal, non-blocking).
import { randomBytes } from "node:crypto";
import fs from "node:fs";

const chunk = Buffer.alloc(4096);
const nothing = new Int32Array(new SharedArrayBuffer(4));

export class Bench {
  constructor(questions, answers, line) {
    [this.questions, this.answers, this.line] = [questions, answers, line];
    this.posted = "";
    this.answered = "";
    this.received = [];
    this.sending = [];
  }

  // What is posted happens, in order, before the next question is answered.
  post(deed) {
    this.posted += deed + ";";
  }

  ask(deed) {
    fs.writeSync(this.questions, this.posted + deed + "\n");
    this.posted = "";
    while (!this.answered.includes("\n")) {
      const count = fs.readSync(this.answers, chunk);
      if (!count) process.exit(0); // the bench has been cleared away
      this.answered += chunk.toString("utf8", 0, count);
    }
    const end = this.answered.indexOf("\n");
    const answer = this.answered.slice(0, end);
    this.answered = this.answered.slice(end + 1);
    return answer;
  }

  flush() {
    const data = Buffer.from(this.sending);
    this.sending = [];
    for (let at = 0; at < data.length; ) {
      try {
        at += fs.writeSync(this.line, data, at);
      } catch (error) {
        if (error.code !== "EAGAIN") return; // nobody has the cable
        Atomics.wait(nothing, 0, 0, 1);
      }
    }
  }

  random(count) {
    return randomBytes(count).toString("hex");
  }

  sleep(ms) {
    this.flush();
    Atomics.wait(nothing, 0, 0, ms);
  }

  any() {
    if (!this.received.length) {
      try {
        this.received.push(...chunk.subarray(0, fs.readSync(this.line, chunk)));
      } catch {
        // Nothing has come.
      }
    }
    return this.received.length;
  }

  take(count) {
    return Buffer.from(this.received.splice(0, count)).toString("hex");
  }

  send(hex) {
    this.sending.push(...Buffer.from(hex, "hex"));
    this.flush();
  }
}
