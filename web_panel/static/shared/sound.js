// Tones and speech of this device; off until they are switched on for this device.
import { onAnnouncement } from "./announce.js";
import { element, needStyle } from "./elements.js";
import { keep, recallJson } from "./storage.js";
import { TONES, tonesFor } from "./tones.js";
import { say } from "./words.js";

const PLACE = "lodestone-sound"; // The settings are stored for this device's next page.
const GAP_S = 0.15; // Between two tones in a row.
const EDGE_S = 0.01; // Time in which a beat swells and fades, to avoid clicks.
const LOUD = 0.25;

let on = { tones: false, speech: false, ...recallJson(PLACE) };
let context = null;
let free = 0; // End of the last scheduled tone, in the context's time.
let before = null;

// Browsers allow sound only after a touch or key press on the page.
function wake() {
  if (!on.tones || typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

function beat(at, seconds, hertz) {
  const tone = context.createOscillator();
  const loudness = context.createGain();
  tone.frequency.value = hertz;
  loudness.gain.setValueAtTime(0, at);
  loudness.gain.linearRampToValueAtTime(LOUD, at + EDGE_S);
  loudness.gain.setValueAtTime(LOUD, at + seconds - EDGE_S);
  loudness.gain.linearRampToValueAtTime(0, at + seconds);
  tone.connect(loudness).connect(context.destination);
  tone.start(at);
  tone.stop(at + seconds);
}

export function play(names) {
  if (!names.length || !wake()) return;
  for (const name of names) {
    const begin = Math.max(context.currentTime, free);
    for (const [at, seconds, hertz] of TONES[name]) beat(begin + at, seconds, hertz);
    const [at, seconds] = TONES[name].at(-1);
    free = begin + at + seconds + GAP_S;
  }
}

function speak(text) {
  if (!on.speech || typeof speechSynthesis === "undefined") return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.speak(words);
}
onAnnouncement(speak);

// Call with every view.
export function followSound(view) {
  play(tonesFor(before, view));
  before = view;
}

function flip(what) {
  on = { ...on, [what]: !on[what] };
  keep(PLACE, JSON.stringify(on));
  if (what === "tones") play(on.tones ? ["turn"] : []);
  else if (on.speech) speak(say("Speech is on."));
  else speechSynthesis?.cancel();
  draw();
}

const onTv = document.body.classList.contains("tv"); // On the big screen the buttons show signs only, to save room.
const box = element("div", { id: "sound", class: "sound", role: "group", "aria-label": say("Sound of this device") });

function draw() {
  const held = document.activeElement?.id;
  const button = (what, words, sign) => element("button",
    { id: `sound-${what}`, type: "button", "aria-label": words, title: words,
    "aria-pressed": on[what] ? "true" : "false", onclick: () => flip(what) }, onTv ? sign : words);
  box.replaceChildren(button("tones", say("Tones"), "♪"), button("speech", say("Speech"), "“…”"));
  if (held?.startsWith("sound-")) document.getElementById(held)?.focus();
}

needStyle(new URL("sound.css", import.meta.url));
draw();
(document.querySelector("footer") ?? document.querySelector("main") ?? document.body).append(box);
addEventListener("pointerdown", wake);
addEventListener("keydown", wake);
