// What the page says, in the reader's language. The English sentence is the key of the catalogue.
import catalogue from "/sim/words.js";

const CONTEXT = "\u0004";

function fill(form, values) {
  return form.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// A sentence; {name} in it stands for a value.
export function say(form, values = {}) {
  return fill(catalogue.sentences[form] ?? form, values);
}

// A word that other languages tell differently in this context.
export function sayIn(context, form) {
  return catalogue.sentences[context + CONTEXT + form] ?? form;
}

// "white and black and white".
export function listed(parts) {
  return parts.reduce((first, last) => say("{first} and {last}", { first, last }));
}
