// What is read aloud: a well and a stop whose names differ by capitals alone are told apart by a word.
import { say } from "./words.js";

/** The words of a place for ears: a well says that it is one. */
export function placeAloud(node, layout) {
  return layout.wells?.includes(node) ? say("well {node}", { node }) : node;
}

/** A sentence for ears: each well in it says that it is one, once. */
export function aloud(words, layout) {
  return (layout.wells ?? []).reduce((text, node) => {
    const named = placeAloud(node, layout);
    const kept = text.replaceAll(named, "\0");
    return kept.replace(new RegExp(`\\b${node}\\b`, "g"), named).replaceAll("\0", named);
  }, words);
}
