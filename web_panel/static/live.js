// The table's state on this page: server-sent events, watched, with polling while they are down.

const BEAT_MS = 25000;
const POLL_MS = 3000;

export async function post(path, body = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Lodestone": "1" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The table can't be reached. Is this phone in the same network?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || !answer.ok) throw new Error(answer.error?.message ?? `refused (${response.status})`);
  return answer;
}

export function connect(show) {
  const net = document.getElementById("net");
  let source = null;
  let watchdog = 0;
  let retry = 1000;
  let polling = 0;
  let seq = -1;

  function take(view) {
    seq = view.seq;
    show(view);
  }

  function online(yes) {
    if (net) net.textContent = yes ? "" : "connecting …";
    if (yes) {
      clearInterval(polling);
      polling = 0;
      retry = 1000;
    } else if (!polling) {
      polling = setInterval(poll, POLL_MS);
    }
  }

  async function poll() {
    try {
      const view = await (await fetch("/api/state")).json();
      if (view.seq !== seq) take(view);
    } catch {
      // Still away: the next poll or the rebuilt stream will tell.
    }
  }

  function guard() {
    clearTimeout(watchdog);
    watchdog = setTimeout(open, BEAT_MS);
  }

  function open() {
    close();
    source = new EventSource("/api/events");
    guard();
    source.onmessage = (event) => {
      guard();
      online(true);
      take(JSON.parse(event.data));
    };
    source.addEventListener("beat", () => {
      guard();
      online(true);
    });
    source.onerror = () => {
      online(false);
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, retry);
        retry = Math.min(retry * 2, 15000);
      }
    };
  }

  function close() {
    clearTimeout(watchdog);
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      poll();
      open();
    }
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
  addEventListener("pagehide", close);
  open();
  return { refresh: poll, reopen: open };
}

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export function explain(problem) {
  const error = document.getElementById("error");
  error.textContent = problem ?? "";
  error.hidden = !problem;
}

export async function attempt(deed) {
  explain(null);
  try {
    await deed();
  } catch (error) {
    explain(error.message);
  }
}
