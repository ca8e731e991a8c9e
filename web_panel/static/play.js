import { Board } from "./board.js";
import { attempt, connect, element, post, renew } from "./live.js";
import { legend, resultCard, seatItem } from "./parts.js";
import { guidanceSwitch, loopButton, outlookBox } from "./outlook.js";
import { sensorCard, showTrouble } from "./sensors.js";
import { commit, forget, kept, openWhenAsked } from "./seal.js";

const byId = (id) => document.getElementById(id);
const panel = byId("panel");
const choice = { turn: null, colour: null, node: null, shown: false };
let view = null;
let buzzed = "";

byId("logbox").open = matchMedia("(min-width: 60rem)").matches;
const board = new Board(byId("board"), { choose: pick });
const stream = connect((latest) => {
  view = latest;
  openWhenAsked(view);
  if (view.phase === "lobby") return location.assign("/");
  if (view.phase === "over") forget();
  return show();
}, (latest) => Boolean(latest.you) && ["sealing", "revealing"].includes(latest.phase));

function me() {
  return view.you?.seat ?? null;
}

function mySeat() {
  return view.seats.find((seat) => seat.seat === me()) ?? null;
}

function name(seat) {
  return view.seats.find((other) => other.seat === seat)?.name ?? "";
}

function choosing() {
  const seat = mySeat();
  return view.phase === "sealing" && seat && !seat.sealed && !seat.resigned && !seat.computer;
}

function show() {
  const alarm = view.paused ? view.message : view.problem && view.phase !== "setup" ? view.problem.text : "";
  byId("message").textContent = view.message;
  byId("message").hidden = view.message === alarm;
  byId("problem").hidden = !alarm;
  byId("problem").textContent = alarm;
  showTrouble(byId("trouble"), view);
  const who = mySeat();
  byId("who").replaceChildren(...who ? [element("span", { class: `dot seat-${who.seat}`, "aria-hidden": "true" }), who.name] : ["watching"]);
  if (choice.turn !== view.turn) Object.assign(choice, { turn: view.turn, colour: null, node: null, shown: false });
  const picking = choosing();
  if (picking && choice.node && !view.seal.nodes.includes(choice.node)) choice.node = null;
  board.show(view, picking ? { offered: view.seal.nodes, chosen: choice.node, colour: choice.colour } : {});
  byId("seats").replaceChildren(...view.seats.map((seat) => seatItem(view, seat)));
  byId("log").replaceChildren(...view.log.slice().reverse().map((line) => element("li", {}, line.text)));
  byId("lights").replaceChildren(...legend(view));
  renew(panel, cards());
  renew(byId("proposal"), [proposalCard()]);
  renew(byId("more"), [moreCard()]);
  buzz();
}

// A card is drawn anew only when it says something else: its name tells which one it was before.
function card(name, ...children) {
  return element("div", { class: "card", "data-card": name }, ...children);
}

function cards() {
  if (!me()) return [watcherCard(), view.result && resultCard(view)];
  if (view.phase === "over" || view.phase === "clearing") return [resultCard(view), newGame()];
  return [
    choosing() && sealCard(),
    view.phase === "sealing" && mySeat().sealed && sealedCard(),
    view.phase === "revealing" && revealCard(),
    view.phase === "placing" && placingCard(),
    view.phase === "resolving" && (view.resolver === me() ? resolverCard() : othersCard()),
    (view.problem || view.sensors.suspects.length) && sensorCard(view, confirmThen),
  ];
}

function watcherCard() {
  return card("watcher", element("p", {}, "You are watching."), element("a", { class: "button", href: "/" }, "To the lobby"));
}

function pick(node) {
  choice.node = node;
  show();
}

function sealCard() {
  const colours = element("div", { class: "row colours", role: "radiogroup", "aria-label": "Colour" },
    ...Object.keys(view.pieces).map((colour) => element("button", {
      id: `colour-${colour}`, role: "radio", class: `big colour ${colour}`, disabled: !view.seal.colours.includes(colour),
      "aria-checked": choice.colour === colour ? "true" : "false",
      onclick: () => { choice.colour = colour; show(); },
    }, element("span", { class: `chip ${colour}`, "aria-hidden": "true" }, colour.toUpperCase()), view.pieces[colour])));
  const text = element("input", { id: "typed", class: "typed", maxlength: 5, placeholder: "wD12", autocomplete: "off",
    autocapitalize: "off", spellcheck: "false", "aria-label": "Or type colour and node, such as wD12" });
  text.value = (choice.colour ?? "") + (choice.node ?? "");
  text.addEventListener("change", () => typed(text));
  const ready = choice.colour && choice.node;
  return card("seal",
    element("h2", {}, "Your secret placement"), colours,
    element("div", { class: "row stepper" },
      element("button", { id: "previous", class: "big", "aria-label": "Previous node", onclick: () => step(-1) }, "‹"), text,
      element("button", { id: "next", class: "big", "aria-label": "Next node", onclick: () => step(1) }, "›")),
    element("button", { id: "seal", class: "primary big wide-button", disabled: !ready, onclick: sealNow },
      ready ? `Seal ${view.pieces[choice.colour]} on ${choice.node}` : "Choose a colour and a node"),
    element("p", { class: "hint" }, "You may change it until you seal. It stays on this phone until all have sealed."));
}

function step(by) {
  const nodes = view.seal.nodes;
  const at = choice.node ? nodes.indexOf(choice.node) + by : Math.min(by, 0);
  pick(nodes.at(at % nodes.length));
}

// Colour, node, or both: "b", "D12", "wd12".
function typed(field) {
  const text = field.value.trim().toLowerCase();
  const find = (word) => view.seal.nodes.find((node) => node.toLowerCase() === word);
  const colour = view.seal.colours.find((one) => text.startsWith(one));
  const node = find(text) ?? (colour && find(text.slice(colour.length)));
  const both = find(text) ? null : colour;
  if (node) choice.node = node;
  if (both && (node || text === colour)) choice.colour = both;
  if (!node && text !== colour) field.value = (choice.colour ?? "") + (choice.node ?? "");
  show();
}

function sealNow() {
  attempt(async () => {
    await commit(view.seal, me(), choice.colour + choice.node);
    stream.refresh();
  });
}

function sealedCard() {
  const mine = kept(view.seal, me());
  const button = mine && element("button", { id: "peek", "aria-expanded": choice.shown ? "true" : "false",
    onclick: () => { choice.shown = !choice.shown; show(); } }, choice.shown ? "Hide it" : "Show it to me");
  return card("sealed", element("h2", {}, "Sealed"),
    element("p", {}, "It stays on this phone until all have sealed. The phone may sleep."),
    choice.shown && mine && element("p", { class: "secret" }, mine.action), button);
}

function revealCard() {
  const seat = mySeat();
  const lost = seat.sealed && !seat.opened && !kept(view.seal, me());
  return card("reveal", element("h2", {}, "All have sealed"),
    element("p", {}, lost ? "This phone does not have your sealed placement any more. Ask everybody to seal anew (More)."
      : "The phones open their seals."));
}

function placingCard() {
  const todo = view.tasks.filter((task) => task.do === "put");
  const items = todo.map((task) => element("li", { class: task.seat === me() ? "mine" : "" },
    `${name(task.seat)}: ${view.pieces[task.piece] ?? ""} on ${task.node}`));
  const unseen = Object.values(view.lights).some((light) => light.meaning === "confirm");
  return card("placing", element("h2", {}, "Put the stones down"),
    element("ul", { class: "todo" }, ...items),
    unseen ? element("button", { id: "both", class: "primary big",
      onclick: () => attempt(() => post("confirm", { action: "placed" })) }, "All stones lie") : null);
}

function resolverCard() {
  if (view.question) {
    return card("question", element("h2", {}, "What was done?"), element("p", {}, view.question.text),
      ...view.question.choices.map((one) => element("button", { class: "big wide-button",
        onclick: () => attempt(() => post("confirm", { action: one.action })) }, one.words)));
  }
  const groups = new Map();
  for (const step of view.steps) {
    const stone = stoneOf(step.action);
    groups.set(stone, [...(groups.get(stone) ?? []), step]);
  }
  const lists = [...groups].map(([stone, steps]) => element("li", {},
    element("span", { class: "stone-name" }, stone), ...steps.map(stepButtons)));
  return card("resolver", element("h2", {}, "You resolve"),
    outlookBox(view, { mine: true }), loopButton(view), guidanceSwitch(mySeat()),
    element("p", { class: "hint" }, "Move a stone on the board. Or tap a step here: the lights lead you to it."),
    element("ul", { class: "steps" }, ...lists));
}

function othersCard() {
  const who = view.seats.find((seat) => seat.seat === view.resolver);
  if (!who) return null;
  const wish = view.steps.find((step) => step.action === view.wanted);
  const count = view.steps.length;
  return card("others", element("h2", {}, `${who.name} resolves`),
    element("p", {}, wish ? `${who.name} wants: ${wish.words}.` : `${count} possible step${count === 1 ? "" : "s"}. The lights show them.`),
    outlookBox(view),
    !who.computer && (!who.guided || view.foresight?.next) && element("p", { class: "hint" },
      who.guided ? `The board shows ${who.name} the best way.` : `${who.name} plays without being shown the best way.`),
    loopButton(view));
}

function stoneOf(action) {
  if (action.includes("+")) return action.split("+")[1];
  if (action.includes("/")) return action.split("/")[0];
  return action.split("-")[1];
}

function stepButtons(step) {
  const chosen = step.action === view.wanted;
  const row = element("span", { class: "step" }, element("button", {
    id: `step-${step.action}`, "aria-pressed": chosen ? "true" : "false",
    onclick: () => attempt(() => post("choose", { action: step.action })) }, step.words));
  if (chosen && step.hidden) {
    row.append(element("button", { class: "primary", onclick: () => attempt(() => post("confirm", { action: step.action })) },
      "I did this"));
  }
  return row;
}

function newGame() {
  return card("new", element("button", { id: "new", class: "primary big wide-button",
    onclick: () => attempt(() => post("new")) }, "Next game"));
}

function proposalCard() {
  const open = view.proposal;
  if (!open) return null;
  const mine = me() !== null && open.waiting.includes(me());
  const by = open.by === me();
  const what = open.what;
  return card("proposal", element("p", {}, open.words, open.waiting.length ? ` Waiting for ${open.waiting.map(name).join(", ")}.` : ""),
    element("div", { class: "row" },
      mine && element("button", { id: "agree", class: "primary big", onclick: () => attempt(() => post("agree", { what })) }, "I agree"),
      (mine || by) && element("button", { id: "decline", class: "big", onclick: () => attempt(() => post("decline", { what })) },
        by ? "Withdraw" : "No")));
}

function moreCard() {
  const seat = mySeat();
  if (!seat || view.phase === "over" || view.phase === "clearing") return null;
  const propose = (what, words) => view.can[what] && element("button", { id: `propose-${what}`,
    onclick: () => attempt(() => post("propose", { what })) }, words);
  const masked = Object.entries(view.sensors.masked).map(([node, reason]) => element("button", {
    onclick: () => attempt(() => post("unmask", { node })) }, `Believe the sensor of ${node} again`, element("small", {}, reason)));
  const list = [
    propose("take-back", "Ask to take the last action back"),
    propose("reseal", "Ask all to seal this turn anew"),
    ...masked,
    !seat.resigned && element("button", { id: "resign", class: "danger",
      onclick: () => confirmThen("Resign this game?", () => post("resign")) }, "Resign"),
  ].filter(Boolean);
  if (!list.length) return null;
  return element("details", { class: "card", "data-card": "more" }, element("summary", {}, "More"),
    element("div", { class: "column" }, ...list));
}

function confirmThen(text, deed) {
  const dialog = byId("ask");
  byId("asktext").textContent = text;
  dialog.onclose = () => {
    if (dialog.returnValue === "yes") attempt(deed);
  };
  dialog.returnValue = "";
  dialog.showModal();
}

function buzz() {
  const mine = choosing() || (view.phase === "resolving" && view.resolver === me());
  const key = `${view.turn} ${view.phase} ${mine}`;
  if (mine && key !== buzzed && buzzed) navigator.vibrate?.(80);
  buzzed = key;
}
