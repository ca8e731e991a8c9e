// Elements of a page: found, made, and renewed where they have changed.

/**
 * An element that the page has.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * The elements that a selector finds.
 * @param {string} selector
 * @param {ParentNode} host
 * @returns {any[]}
 */
export const allOf = (selector, host = document) => [...host.querySelectorAll(selector)];

/**
 * The first element that a selector finds.
 * @param {string} selector
 * @returns {any}
 */
export const firstOf = (selector) => document.querySelector(selector);

/**
 * Create an element. A button with `why` (a text) is disabled and shows the text, also as its tooltip.
 * @param {string} tag
 * @param {Record<string, any>} attributes What is true, false or null: a name alone, or left out.
 * @param {...any} children Elements and texts; what is null, false or empty is left out.
 * @returns {any}
 */
export function element(tag, { why = "", ...attributes } = {}, ...children) {
  const node = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  if (why) {
    node.disabled = true;
    node.title = why;
    if (node.textContent !== why) node.append(element("small", { class: "why" }, why));
  }
  return node;
}

export const hintLine = (...children) => element("p", { class: "hint" }, ...children);
export const row = (...children) => element("div", { class: "row" }, ...children);

// What an element says, with a blank between its parts.
export function textOf(host) {
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode).data);
  return texts.join(" ");
}

// Write a text if it has changed: screen readers read it once.
export function setText(host, words) {
  if (host.textContent !== words) host.textContent = words;
}

// The same for an element that is hidden without words.
export function showText(host, words) {
  setText(host, words || "");
  host.hidden = !words;
}

const BUSY = ' aria-busy="true"'; // What `attempt` adds to a button whose action is on its way.

// Replace only the cards that have changed, so that buttons about to be tapped, focus and opened lists stay.
export function renew(host, fresh) {
  const old = new Map([...host.children].map((child) => [child.dataset.card, child]));
  const focused = document.activeElement?.id;
  const now = fresh.filter(Boolean).map((card) => {
    const before = old.get(card.dataset.card);
    if (before?.open) card.open = true;
    for (const list of before?.querySelectorAll("details[data-key][open]") ?? []) {
      card.querySelector(`details[data-key="${list.dataset.key}"]`)?.setAttribute("open", "");
    }
    return before?.outerHTML.replaceAll(BUSY, "") === card.outerHTML ? before : card;
  });
  for (const child of [...host.children]) if (!now.includes(child)) child.remove();
  now.forEach((card, at) => {
    if (host.children[at] !== card) host.insertBefore(card, host.children[at] ?? null);
  });
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}

const NS = "http://www.w3.org/2000/svg";

// Redrawing that keeps text being typed.
export function renewKeepingText(host, cards) {
  const typed = allOf("input[id], textarea[id]", host)
    .filter((field) => !field.readOnly && field.type !== "checkbox" && field.value !== field.defaultValue)
    .map((field) => ({ id: field.id, was: field.defaultValue, value: field.value, at: field.selectionStart }));
  renew(host, cards);
  for (const { id, was, value, at } of typed) {
    const field = byId(id);
    // A changed value from the table replaces the typed one.
    if (!field || field.value === value || field.defaultValue !== was) continue;
    field.value = value;
    if (document.activeElement === field) field.setSelectionRange(at, at);
  }
}

/**
 * Create a part of a drawing.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...any} children
 * @returns {any}
 */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Style sheets that a page rarely needs are loaded on demand, to keep the common one small. One that has not come is
// asked for again.
export function needStyle(url) {
  if (allOf("link[rel=stylesheet]").some((link) => link.href === url.href)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url.href });
  link.addEventListener("error", () => link.remove());
  document.head.append(link);
}
