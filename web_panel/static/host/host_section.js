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
