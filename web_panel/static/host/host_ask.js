// A question before a deed that ends or sets aside something. The page has the dialog.
import { attempt } from "../shared/live.js";

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

// A card with a heading that names it.
export function section(name, title, ...children) {
  const box = document.createElement("section");
  box.className = "card";
  box.dataset.card = name;
  box.setAttribute("aria-labelledby", `${name}-title`);
  const head = document.createElement("h2");
  head.id = `${name}-title`;
  head.textContent = title;
  box.append(head, ...children.flat().filter(Boolean));
  return box;
}
