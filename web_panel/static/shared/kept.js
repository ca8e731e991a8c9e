// What this browser keeps by name: for the device, or for its tab only. A browser without room or permission keeps nothing.
const storage = (tab) => (tab ? sessionStorage : localStorage);

export function recall(name, tab = false) {
  try {
    return storage(tab).getItem(name);
  } catch {
    return null;
  }
}

// Keep a text; null forgets it.
export function keep(name, text, tab = false) {
  try {
    if (text === null) storage(tab).removeItem(name);
    else storage(tab).setItem(name, text);
  } catch {
    // Nothing is kept.
  }
}

export function recallJson(name, tab = false) {
  try {
    return JSON.parse(recall(name, tab));
  } catch {
    return null;
  }
}
