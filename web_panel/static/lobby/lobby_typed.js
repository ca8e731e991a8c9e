// Drawn anew, fields keep what is being typed.
import { renew } from "../shared/live.js";

export function renewTyped(host, cards) {
  const typed = [...host.querySelectorAll("input[id]")]
    .filter((field) => !field.readOnly && field.type !== "checkbox" && field.value !== field.defaultValue)
    .map((field) => ({ id: field.id, was: field.defaultValue, value: field.value, at: field.selectionStart }));
  renew(host, cards);
  for (const { id, was, value, at } of typed) {
    const field = document.getElementById(id);
    // What the table now says counts more than what was about to be said.
    if (!field || field.value === value || field.defaultValue !== was) continue;
    field.value = value;
    if (document.activeElement === field) field.setSelectionRange(at, at);
  }
}
