// A screen that stays on. Browsers grant a lock on addresses that they trust: this machine's own, and HTTPS. On others
// a big screen plays a dark and silent film, as large as the page: browsers leave a screen on while a film is seen.
import { element, needStyle } from "/static/shared/elements.js";

let wanted = false;
let asking = false;
let lock = /** @type {any} */ (null);

const canStayAwake = () => "wakeLock" in navigator;

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

async function playFilm() {
  needStyle(new URL("awake.css", import.meta.url));
  const film = element("video", { class: "film", loop: true, playsinline: true, "aria-hidden": "true" },
    ...["webm", "mp4"].map((kind) => element("source",
      { src: `/static/awake/screen-on.${kind}`, type: `video/${kind}` })));
  film.muted = true; // Only a silent film begins by itself.
  document.body.append(film);
  try {
    await film.play();
    return true;
  } catch {
    film.remove();
    return false;
  }
}

/**
 * Keep a big screen on from now on.
 * @returns {Promise<boolean>} Whether this browser does what it can; otherwise its owner has to set it.
 */
export async function keepOn() {
  if (!canStayAwake()) return playFilm();
  await stayAwake(true);
  return true;
}

document.addEventListener("visibilitychange", () => stayAwake(wanted));
