// The code of the table's own Wi-Fi, which comes first: without it no phone gets to the table.
import { add } from "/static/shared/added.js";
import { element } from "/static/shared/elements.js";
import { say } from "/static/shared/words.js";

/** Its name while it is open: every screen is told the name alone, the host also whether it is set up. */
export const ownName = (wifi) => (typeof wifi === "string" ? wifi : wifi?.own);

add("code", ({ wifi }) => {
  const name = ownName(wifi);
  return name ? { card: "wifi", title: say("First the Wi-Fi"), label: say("The table's Wi-Fi"), parts: [
    element("img", { class: "code", width: 168, height: 168, src: "/qr/wifi.svg",
      alt: say("QR code of the Wi-Fi {name}", { name }) }), element("p", {}, name)] } : null;
});
