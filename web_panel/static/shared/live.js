// The table's state on this page: server-sent events with a watchdog, and polling while they are down.
import { byId, setText } from "./elements.js";
import { say } from "./words.js";

const QUIET_MS = 3000; // The table beats more often; a longer silence is told, and the table is asked.
const BEAT_MS = 8000; // After this silence the stream is opened anew.
const POLL_MS = 3000;
const HIDDEN_MS = 30000;
const ANSWER_MS = 15000;
const ONCE_MS = 1000;
const LOST_MS = 3000; // Longest interruption without a large warning.
const SLOW_MS = 3000; // A request that takes longer is told.
const PENDING_MS = 300; // A button whose action takes longer shows it.

const silences = new Map(); // Stream → what is told while nothing comes by it.
let slow = 0; // Number of requests that have waited long.

// The small notice in the page's head, unless the large warning stands there.
function notice() {
  const net = document.getElementById("net");
  if (!net || document.body.classList.contains("lost")) return;
  const [silence] = silences.values();
  setText(net, silence ?? (slow ? say("Waiting for the table …") : ""));
}

// Tell that a request waits; returns what ends that.
function awaited() {
  let late = 0;
  const countSlow = (more) => {
    late += more;
    slow += more;
    notice();
  };
  const timer = setTimeout(countSlow, SLOW_MS, 1);
  return () => {
    clearTimeout(timer);
    if (late) countSlow(-late);
  };
}

// What a request is answered. Its refusal is an Error with the table's words and `code`; `away`: the table can't be
// reached.
async function answerOf(path, options, timeout) {
  let response;
  const over = awaited();
  try {
    response = await fetch(path, { ...options, signal: AbortSignal.timeout?.(timeout) });
  } catch {
    throw Object.assign(new Error(say("The table can't be reached. Is this phone on the same network?")),
      { away: true });
  } finally {
    over();
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer) {
    const { status } = response;
    const words = answer?.error?.message ?? say("that didn't work ({status}): load the page again", { status });
    throw Object.assign(new Error(words), { code: answer?.error?.code });
  }
  return answer;
}

// Whether this page shows a lesson on this phone alone: its requests say so, and have no part in the table.
export const ALONE = new URLSearchParams(globalThis.location?.search).has("alone");
const ofPage = (path, alone = ALONE) => (alone ? `${path}?alone=1` : path);

export function post(path, body = {}) {
  return answerOf(ofPage(`/api/${path}`), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Lodestone": "1" },
    body: JSON.stringify(body),
  }, ANSWER_MS);
}

export const getJson = (path, timeout = ANSWER_MS) => answerOf(path, {}, timeout);

// A GET request that fails if the table does not answer in time.
export const fetchInTime = (path, headers = {}) => fetch(path, { headers, signal: AbortSignal.timeout?.(ANSWER_MS) });

export const state = (alone = ALONE) => getJson(ofPage("/api/state", alone));
export const lessons = () => getJson(ofPage("/api/lessons"));

export const seatOf = (view, number) => view.seats.find((seat) => seat.seat === number);

// The seat of this phone; undefined for a spectator.
export const mySeat = (view) => seatOf(view, view.you?.seat);

// Call show(view) now and after every change. A hidden page closes its stream after a while, unless stay(view) is true:
// a phone that has sealed opens its seal even in a pocket, while a forgotten tab frees its stream. `alone`: of the
// lesson on this phone alone, or of the table.
export function connect(show, stay = (_view) => false, alone = ALONE) {
  const take = (view) => {
    if (alone === ALONE) outlive(stateOf(view));
    show(view);
  };
  return follow(ofPage("/api/events", alone), () => state(alone), (view) => view.seq, take, stay);
}

/**
 * Call show(state) now and after every change: by events, and by asking while they are down.
 * @param {string} events Where they come from.
 * @param {() => Promise<any>} ask Fetches the present state.
 * @param {(state: any) => any} number Tells apart the states of one run.
 * @param {(state: any) => void} show
 * @param {(state: any) => boolean} stay Whether a hidden page goes on with this state.
 */
export function follow(events, ask, number, show, stay = () => false) {
  const net = document.getElementById("net");
  const stream = {};
  let source = null;
  let view = null;
  let quiet = 0;
  let watchdog = 0;
  let again = 0;
  let polling = 0;
  let hiding = 0;
  let alarm = 0;
  let wait = 1000;

  function take(latest) {
    view = latest;
    show(view);
  }

  // No data arrives: first a small notice, then a warning over the whole page.
  function lost(text) {
    silences.set(stream, text);
    notice();
    alarm ||= setTimeout(() => {
      document.body.classList.add("lost");
      if (net) {
        setText(net, view ? say("No connection to the table. What you see may be old. Trying again …")
          : say("The table does not answer. Trying again …"));
      }
    }, LOST_MS);
  }

  function found() {
    silences.delete(stream);
    clearTimeout(alarm);
    alarm = 0;
    if (!silences.size) document.body.classList.remove("lost");
    notice();
    tableAnswers();
  }

  function online() {
    found();
    clearInterval(polling);
    polling = 0;
    wait = 1000;
  }

  function poll() {
    const before = view;
    return ask().then((latest) => {
      found();
      if (before === view && (!view || number(latest) !== number(view))) take(latest);
    }, () => lost(say("The table does not answer. Trying again …")));
  }

  function askOn() {
    polling ||= setInterval(poll, POLL_MS);
  }

  function guard() {
    clearTimeout(quiet);
    clearTimeout(watchdog);
    quiet = setTimeout(() => {
      lost(say("connecting …"));
      poll();
    }, QUIET_MS);
    watchdog = setTimeout(() => {
      lost(say("connecting …"));
      askOn();
      open();
    }, BEAT_MS);
  }

  function open() {
    close();
    source = new EventSource(events);
    guard();
    source.onmessage = (event) => {
      guard();
      online();
      take(JSON.parse(event.data));
    };
    source.addEventListener("beat", () => {
      guard();
      online();
    });
    source.addEventListener("enough", () => {
      // Too many streams of one seat or address: this page polls until it is visible again.
      close();
      askOn();
    });
    source.onerror = () => {
      lost(say("connecting …"));
      askOn();
      if (source?.readyState === EventSource.CLOSED) {
        close();
        again = setTimeout(open, wait);
        wait = Math.min(wait * 2, 15000);
      }
    };
  }

  function close() {
    clearTimeout(quiet);
    clearTimeout(watchdog);
    clearTimeout(again);
    source?.close();
    source = null;
  }

  function wake() {
    clearTimeout(hiding);
    poll();
    open();
  }

  function hide() {
    clearTimeout(hiding);
    hiding = setTimeout(() => {
      if (view && stay(view)) return hide();
      clearInterval(polling);
      polling = 0;
      close();
    }, HIDDEN_MS);
  }

  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? wake() : hide()));
  addEventListener("pageshow", (event) => event.persisted && wake());
  addEventListener("pagehide", close);
  addEventListener("offline", () => lost(say("connecting …")));
  addEventListener("online", wake);
  open();
  return { refresh: poll };
}

// The parts of a view that decide which actions are possible, as text: a refusal is shown until they change.
export function stateOf(view) {
  const { game, phase, turn, paused, standstill, resolver, wanted, steps, stage, question, problem, proposal, you, host,
    seats, sensors } = view;
  return JSON.stringify([game?.id, phase, turn, paused, standstill, resolver, wanted,
    steps?.map?.((step) => step.action), stage, question,
    Boolean(problem), proposal?.words, Object.keys(sensors?.masked ?? {}), you, host,
      seats?.map?.(({ name, taken, colour }) => [name, taken, colour])]);
}

let current = null; // stateOf() the shown view; null before the first.
let refused = null; // The shown problem: its state, and `away` if the table did not answer.

export function explain(problem, { away = false } = {}) {
  const error = byId("error");
  refused = problem ? { state: current, away } : null;
  error.textContent = problem ?? "";
  error.hidden = !problem;
  if (!problem) return;
  byId("sheet")?.close(); // It would cover the words.
  error.scrollIntoView?.({ block: "nearest" });
}

function outlive(state) {
  current = state;
  if (!refused) return;
  refused.state ??= state; // The problem came before the first view.
  if (refused.state !== state) explain(null);
}

function tableAnswers() {
  if (refused?.away) explain(null);
}

const acting = new WeakSet(); // Buttons whose action is on its way.

export const isActing = (button) => acting.has(button);

// Act, and say why it failed; return whether it was done. The button that was pressed takes no second press until then,
// and shows after a while that it is busy: with the table, not with a question that waits for its answer.
export async function attempt(act) {
  const pressed = pressedButton();
  if (isActing(pressed)) return false;
  if (pressed) acting.add(pressed);
  explain(null);
  let busy = /** @type {any} */ (null);
  const pending = setTimeout(() => {
    if (byId("ask")?.open) return;
    // A sheet or a question that has closed since returns the focus to the button that opened it.
    busy = pressed?.getClientRects().length ? pressed : document.activeElement?.closest("button");
    busy?.setAttribute("aria-busy", "true");
  }, PENDING_MS);
  try {
    return await act() !== false;
  } catch (error) {
    explain(error.message, error);
    return false;
  } finally {
    acting.delete(pressed);
    clearTimeout(pending);
    busy?.removeAttribute("aria-busy");
  }
}

// The button of the event that is being handled: its own, its form's, or none.
function pressedButton() {
  const { submitter, currentTarget: host } = /** @type {any} */ (globalThis.event ?? {});
  return submitter ?? (host instanceof HTMLButtonElement ? host : null);
}

// The actions of choices on the drawing or in a list: requests to the table. A page without a table replaces them.
export const actions = {
  choose: (action) => attempt(() => post("choose", { action })),
  why: (asked) => post("why", asked),
};

// A button's handler that ignores a second press within ONCE_MS.
export function once(act) {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < ONCE_MS) return;
    last = performance.now();
    attempt(act);
  };
}
