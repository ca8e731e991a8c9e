// The table's state on this page: server-sent events, watched, with polling while they are down.
import { say } from "./words.js";

const BEAT_MS = 25000;
const POLL_MS = 3000;
const HIDDEN_MS = 30000;
const ANSWER_MS = 15000;
const ONCE_MS = 1000;

export async function post(path, body = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Lodestone": "1" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout?.(ANSWER_MS),
    });
  } catch {
    throw new Error(say("The table can't be reached. Is this phone in the same network?"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || !answer.ok) throw new Error(answer.error?.message ?? say("refused ({status})", { status: response.status }));
  return answer;
}

export async function state() {
  const response = await fetch("/api/state", { signal: AbortSignal.timeout?.(ANSWER_MS) });
  if (!response.ok) throw new Error(`no state (${response.status})`);
  return response.json();
}

// Call show(view) now and after every change. With stay(view) a page that is out of sight keeps listening: a phone that
// has sealed opens its seal from a pocket, while a forgotten tab gives its place free.
export function connect(show, stay = () => false) {
  const net = document.getElementById("net");
  let source = null;
  let view = null;
  let watchdog = 0;
  let again = 0;
  let polling = 0;
  let hiding = 0;
  let wait = 1000;

  function take(latest) {
    view = latest;
    show(view);
  }

  function tell(text) {
    if (net && net.textContent !== text) net.textContent = text;
  }

  function online() {
    tell("");
    clearInterval(polling);
    polling = 0;
    wait = 1000;
  }

  function poll() {
    const before = view;
    return state().then((latest) => {
      tell("");
      if (before === view && latest.seq !== view?.seq) take(latest);
    }, () => tell(say("The table does not answer. Trying again …")));
  }

  function ask() {
    polling ||= setInterval(poll, POLL_MS);
  }

  function guard() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      tell(say("connecting …"));
      ask();
      open();
    }, BEAT_MS);
  }

  function open() {
    close();
    source = new EventSource("/api/events");
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
      // Too many pages of one seat: this one asks now and then, until it is looked at again.
      close();
      ask();
    });
    source.onerror = () => {
      tell(say("connecting …"));
      ask();
      if (source?.readyState === EventSource.CLOSED) {
        close();
        again = setTimeout(open, wait);
        wait = Math.min(wait * 2, 15000);
      }
    };
  }

  function close() {
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
  open();
  return { refresh: poll };
}

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null && child !== false && child !== ""));
  return node;
}

// Replace only what has changed: a finger on its way to a button, a focus, an opened list stay what they were.
export function renew(host, fresh) {
  const old = new Map([...host.children].map((child) => [child.dataset.card, child]));
  const focused = document.activeElement?.id;
  const now = fresh.filter(Boolean).map((card) => {
    const before = old.get(card.dataset.card);
    if (before?.open) card.open = true;
    for (const list of before?.querySelectorAll("details[data-key][open]") ?? []) {
      card.querySelector(`details[data-key="${list.dataset.key}"]`)?.setAttribute("open", "");
    }
    return before?.outerHTML === card.outerHTML ? before : card;
  });
  for (const child of [...host.children]) if (!now.includes(child)) child.remove();
  now.forEach((card, at) => {
    if (host.children[at] !== card) host.insertBefore(card, host.children[at] ?? null);
  });
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}

export function explain(problem) {
  const error = document.getElementById("error");
  error.textContent = problem ?? "";
  error.hidden = !problem;
  if (problem) error.scrollIntoView?.({ block: "nearest" });
}

export async function attempt(deed) {
  explain(null);
  try {
    await deed();
  } catch (error) {
    explain(error.message);
  }
}

// A button whose second press, by a hurried finger, means nothing more than the first.
export function once(deed) {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < ONCE_MS) return;
    last = performance.now();
    attempt(deed);
  };
}
