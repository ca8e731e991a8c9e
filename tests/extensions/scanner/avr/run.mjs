// Runs a program for the ATmega328P of an Arduino Nano, cycle by cycle. What it is given: the file of its flash, the pins
// that are wired ("driven:sensed:measured", each a list with commas), and the numbers of three open files: for questions to
// the bench (chips on pins), for its answers, and the serial line (a pseudo terminal, non-blocking).
// Each edge of a wired pin reaches the bench at its time; each read of a port asks the bench for the wired pins of it.
import fs from "node:fs";
import avr from "avr8js";
import { Bench } from "../micropython/bench.mjs";

const HERTZ = 16e6;
const SLICE_US = 500; // so often the line is looked at
const SLEEP = 0x9588;
const STUCK = "stuck"; // what the bench answers where a conversion shall never end
const [flash, wired, ...files] = process.argv.slice(2);
const [driven, sensed] = wired.split(":").map((list) => new Set(list.split(",").filter(Boolean).map(Number)));
const bench = new Bench(...files.map(Number));
const image = fs.readFileSync(flash);
const program = new Uint8Array(0x8000).fill(0xff);
program.set(image);
const cpu = new avr.CPU(new Uint16Array(program.buffer), 2048);
for (const timer of [avr.timer0Config, avr.timer1Config, avr.timer2Config]) new avr.AVRTimer(cpu, timer);
new avr.AVRWatchdog(cpu, avr.watchdogConfig, { frequency: HERTZ });
const usart = new avr.AVRUSART(cpu, avr.usart0Config, HERTZ);
const adc = new avr.AVRADC(cpu, avr.adcConfig);
const FIRST = new Map([[avr.portDConfig, 0], [avr.portBConfig, 8], [avr.portCConfig, 14]]); // Arduino's number of bit 0
let told = 0; // the cycle up to which the bench knows the time

function ask(deed) {
  pass();
  return bench.ask(deed);
}

function post(deed) {
  pass();
  bench.post(deed);
}

function pass() {
  const microseconds = (cpu.cycles - told) / (HERTZ / 1e6);
  if (!microseconds) return;
  bench.post(`wait ${microseconds}`);
  told = cpu.cycles;
}

for (const [config, first] of FIRST) {
  const port = new avr.AVRIOPort(cpu, config);
  const known = new Map(); // pin → what the bench was told of it last
  const pins = [...driven, ...sensed].filter((pin) => pin >= first && pin < first + 8 && (first !== 8 || pin < 14));
  if (!pins.length) continue;
  port.addListener(() => {
    for (const pin of pins) {
      const state = port.pinState(pin - first);
      if (state > avr.PinState.High || known.get(pin) === state) continue;
      post(known.has(pin) ? `write ${pin} ${state}` : `out ${pin} ${state}`);
      known.set(pin, state);
    }
  });
  cpu.readHooks[config.PIN] = () => {
    for (const pin of pins.filter((pin) => sensed.has(pin))) {
      const state = port.pinState(pin - first);
      if (state <= avr.PinState.High) continue;
      if (!known.has(pin)) post(`in ${pin} ${Number(state === avr.PinState.InputPullUp)}`);
      known.set(pin, state);
      port.setPin(pin - first, ask(`read ${pin}`) !== "0");
    }
    return cpu.data[config.PIN];
  };
}

adc.onADCRead = ({ channel }) => {
  const value = ask(`adc ${14 + channel}`);
  if (value !== STUCK) cpu.addClockEvent(() => adc.completeADCRead(Number(value)), adc.sampleCycles);
};

// What avr8js does otherwise than the chip: a conversion ends when the ADC is switched off, and a byte that has come is not
// forgotten when another bit of UCSRB is written, as Serial does for each frame that it sends.
const { ADCSRA } = avr.adcConfig;
const { UCSRA, UCSRB } = avr.usart0Config;
const [ADEN, RXC, RXEN] = [0x80, 0x80, 0x10];
const converting = cpu.writeHooks[ADCSRA];
cpu.writeHooks[ADCSRA] = (value, ...rest) => {
  if (!(value & ADEN)) adc.converting = false;
  return converting(value, ...rest);
};
const controlling = cpu.writeHooks[UCSRB];
cpu.writeHooks[UCSRB] = (value, ...rest) => {
  const pending = cpu.data[UCSRA] & RXC;
  const done = controlling(value, ...rest);
  if (pending && value & RXEN) cpu.setInterruptFlag(usart.RXC);
  return done;
};

usart.onByteTransmit = (byte) => bench.sending.push(byte);
const hear = () => {
  if (!usart.rxBusy && bench.received.length && usart.writeByte(bench.received[0])) bench.received.shift();
};
usart.onRxComplete = () => hear(); // the next one, if it has come, follows without a gap
const began = performance.now();
let ahead = 0; // how far the wall clock has been let go on, milliseconds
let asleep = false;

function advance(end) {
  while (cpu.cycles < end) {
    const pc = cpu.pc;
    if (!asleep) {
      asleep = cpu.progMem[pc] === SLEEP;
      avr.avrInstruction(cpu);
      cpu.tick();
      if (asleep && cpu.pc !== pc + 1) asleep = false; // An interrupt has come at once.
    } else {
      const next = cpu.nextClockEvent ? cpu.nextClockEvent.cycles : end;
      if (next > cpu.cycles) cpu.cycles = Math.min(end, next);
      cpu.tick();
      asleep = cpu.pc === pc;
    }
  }
}

for (;;) {
  advance(cpu.cycles + SLICE_US * (HERTZ / 1e6));
  if (bench.any()) hear();
  if (bench.sending.length) bench.flush();
  const lead = cpu.cycles / (HERTZ / 1e3) - (performance.now() - began - ahead);
  if (lead > 0.5) bench.sleep(lead);
  if (lead < -20) ahead -= lead; // A busy machine: time passes more slowly here.
}
