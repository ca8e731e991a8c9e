// The page's sentences in the reader's language. The English sentence is the key of the catalogue.
import catalogue from "/sim/words.js";

const CONTEXT = "\u0004";

function fill(form, values) {
  return form.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Return a translated sentence; {name} in it is replaced by a value.
export function say(form, values = {}) {
  return fill(catalogue.sentences[form] ?? form, values);
}

// Return a word's translation in this context.
export function sayIn(context, form) {
  return catalogue.sentences[context + CONTEXT + form] ?? form;
}

// Return "white and black and white".
export function listed(parts) {
  return parts.reduce((first, last) => say("{first} and {last}", { first, last }));
}
