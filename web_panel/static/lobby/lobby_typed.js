// Redrawing that keeps text being typed.
import { renew } from "../shared/live.js";

export function renewTyped(host, cards) {
  const typed = [...host.querySelectorAll("input[id]")]
    .filter((field) => !field.readOnly && field.type !== "checkbox" && field.value !== field.defaultValue)
    .map((field) => ({ id: field.id, was: field.defaultValue, value: field.value, at: field.selectionStart }));
  renew(host, cards);
  for (const { id, was, value, at } of typed) {
    const field = document.getElementById(id);
    // A changed value from the table replaces the typed one.
    if (!field || field.value === value || field.defaultValue !== was) continue;
    field.value = value;
    if (document.activeElement === field) field.setSelectionRange(at, at);
  }
}
