// The messages of a phone that is away: a tap on one leads back to the game. It keeps nothing, and answers no request.

const here = /** @type {any} */ (globalThis);

async function toGame() {
  const pages = await here.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === "/play") ?? pages[0];
  return page ? page.focus() : here.clients.openWindow("/play");
}

here.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(toGame());
});
