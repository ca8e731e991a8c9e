// The proof: every seal of the game, and whether it fits, as this phone has worked it out.
import { connect, element, renew } from "./live.js";
import { check, keptHere } from "./proof_check.js";
import { openWhenAsked } from "./seal.js";

const AGAIN_MS = 3000;
const ANSWER_MS = 15000;
const byId = (id) => document.getElementById(id);
let drawn = "";
let view = null;

const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function clock(at) {
  const time = new Date(at);
  return element("time", { datetime: at }, Number.isNaN(time.getTime()) ? "?" : time.toLocaleTimeString());
}

function mark(kind, words) {
  return element("span", { class: `mark ${kind}` }, element("span", { "aria-hidden": "true" }, { good: "✓", bad: "✗" }[kind] ?? "–"), words);
}

function number(words, text) {
  return [element("dt", {}, words), element("dd", {}, element("code", {}, text))];
}

function sealState(turn, seal) {
  if (seal.fault) return mark("bad", "does not fit");
  if (seal.lost) return mark("none", "given up, made anew");
  if (seal.resigned) return mark("none", "resigned, never opened");
  if (seal.action === null) return mark("none", turn.taken_back ? "never opened" : "not opened yet");
  return mark("good", seal.own ? "fits, made on this phone" : "fits");
}

const nameOf = (proof, seat) => proof.seats.find((one) => one.seat === seat)?.name ?? `Seat ${seat}`;

function sealItem(proof, turn, seal) {
  const seat = proof.seats.find((one) => one.seat === seal.seat);
  const times = ["Sealed at ", clock(seal.at)];
  if (seal.opened) times.push(", opened at ", clock(seal.opened));
  if (seal.lost) times.push(". At ", clock(seal.lost), " all others agreed that it is made anew");
  if (seal.resigned) times.push(". Resigned at ", clock(seal.resigned));
  return element("li", { class: seal.fault ? "broken" : "" },
    element("p", { class: "who" }, element("span", { class: `dot seat-${seal.seat}`, "aria-hidden": "true" }),
      element("b", {}, nameOf(proof, seal.seat)), seat?.computer && element("small", {}, "computer"),
      seal.action !== null && element("b", { class: "placement" }, seal.action), sealState(turn, seal)),
    seal.fault && element("p", { class: "notice error" }, `Broken: ${seal.fault}`),
    element("p", { class: "hint" }, ...times, "."),
    element("dl", {}, ...number("Seal, as it was sent", seal.commitment),
      ...(seal.nonce === null ? [] : number("Secret number of the phone", seal.nonce))));
}

function copy(area) {
  area.focus();
  area.select();
  // The newer way to copy exists on secure pages only; a table in one's own network is none.
  byId("copied").textContent = document.execCommand("copy") ? "Copied." : "Marked: copy it with your keyboard or a long press.";
}

function recipe(turn, key) {
  if (!turn.recipe) return null;
  const area = element("textarea", { id: `text-${key}`, readonly: true, rows: 6, spellcheck: "false", "aria-label": `Commands for turn ${turn.turn}` }, turn.recipe);
  return element("details", { "data-key": "recipe" }, element("summary", {}, "Work it out on another computer"),
    element("p", { class: "hint" }, "Each command prints the number that stands in the line below it. Where there is no sha256sum, use: shasum -a 256"),
    area, element("button", { onclick: () => copy(byId(`text-${key}`)) }, "Copy"));
}

function turnWords(turn, last) {
  if (turn.taken_back && turn.revealed) return "revealed, later taken back";
  if (turn.taken_back) return "taken back before it was revealed";
  if (turn.revealed) return "revealed";
  return last && view?.phase !== "over" ? "not revealed yet" : "never revealed";
}

function turnCard(proof, turn, at, last) {
  const broken = turn.faults.length || turn.seals.some((seal) => seal.fault);
  const state = broken ? mark("bad", "does not fit") : turn.revealed ? mark("good", "checked on this phone") : null;
  const body = [
    ...turn.faults.map((fault) => element("p", { class: "notice error" }, `Broken: ${fault}`)),
    element("ul", { class: "seals" }, ...turn.seals.map((seal) => sealItem(proof, turn, seal))),
    element("dl", {}, ...number("Bound to the turns before by", turn.history),
      ...(turn.after ? number("Binds the next turn", turn.after) : [])),
    recipe(turn, at),
  ];
  const key = `turn-${at}`;
  const fresh = !document.querySelector(`[data-card="${key}"]`); // What somebody has closed stays closed.
  return element("details", { class: "card turn", "data-card": key, open: fresh && Boolean(last || broken) },
    element("summary", {}, element("b", {}, `Turn ${turn.turn}`), element("span", { class: "hint" }, turnWords(turn, last)), state), ...body);
}

function verdict(proof, count) {
  if (!proof.secrets) return ["", "This game has no secret choices: everybody always sees everything, and there is nothing to prove."];
  if (count.faults) return ["bad", "Broken: something here does not fit. It is marked below."];
  if (!count.turns) return ["", proof.turns.length ? "No turn was revealed yet. The seals are here already: nobody can exchange them any more."
    : "Nothing was sealed yet."];
  const whose = proof.seats.some((seat) => seat.computer) ? "know a person's placement, or change any," : "know or change a placement";
  return ["good", `All fit: this phone has worked out ${many(count.seals, "seal")} of ${many(count.turns, "turn")} anew. Nobody, not even whoever `
    + `runs the table, could ${whose} before all had sealed.`];
}

function ownWords(own) {
  if (!own) return "None of these seals was made on this phone, or it does not keep them any more.";
  return own === 1 ? "1 of these seals was made on this phone: it is what this phone kept."
    : `${own} of these seals were made on this phone: they are what this phone kept.`;
}

function show(proof) {
  const { turns, count, head } = check(proof, keptHere(proof.game));
  const [kind, words] = verdict(proof, count);
  byId("title").textContent = `${proof.title}: the proof`;
  byId("verdict").className = `message verdict ${kind}`;
  if (byId("words").textContent !== words) byId("words").textContent = words;
  byId("sign").textContent = { good: "✓", bad: "✗" }[kind] ?? "";
  const told = count.turns && !count.faults;
  byId("own").hidden = !told;
  byId("own").textContent = ownWords(count.own);
  byId("anew").hidden = !count.anew;
  byId("anew").textContent = `${many(count.anew, "seal")} ${count.anew === 1 ? "was" : "were"} given up and made anew, as is told below. All others were asked on their phones then.`;
  byId("computers").hidden = !told || !proof.seats.some((seat) => seat.computer);
  byId("same").hidden = !told;
  byId("head").textContent = head.slice(0, 20).match(/.{4}/g).join(" ");
  byId("meaning").hidden = !proof.secrets;
  renew(byId("turns"), turns.map((turn, at) => turnCard(proof, turn, at, at === turns.length - 1)).reverse());
}

async function load() {
  try {
    const response = await fetch("/api/proof", { signal: AbortSignal.timeout?.(ANSWER_MS) });
    if (!response.ok) throw new Error(`${response.status}`);
    const proof = await response.json();
    byId("error").hidden = true;
    try {
      show(proof);
    } catch {
      byId("verdict").className = "message verdict bad";
      byId("words").textContent = "Broken: what the table sends is no proof at all.";
      byId("turns").replaceChildren();
    }
  } catch {
    byId("error").textContent = "The table does not answer. Trying again …";
    byId("error").hidden = false;
    setTimeout(load, AGAIN_MS);
  }
}

connect((latest) => {
  view = latest;
  openWhenAsked(view); // Whoever has sealed may look here meanwhile, as on every page of a phone.
  const key = JSON.stringify([view.game.id, view.phase, view.turn, view.seal, view.log.at(-1)?.n, view.seats.map((seat) => [seat.name, seat.opened])]);
  if (key !== drawn) load();
  drawn = key;
}, (latest) => Boolean(latest.you) && ["sealing", "revealing"].includes(latest.phase));
