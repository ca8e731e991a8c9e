// The frame that all pages share: the bar on top, sheets that open over the page, and lists of lines.
//
// A page has one headline, one board and at most one brass button (docs/look.md). What is not needed next is behind
// "?" and the menu of the bar, in sheets. A sheet is a dialog: Escape, the way back, and a tap beside it close it, and
// the focus returns to what opened it.
import { showDialog } from "./dialogs.js";
import { allOf, byId, element, renew, renewKeepingText } from "./elements.js";
import { icon } from "./icons.js";
import { isActing } from "./live.js";
import { say } from "./words.js";

/** A seat's disc, which always carries its number. */
export function disc(seat, { free = false } = {}) {
  const kind = `disc seat-${seat.colour ?? seat.seat}${free ? " open-seat" : ""}`;
  return element("span", { class: kind, "aria-hidden": "true" }, String(seat.seat));
}

/** A button of the bar: an icon, named for screen readers. */
export function barButton(id, name, words, act) {
  return element("button", { id, type: "button", "aria-label": words, onclick: act }, icon(name));
}

/** The bar of a page: who this phone is, or the way to the lobby; what is played; "?" and the menu. */
export function showBar(view, about, ...buttons) {
  const seat = view.seats.find((one) => one.seat === view.you?.seat);
  byId("bar").className = `bar ${seat ? `seat-${seat.colour ?? seat.seat}` : ""}`;
  const parts = [
    seat ? element("span", { class: "row grow", id: "who" }, disc(seat), element("span", { class: "name" }, seat.name))
      : element("a", { class: "brand grow", href: "/" }, "Lodestone"),
    element("small", { class: "about soft" }, about), ...buttons].filter(Boolean);
  renew(byId("bar"), parts.map((part, at) => {
    part.dataset.card = `bar-${at}`;
    return part;
  }));
}

// The sheet that is open, and how its contents are made anew when the table changes.
let contents = null;

function sheetOf() {
  let sheet = byId("sheet");
  if (sheet) return sheet;
  sheet = element("dialog", { id: "sheet", class: "sheet", "aria-labelledby": "sheet-title" });
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
  sheet.addEventListener("close", () => { contents = null; });
  document.body.append(sheet);
  return sheet;
}

/**
 * Open a sheet, or turn the open one to other contents.
 * @param {() => {title: string, note?: string, parts: any[], back?: [string, () => void] | null} | null} make What it
 *   shows; called again by `renewSheet`; null where that is no more, which closes the sheet. Each part has a
 *   `data-card`; `back` is the last button, which otherwise closes.
 */
export function openSheet(make) {
  contents = make;
  const sheet = sheetOf();
  sheet.replaceChildren();
  renewSheet();
  showDialog(sheet);
  byId("sheet-title").focus(); // Not a field, whose keyboard would cover the sheet.
}

export function closeSheet() {
  byId("sheet")?.close();
}

/** Show what has changed in the open sheet. */
export function renewSheet() {
  if (!contents) return;
  const made = contents();
  if (!made) {
    closeSheet();
    return;
  }
  const { title, note, parts, back } = made;
  const [words, act] = back ?? [say("Back to the game"), closeSheet];
  renewKeepingText(sheetOf(), [
    element("div", { class: "row split", "data-card": "head" },
      element("h2", { id: "sheet-title", tabindex: -1 }, title),
      note && element("small", { class: "soft" }, note)),
    ...parts.filter(Boolean),
    element("button", { id: "sheet-back", type: "button", "data-card": "back", onclick: act }, words),
  ]);
}

/** A list of lines; each is made by `line`, `lineSwitch` or by hand. */
export function list(card, ...lines) {
  return element("div", { class: "list", "data-card": card }, ...lines);
}

/** Lines of which one is chosen; each is made by `lineChoice`. */
export function choices(card, label, ...lines) {
  return element("div", { class: "list", "data-card": card, role: "group", "aria-label": label }, ...lines);
}

/** A line that is one of several to choose from, with what it means below it. */
export function lineChoice(id, words, about, on, act) {
  return element("button", { id, type: "button", "aria-pressed": on ? "true" : "false", onclick: act },
    element("span", {}, words, about && element("small", {}, about)));
}

/** The buttons at the foot of every page, which a page of one screen has in its menu. */
export function languages() {
  return allOf(".languages [data-language]");
}

function languagesBox() {
  return choices("languages", say("Language"), ...languages().map((one) => element("button",
    { type: "button", lang: one.lang, "aria-pressed": one.getAttribute("aria-pressed"), onclick: () => one.click() },
    element("span", {}, one.textContent))));
}

/** The line of a menu that opens the languages; none where there is only one. */
export function languageLine(back) {
  const now = languages().find((one) => one.getAttribute("aria-pressed") === "true");
  return languages().length > 1 && line("languages", "names", say("Language"),
      now ? element("span", { lang: now.lang }, now.textContent) : "",
    () => openSheet(() => ({ title: say("Language"), parts: [languagesBox()], back })));
}

/** A line that opens something; `value` says how it stands. */
export function line(id, name, words, value, act) {
  return element("button", { id, type: "button", onclick: act }, name && icon(name), element("span", {}, words),
    element("span", { class: "end" }, value, icon("right")));
}

/** A line that leads to another page. */
export function lineLink(id, name, words, href) {
  return element("a", { id, href }, name && icon(name), element("span", {}, words),
    element("span", { class: "end" }, icon("right")));
}

/**
 * A line that switches something; change(on) is called with its new state, which it shows at once. One that was refused
 * or called off (false, or a promise of it) goes back. `why`: it can't be switched.
 */
export function lineSwitch(id, name, words, on, change, { about = "", why = "" } = {}) {
  const toggle = element("span", { class: "toggle", "aria-hidden": "true" });
  const turn = (to) => {
    made.setAttribute("aria-checked", String(to));
    toggle.classList.toggle("on", to);
  };
  const made = element("button", { id, type: "button", role: "switch", disabled: Boolean(why), onclick: async () => {
    if (isActing(made)) return;
    const to = made.getAttribute("aria-checked") !== "true";
    turn(to);
    if (await change(to) === false) turn(!to);
  } }, name && icon(name), element("span", {}, words, (why || about) && element("small", {}, why || about)),
  element("span", { class: "end" }, toggle));
  turn(on);
  return made;
}

/** One of the large buttons of a menu. */
export function tileButton(id, name, words, about, act, attributes = {}) {
  return element("button", { id, type: "button", class: "tile-button", onclick: act, ...attributes }, icon(name),
    element("span", {}, words, about && element("small", {}, about)));
}
