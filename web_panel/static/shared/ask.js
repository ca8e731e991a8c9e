// A question before a deed that ends something or counts at once. The page has the dialog (ask.html), whose loud button is
// the safe one.
import { attempt } from "./live.js";

const byId = (id) => document.getElementById(id);

export function confirmThen(text, deed) {
  const dialog = byId("ask");
  byId("asktext").textContent = text;
  dialog.onclose = () => {
    if (dialog.returnValue === "yes") attempt(deed);
  };
  dialog.returnValue = "";
  dialog.showModal();
}
