// A screen that stays on. Browsers allow it on addresses that they trust: this machine's own, and HTTPS.

let wanted = false;
let asking = false;
let lock = /** @type {any} */ (null);

/** Whether this browser lets this page keep the screen on. */
export const canStayAwake = () => "wakeLock" in navigator;

/** Keep the screen on from now on, or let it go. A hidden page loses the lock, and gets it again when it is seen. */
export async function stayAwake(on) {
  wanted = on;
  if (!canStayAwake() || asking) return;
  if (!on) {
    lock?.release();
    lock = null;
    return;
  }
  if (lock || document.visibilityState !== "visible") return;
  asking = true;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = null; });
  } catch {
    // A low battery, for instance: the next view asks again.
  }
  asking = false;
  if (!wanted) stayAwake(false);
}

document.addEventListener("visibilitychange", () => stayAwake(wanted));
