// The cards of a phase in which all choose in secret: choosing, sealed, opening, putting the stones down.
import { attempt, element, post } from "./live.js";
import { card, names } from "./parts.js";
import { chip } from "./pieces.js";
import { commit, kept } from "./seal.js";
import { say } from "./words.js";

export class Placement {
  constructor(redraw, refresh) {
    this.redraw = redraw;
    this.refresh = refresh;
    Object.assign(this, { turn: null, colour: null, node: null, shown: false });
  }

  // A new turn begins with nothing chosen.
  follow(view) {
    if (this.turn !== view.turn) Object.assign(this, { turn: view.turn, colour: null, node: null, shown: false });
    if (view.seal && this.node && !view.seal.nodes.includes(this.node)) this.node = null;
  }

  picks(view) {
    return { role: "radio", offered: view.seal.nodes, chosen: this.node, colour: this.colour };
  }

  pick(node) {
    this.node = node ?? this.node;
    this.redraw();
  }

  choosing(view, seat) {
    const colours = element("div", { class: "row colours", role: "radiogroup", "aria-label": say("Colour") },
      ...Object.keys(view.pieces).map((colour) => element("button", {
        id: `colour-${colour}`, role: "radio", class: "big colour", disabled: !view.seal.colours.includes(colour),
        "aria-checked": this.colour === colour ? "true" : "false",
        onclick: () => { this.colour = colour; this.redraw(); },
      }, chip(colour, view), view.pieces[colour])));
    const example = view.seal.colours[0] + view.seal.nodes.at(-1);
    const text = element("input", { id: "typed", class: "typed", placeholder: example, autocomplete: "off",
      autocapitalize: "off", spellcheck: "false", "aria-label": say("Or type colour and node, such as {example}", { example }) });
    text.value = (this.colour ?? "") + (this.node ?? "");
    text.addEventListener("change", () => this.typed(text, view.seal));
    const ready = this.colour && this.node;
    return card("seal",
      element("h2", {}, say("Your secret placement")), colours,
      element("div", { class: "row stepper" },
        element("button", { id: "previous", class: "big", "aria-label": say("Previous node"), onclick: () => this.step(-1, view.seal) }, "‹"), text,
        element("button", { id: "next", class: "big", "aria-label": say("Next node"), onclick: () => this.step(1, view.seal) }, "›")),
      element("button", { id: "seal", class: "primary big wide-button", disabled: !ready, onclick: () => this.send(view.seal, seat) },
        ready ? say("Seal {piece} on {node}", { piece: view.pieces[this.colour], node: this.node }) : say("Choose a colour and a node")),
      element("p", { class: "hint" }, say("You may change it until you seal. It stays on this phone until all have sealed.")));
  }

  step(by, { nodes }) {
    const at = this.node ? nodes.indexOf(this.node) + by : Math.min(by, 0);
    this.pick(nodes.at(at % nodes.length));
  }

  // Colour, node, or both: "b", "D12", "wd12".
  typed(field, seal) {
    const text = field.value.trim().toLowerCase();
    const find = (word) => seal.nodes.find((node) => node.toLowerCase() === word);
    const colour = seal.colours.find((one) => text.startsWith(one));
    const node = find(text) ?? (colour && find(text.slice(colour.length)));
    const both = find(text) ? null : colour;
    if (node) this.node = node;
    if (both && (node || text === colour)) this.colour = both;
    if (!node && text !== colour) field.value = (this.colour ?? "") + (this.node ?? "");
    this.redraw();
  }

  send(seal, seat) {
    return attempt(async () => {
      await commit(seal, seat.seat, this.colour + this.node);
      this.refresh();
    });
  }

  sealed(view, seat) {
    const mine = kept(view.seal, seat.seat);
    const button = mine && element("button", { id: "peek", "aria-expanded": this.shown ? "true" : "false",
      onclick: () => { this.shown = !this.shown; this.redraw(); } }, this.shown ? say("Hide it") : say("Show it to me"));
    return card("sealed", element("h2", {}, say("Sealed")),
      element("p", {}, say("It stays on this phone until all have sealed. The phone may sleep.")),
      this.shown && mine && element("p", { class: "secret" }, mine.action), button);
  }
}

export function placingCard(view) {
  const todo = view.tasks.filter((task) => task.do === "put");
  const items = todo.map((task) => element("li", { class: task.seat === view.you?.seat ? "mine" : "" },
    say("{name}: {piece} on {node}", { name: names(view, [task.seat]), piece: view.pieces[task.piece] ?? "", node: task.node })));
  const unseen = Object.values(view.lights).some((light) => light.meaning === "confirm");
  return card("placing", element("h2", {}, say("Put the stones down")),
    element("ul", { class: "todo" }, ...items),
    unseen ? element("button", { id: "both", class: "primary big",
      onclick: () => attempt(() => post("confirm", { action: "placed" })) }, say("All stones lie")) : null);
}
