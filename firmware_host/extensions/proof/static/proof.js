// The proof: every seal of the game, and whether it fits, as computed on this phone.
import { check, checkDeal, checkLots } from "./proof_check.js";
import { copyFrom } from "/static/shared/controls.js";
import { byId, element, hintLine, renew, setText, showText } from "/static/shared/elements.js";
import { disc } from "/static/shared/frame.js";
import { connect, getJson, seatOf } from "/static/shared/live.js";
import { dealSeal, keptHere, noteDeal, openWhenAsked } from "/static/shared/seal.js";
import { drop } from "/static/shared/wax.js";
import { locale, say, sayAround, sayIn, sayMany } from "/static/shared/words.js";

const AGAIN_MS = 3000;
const MARKS = { good: "M-36 2-10 28 38-28", bad: "M-28-28 28 28M28-28-28 28" };
let drawn = "";
let view = null;

function clock(at) {
  const time = new Date(at);
  return element("time", { datetime: at }, Number.isNaN(time.getTime()) ? "?" : time.toLocaleTimeString(locale));
}

function mark(kind, words) {
  return element("span", { class: `mark ${kind}` },
    element("span", { "aria-hidden": "true" }, { good: "✓", bad: "✗" }[kind] ?? "–"), words);
}

function number(words, text) {
  return [element("dt", {}, words), element("dd", {}, element("code", {}, text))];
}

function sealState(turn, seal) {
  if (seal.fault) return mark("bad", say("does not fit"));
  if (seal.lost) return mark("none", say("given up, made again"));
  if (seal.void) return mark("none", say("void, never opened"));
  if (seal.resigned) return mark("none", say("resigned, never opened"));
  if (seal.action === null) return mark("none", turn.taken_back ? say("never opened") : say("not opened yet"));
  return mark("good", seal.own ? say("fits, made on this phone") : say("fits"));
}

const nameOf = (proof, seat) => seatOf(proof, seat)?.name ?? say("Seat {seat}", { seat });

function voidWords(seal) {
  const values = { time: clock(seal.void) };
  return seal.void_by === "host" ? sayAround("At {time} the host declared the turn void: all sealed again.", values)
    : sayAround("At {time} the players agreed that the turn is void: all sealed again.", values);
}

function sealItem(proof, turn, seal) {
  const seat = seatOf(proof, seal.seat);
  const times = seal.opened ? sayAround("Sealed at {time}, opened at {later}.",
    { time: clock(seal.at), later: clock(seal.opened) })
    : sayAround("Sealed at {time}.", { time: clock(seal.at) });
  if (seal.lost) {
    times.push(" ", ...sayAround("At {time} all others agreed that it is made again.", { time: clock(seal.lost) }));
  }
  if (seal.void) times.push(" ", ...voidWords(seal));
  if (seal.resigned) times.push(" ", ...sayAround("Resigned at {time}.", { time: clock(seal.resigned) }));
  return element("li", { class: seal.fault ? "broken" : "" },
    element("p", { class: "who" }, disc(seatOf(view ?? proof, seal.seat) ?? seal),
      element("b", {}, nameOf(proof, seal.seat)), seat?.computer && element("small", {}, say("computer")),
      seal.action !== null && element("b", { class: "placement" }, seal.action), sealState(turn, seal)),
    seal.fault && element("p", { class: "notice error" }, say("It does not fit: {fault}", { fault: seal.fault })),
    hintLine(...times),
    element("dl", {}, ...number(say("Seal, as it was sent"), seal.commitment),
      ...(seal.nonce === null ? [] : number(say("Secret number of the phone"), seal.nonce))));
}

function copy(area) {
  byId("copied").textContent = copyFrom(area);
}

function recipe(text, key, label) {
  if (!text) return null;
  const area = element("textarea", { id: `text-${key}`, readonly: true, rows: 6, spellcheck: "false",
    "aria-label": label }, text);
  return element("details", { "data-key": "recipe" }, element("summary", {}, say("Work it out on another computer")),
    hintLine(
      say("Each command prints the number that stands in the line below it. Where there is no sha256sum, use: shasum -a 256")),
    area, element("button", { onclick: () => copy(byId(`text-${key}`)) }, say("Copy")));
}

function turnWords(turn, last) {
  if (turn.taken_back && turn.revealed) return say("revealed, later taken back");
  if (turn.taken_back) return say("taken back before it was revealed");
  if (turn.revealed) return say("revealed");
  return last && view?.phase !== "over" ? say("not revealed yet") : say("never revealed");
}

function turnCard(proof, turn, at, last) {
  const broken = turn.faults.length || turn.seals.some((seal) => seal.fault);
  const state = broken ? mark("bad", say("does not fit")) : turn.revealed ? mark("good", say("checked on this phone"))
    : null;
  const body = [
    ...turn.faults.map((fault) => element("p", { class: "notice error" }, say("It does not fit: {fault}", { fault }))),
    element("ul", { class: "seals" }, ...turn.seals.map((seal) => sealItem(proof, turn, seal))),
    element("dl", {}, ...number(say("Bound to the turns before by"), turn.history),
      ...(turn.after ? number(say("Binds the next turn"), turn.after) : [])),
    recipe(turn.recipe, at, say("Commands for turn {turn}", { turn: turn.turn })),
  ];
  const key = `turn-${at}`;
  const fresh = !document.querySelector(`[data-card="${key}"]`); // A card that somebody has closed stays closed.
  return element("details", { class: "turn", "data-card": key, open: fresh && Boolean(last || broken) },
    summary(say("Turn {turn}", { turn: turn.turn }), turnWords(turn, last), state), ...body);
}

function summary(title, words, state) {
  return element("summary", {}, element("span", { class: "grow" }, element("b", {}, title),
    element("small", { class: "soft" }, words)), state);
}

// The shuffle of the stack: before the end only its seal.
function dealCard(deal, found) {
  const state = found.fault ? mark("bad", say("does not fit")) : found.checked
    ? mark("good", say("checked on this phone")) : null;
  const opened = deal.seed === null ? []
    : [...number(say("Secret number of the shuffle"), deal.seed),
      ...number(say("How the game began; the stack from the top"), deal.position)];
  return element("details", { class: "turn", "data-card": "deal", open: true },
    summary(say("The stack"), deal.seed === null ? say("sealed until the game is over") : sayIn("stack", "opened"), state),
    found.fault && element("p", { class: "notice error" }, say("It does not fit: {fault}", { fault: found.fault })),
    hintLine(
      say("It was shuffled and sealed before the first piece was seen. On the computer that runs the table its order could be read, but not changed.")),
    element("dl", {}, ...number(say("Seal, as it was shown"), deal.commitment), ...opened),
    recipe(found.recipe, "deal", say("Commands for the stack")));
}

// The lots by which several tables draw the stack: all that was opened so far.
function lotsCard(proof, lots, found) {
  const state = found.fault ? mark("bad", say("does not fit")) : found.checked
    ? mark("good", say("checked on this phone")) : null;
  return element("details", { class: "turn", "data-card": "lots", open: true },
    summary(say("The stack"), say("drawn by all tables together"), state),
    found.fault && element("p", { class: "notice error" }, say("It does not fit: {fault}", { fault: found.fault })),
    hintLine(
      say("Before the first piece was seen each table sealed a chain of secret numbers. For each piece every table opens the next one, and all of them together say which piece it is: nobody could know it before, or choose it.")),
    element("dl", {}, ...number(say("Pieces drawn, in order"), found.drawn.join(", ") || "–"),
      ...lots.sealed.flatMap(({ seat, commitment }) =>
        number(say("Seal of the table of {name}", { name: nameOf(proof, seat) }), commitment))),
    recipe(found.recipe, "lots", say("Commands for the stack")));
}

const broken = () => ["bad", say("It does not fit"), say("Something here does not fit. It is marked below.")];

// What kind of answer, what it is in a word or two, and in a sentence.
function dealVerdict(found) {
  if (found.fault) return broken();
  if (found.checked) return ["good", say("It fits"),
    say("The stack lay as it was sealed before the first piece was seen. Nobody has changed its order.")];
  return ["", say("The stack is still sealed"),
    say("The order of the stack is sealed. When the game is over it is shown here, and this phone works the seal out anew.")];
}

function lotsVerdict(found) {
  if (found.fault) return broken();
  if (found.checked) return ["good", say("It fits"),
    say("Every table has drawn with the numbers that it had sealed before the first piece was seen. Nobody could know or choose a piece before it came.")];
  return ["", say("Nothing to check yet"), say("All tables have sealed their numbers. No piece was drawn yet.")];
}

function verdict(proof, count, deal, lots) {
  if (!proof.secrets && lots) return lotsVerdict(lots);
  if (!proof.secrets && deal) return dealVerdict(deal);
  if (!proof.secrets) return ["", say("Nothing is secret"),
    say("This game has no secret choices: everybody always sees everything, and there is nothing to prove.")];
  if (count.faults) return broken();
  if (!count.turns) return ["", say("Nothing to check yet"), proof.turns.length
    ? say("No turn was revealed yet. The seals are here already: nobody can exchange them any more.")
    : say("Nothing was sealed yet.")];
  const what = {
    seals: sayMany("{count} seal", "{count} seals", count.seals),
    turns: sayMany("{count} turn", "{count} turns", count.turns),
  };
  const fit = say("This phone has worked out all seals again ({seals}, {turns}).", what);
  return ["good", say("All seals fit"), `${fit} ${proof.seats.some((seat) => seat.computer)
    ? say("Nobody, not even the person who runs the table, could know a person's placement or change any placement before all had sealed.")
    : say("Nobody, not even the person who runs the table, could know or change a placement before all had sealed.")}`];
}

function showVerdict(kind, headline, words) {
  byId("verdict").className = `verdict ${kind}`;
  setText(byId("headline"), headline);
  setText(byId("words"), words);
  byId("sign").replaceChildren(drop("", MARKS[kind]));
}

function ownWords(own) {
  if (!own) return say("None of these seals was made on this phone, or it does not keep them any more.");
  return sayMany("{count} of these seals was made on this phone: it is what this phone kept.",
    "{count} of these seals were made on this phone: they are what this phone kept.", own);
}

function show(proof) {
  const { turns, count, head } = check(proof, keptHere(proof.game));
  // In the lobby the proof is still empty, but the view has the seal.
  const sealed = proof.deal ?? (view?.game.id === proof.game && view.deal && { ...view.deal, seed: null });
  const deal = sealed && checkDeal(proof.game, sealed, view && dealSeal(proof.game, view.game.mode));
  const lots = proof.lots && checkLots(proof.game, proof.lots);
  count.faults += (deal?.fault ? 1 : 0) + (lots?.fault ? 1 : 0);
  const [kind, headline, words] = verdict(proof, count, deal, lots);
  byId("title").textContent = say("{title}: the proof", { title: proof.title });
  showVerdict(kind, headline, words);
  const fits = count.turns && !count.faults;
  showText(byId("own"), fits && ownWords(count.own));
  showText(byId("anew"), count.anew && sayMany(
    "{count} seal was given up and made again, see below. The others were asked on their phones then.",
    "{count} seals were given up and made again, see below. The others were asked on their phones then.", count.anew));
  showText(byId("void"), count.void && sayMany("{count} turn was declared void and sealed again, see below. Nothing of the void seals was shown to anybody.",
    "{count} turns were declared void and sealed again, see below. Nothing of the void seals was shown to anybody.",
    count.void));
  byId("computers").hidden = !fits || !proof.seats.some((seat) => seat.computer);
  byId("same").hidden = !fits;
  byId("head").textContent = head.slice(0, 20).replace(/.{4}(?=.)/g, "$& ");
  byId("meaning").hidden = !proof.secrets;
  renew(byId("turns"), [sealed && dealCard(sealed, deal), lots && lotsCard(proof, proof.lots, lots),
    ...turns.map((turn, at) => turnCard(proof, turn, at, at === turns.length - 1)).reverse()]);
}

async function load() {
  try {
    const proof = await getJson("/api/proof");
    byId("error").hidden = true;
    try {
      show(proof);
    } catch {
      showVerdict("bad", say("It does not fit"), say("What the table sends is not a proof."));
      byId("turns").replaceChildren();
    }
  } catch {
    byId("error").textContent = say("The table does not answer. Trying again …");
    byId("error").hidden = false;
    setTimeout(load, AGAIN_MS);
  }
}

connect((latest) => {
  view = latest;
  noteDeal(view);
  openWhenAsked(view); // A phone that has sealed may show this page meanwhile: it opens its seal from every page.
  const key = JSON.stringify([view.game.id, view.phase, view.turn, view.seal, view.supply, view.log.at(-1)?.n,
    view.seats.map((seat) => [seat.name, seat.opened])]);
  if (key !== drawn) load();
  drawn = key;
}, (latest) => Boolean(latest.you) && ["sealing", "revealing"].includes(latest.phase));
