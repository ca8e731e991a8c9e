// Tones and speech, made by this device itself; off until somebody switches them on, here and nowhere else.
import { onTold } from "./announce.js";
import { element } from "./live.js";
import { heard, TONES } from "./tones.js";
import { say } from "./words.js";
import { needStyle } from "./styles.js";

const PLACE = "lodestone-sound"; // What is on is kept for the next page of this device.
const GAP_S = 0.15; // Between two tones that come together.
const EDGE_S = 0.01; // A beat swells and fades so quickly: without it there would be clicks.
const LOUD = 0.25;

let on = kept();
let context = null;
let free = 0; // When the last tone that was asked for ends, in the time of the context.
let before = null;

function kept() {
  try {
    return { tones: false, speech: false, ...JSON.parse(localStorage.getItem(PLACE) ?? "{}") };
  } catch {
    return { tones: false, speech: false };
  }
}

function keep() {
  try {
    localStorage.setItem(PLACE, JSON.stringify(on));
  } catch {
    // Then it holds for this page alone.
  }
}

// Browsers let a page sound only after somebody has touched it.
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
onTold(speak);

// To be called with every view.
export function followSound(view) {
  play(heard(before, view));
  before = view;
}

function flip(what) {
  on = { ...on, [what]: !on[what] };
  keep();
  if (what === "tones") play(on.tones ? ["turn"] : []);
  else if (on.speech) speak(say("Speech is on."));
  else speechSynthesis?.cancel();
  draw();
}

const onTv = document.body.classList.contains("tv"); // There a sign has to do: all else is needed for the game.
const box = element("div", { id: "sound", class: "sound", role: "group", "aria-label": say("Sound of this device") });

function draw() {
  const held = document.activeElement?.id;
  const button = (what, words, sign) => element("button", { id: `sound-${what}`, type: "button", "aria-label": words, title: words,
    "aria-pressed": on[what] ? "true" : "false", onclick: () => flip(what) }, onTv ? sign : words);
  box.replaceChildren(button("tones", say("Tones"), "♪"), button("speech", say("Speech"), "“…”"));
  if (held?.startsWith("sound-")) document.getElementById(held)?.focus();
}

needStyle(new URL("sound.css", import.meta.url));
draw();
(document.querySelector("footer") ?? document.querySelector("main") ?? document.body).append(box);
addEventListener("pointerdown", wake);
addEventListener("keydown", wake);
