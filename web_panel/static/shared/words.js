// The pages' sentences in the reader's language. The English sentence is the key of the catalogue.
import catalogue from "/words.js";

const CONTEXT = "\u0004";

function fill(form, values) {
  return form.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

// A sentence; {name} in it stands for a value.
export function say(form, values = {}) {
  return fill(catalogue.sentences[form] ?? form, values);
}

// A sentence whose translation depends on the context.
export function sayIn(context, form, values = {}) {
  return fill(catalogue.sentences[context + CONTEXT + form] ?? form, values);
}

// A sentence with elements as some of its values, as a list of texts and elements in order.
export function sayAround(form, values) {
  return say(form).split(/(\{\w+\})/).map((part) => values[part.slice(1, -1)] ?? part).filter((part) => part !== "");
}

// The singular or plural sentence for a count; {count} stands for the number.
export function sayMany(one, many, count, values = {}) {
  const forms = catalogue.counted[one] ?? [one, many];
  const which = catalogue.which[count < catalogue.which.length ? count : 100 + (count % 100)];
  return fill(forms[which], { count, ...values });
}

// "Ann", "Ann and Bob", "Ann, Bob and Cid".
export function listOf(parts) {
  if (parts.length < 2) return parts.join("");
  return say("{first} and {last}", { first: parts.slice(0, -1).join(", "), last: parts.at(-1) });
}

export const language = catalogue.language;

// The locale for times and numbers: the page's language in the browser's own variant (14:30 or 2:30 pm).
export const locale = navigator.languages?.find((one) => one.split("-")[0] === language) ?? language;
