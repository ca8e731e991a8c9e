// A card that is labelled by its heading.
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
