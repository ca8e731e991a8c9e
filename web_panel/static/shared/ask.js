// A confirmation before an action that ends something or counts at once. The dialog is in the page (ask.html); its
// prominent button is the safe one.
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
