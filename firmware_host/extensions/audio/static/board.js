// The switches of the virtual board, at its foot. On one page with a phone it has none: the phone has the sounds.
import { soundButtons } from "./sound.js";

if (!globalThis.frameElement) soundButtons();
