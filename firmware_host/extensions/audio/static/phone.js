// The switches in the menu of a game.
import { soundList } from "./sound.js";
import { add } from "/static/shared/added.js";
import { line, openSheet } from "/static/shared/frame.js";
import { say } from "/static/shared/words.js";

add("menu-line", (_seat, redraw, back) => line("sound-line", "sound", say("Sound and speech"), "", () => openSheet(() => ({
  title: say("Sound and speech"), parts: [soundList(redraw)], back }))));
