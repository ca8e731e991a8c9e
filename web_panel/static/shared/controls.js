// What a person presses, chooses or types, each with what it does.
import { showDialog } from "./dialogs.js";
import { byId, element } from "./elements.js";
import { attempt, post } from "./live.js";
import { say } from "./words.js";

let latest = null; // The last view that this page has shown, and what the open question is about in it.
let about = (_view) => "";
let asked = "";

/**
 * A confirmation before an action that ends something or counts at once. The dialog is in the page (ask.html); its
 * prominent button is the safe one. Returns a promise: whether it was done.
 * @param {string} text
 * @param {() => any} act
 * @param {(view: any) => string} what What it is about: with a view in which that is something else the question is
 *   closed (dropQuestion).
 */
export function confirmThen(text, act, what = () => "") {
  const dialog = byId("ask");
  about = what;
  asked = latest ? about(latest) : "";
  byId("asktext").textContent = text;
  dialog.returnValue = "";
  showDialog(dialog);
  return new Promise((answer) => {
    dialog.onclose = () => answer(dialog.returnValue === "yes" && attempt(act));
  });
}

// With every view: close a question that means nothing any more.
export function dropQuestion(view) {
  const dialog = byId("ask");
  latest = view;
  if (dialog.open && about(view) !== asked) dialog.close();
}

/**
 * A button. If its action fails, the page says why.
 * @param {Record<string, any>} attributes As for `element`.
 * @param {any} words
 * @param {() => any} act
 */
export function button(attributes, words, act) {
  return element("button", { ...attributes, onclick: () => attempt(act) }, words);
}

// A button that sends a request to the table.
export function postButton(attributes, words, path, body = {}) {
  return button(attributes, words, () => post(path, body));
}

// A button that asks before it acts.
export function askButton(attributes, words, question, act) {
  return element("button", { ...attributes, onclick: () => confirmThen(question, act) }, words);
}

// A switch; change(on) is called with its new state.
export function switchButton(attributes, words, on, change) {
  return element("button", { class: "switch", role: "switch", "aria-checked": on ? "true" : "false", ...attributes,
    onclick: () => attempt(() => change(!on)) },
  element("span", {}, words), element("span", { class: "knob", "aria-hidden": "true" }));
}

/**
 * Do something when another value is chosen in a field. One that the table refuses, or that is called off (false), is
 * not shown as chosen: the field goes back.
 * @param {any} field
 * @param {() => any} change
 * @param {"value" | "checked"} shown
 */
export function onChange(field, change, shown = "value") {
  const before = field[shown];
  field.addEventListener("change", () => attempt(async () => {
    let done = false;
    try {
      done = await change() !== false;
    } finally {
      if (!done) field[shown] = before;
    }
  }));
}

// A box to tick; change(on, box) is called with its new state.
export function tickBox(id, words, checked, change, attributes = {}) {
  const box = element("input", { type: "checkbox", id, checked, ...attributes });
  onChange(box, () => change(box.checked, box), "checked");
  return element("label", { class: "tick", for: id }, box, element("span", {}, words));
}

// A list to choose from; `options` are [value, words], change(value) is called with the chosen value as a text.
export function selectBox(attributes, options, chosen, change) {
  const select = element("select", attributes,
    ...options.map(([value, words]) => element("option", { value, selected: value === chosen }, words)));
  onChange(select, () => change(select.value));
  return select;
}

// A form; send() is called instead of loading another page.
export function form(attributes, send, ...children) {
  const made = element("form", attributes, ...children);
  onSubmit(made, send);
  return made;
}

export function onSubmit(host, send) {
  host.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(send);
  });
}

// A part that is folded until somebody opens it; `renew` keeps it open.
export function folded(key, summary, ...children) {
  return element("details", { "data-key": key }, element("summary", {}, summary), ...children);
}

// One of many parts of a long list, folded.
export function group(key, summary, ...children) {
  const box = folded(key, summary, ...children);
  box.className = "group";
  return box;
}

// Copy what stands in a field; return in words what became of it. Pages on plain HTTP have no clipboard API, but a
// selected field can be copied.
export function copyFrom(field) {
  field.focus();
  field.select();
  field.setSelectionRange(0, field.value.length);
  return document.execCommand("copy") ? say("Copied.") : say("Marked: copy it with your keyboard or a long press.");
}
