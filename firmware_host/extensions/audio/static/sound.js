// Tones and speech of this device; off until they are switched on for this device.
import { TONES, tonesFor } from "./tones.js";
import { add } from "/static/shared/added.js";
import { element, needStyle } from "/static/shared/elements.js";
import { lineSwitch, list } from "/static/shared/frame.js";
import { keep, recallJson } from "/static/shared/storage.js";
import { say } from "/static/shared/words.js";

const PLACE = "lodestone-sound"; // The settings are stored for this device's next page.
const GAP_S = 0.15; // Between two tones in a row.
const EDGE_S = 0.01; // Time in which a beat swells and fades, to avoid clicks.
const LOUD = 0.25;

let on = { tones: false, speech: false, ...recallJson(PLACE) };
let context = null;
let free = 0; // End of the last scheduled tone, in the context's time.
let before = null;

// What this browser can't do, in a sentence; empty if it can.
const lacks = {
  tones: () => (typeof AudioContext === "undefined" ? say("This browser plays no tones.") : ""),
  speech: () => (typeof speechSynthesis === "undefined" ? say("This browser does not speak.") : ""),
};

// Browsers allow sound only after a touch or key press on the page, and interrupt it for calls and other pages.
async function wake() {
  if (!on.tones || lacks.tones()) return;
  context ??= new AudioContext();
  if (context.state !== "running") await context.resume().catch(() => {}); // The next touch tries again.
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

// A tone that can't be heard now is dropped: its occasion is over when the next touch allows sound.
function play(names) {
  wake();
  if (context?.state !== "running" || !on.tones) return;
  for (const name of names) {
    const begin = Math.max(context.currentTime, free);
    for (const [at, seconds, hertz] of TONES[name]) beat(begin + at, seconds, hertz);
    const [at, seconds] = TONES[name].at(-1);
    free = begin + at + seconds + GAP_S;
  }
}

function speak(text) {
  if (!on.speech || lacks.speech()) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.speak(words);
}
add("announced", speak);

add("view", (view) => {
  play(tonesFor(before, view));
  before = view;
});

async function flip(what) {
  on = { ...on, [what]: !on[what] };
  keep(PLACE, JSON.stringify(on));
  if (what === "speech" && !on.speech) speechSynthesis.cancel();
  if (what === "speech") return speak(say("Speech is on."));
  await wake();
  return play(["turn"]);
}

/**
 * The switches, as the part of a sheet.
 * @param {() => void} redraw
 */
export function soundList(redraw) {
  const flipped = (what, id, words, about) => lineSwitch(id, what === "tones" ? "sound" : "speech", words, on[what],
    () => {
      flip(what);
      redraw();
    }, { about, why: lacks[what]() });
  return list("sounds",
    flipped("tones", "sound-tones", say("Tones"), say("your turn, the reveal, the last seconds, the end")),
    flipped("speech", "sound-speech", say("Speech"), say("reads out what happens at the table")));
}

// The same on pages without a menu, as two small buttons at the foot, which may show their signs only.
export function soundButtons({ bySign = false } = {}) {
  needStyle(new URL("sound.css", import.meta.url));
  const box = element("div", { id: "sound", class: "sound", role: "group", "aria-label": say("Sound of this device") });
  const button = (what, words, sign) => {
    const why = lacks[what]();
    const made = element("button", { id: `sound-${what}`, type: "button", "aria-label": words, title: why || words,
      "aria-pressed": String(on[what]), disabled: Boolean(why), onclick: () => {
        flip(what);
        made.setAttribute("aria-pressed", String(on[what]));
      } }, bySign ? sign : why || words);
    return made;
  };
  box.append(button("tones", say("Tones"), "♪"), button("speech", say("Speech"), "“…”"));
  (document.querySelector("footer") ?? document.body).append(box);
}

for (const event of ["pointerdown", "keydown", "visibilitychange"]) document.addEventListener(event, wake);
