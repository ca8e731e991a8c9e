// The board's lights: brightness, night and off, and their behaviour when nobody plays.
import { attempt, element, post } from "../shared/live.js";
import { section } from "./host_section.js";
import { say } from "../shared/words.js";

const SLEEPS = [0, 5, 20, 60];

function flip(id, words, on, change) {
  return element("button", { id, class: "switch", role: "switch", "aria-checked": on ? "true" : "false", onclick: () => change(!on) },
    element("span", {}, words), element("span", { class: "knob", "aria-hidden": "true" }));
}

export function lightsCard(rest, look) {
  if (!rest) return null;
  const set = (wish) => attempt(() => post("host/lights", { ...rest, ...wish }).finally(look));
  const brightness = element("input", { id: "brightness", type: "range", min: 5, max: 100, step: 5, value: rest.brightness });
  brightness.addEventListener("change", () => set({ brightness: Number(brightness.value) }));
  const sleep = element("select", { id: "lights-sleep" }, ...[...new Set([...SLEEPS, rest.sleep])].map((minutes) =>
    element("option", { value: minutes, selected: minutes === rest.sleep }, minutes ? say("after {minutes} min without a touch", { minutes }) : say("never"))));
  sleep.addEventListener("change", () => set({ sleep: Number(sleep.value) }));
  return section("rest", say("The board's lights"),
    element("label", { for: "brightness" }, say("Brightness: {percent} %", { percent: rest.brightness })), brightness,
    flip("lights-night", say("Night: a fifth as bright"), rest.night, (night) => set({ night })),
    flip("lights-off", say("Off: the phones show the way"), rest.off, (off) => set({ off })),
    element("label", { for: "lights-sleep" }, say("The lights go out")), sleep,
    flip("lights-show", say("Move gently between games"), rest.show, (show) => set({ show })));
}
