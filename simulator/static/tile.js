// Draws a tile: an octagon with lines from edge to edge; edges are numbered from 0 (up) clockwise to 7.

const NS = "http://www.w3.org/2000/svg";
const BEND = [0, 0.55, 0.42, 0.3, 0.33]; // Depth of a line's bend as a share of the tile, by the distance of its edges.

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function out(edge, far) {
  const angle = (edge * Math.PI) / 4;
  return [Math.sin(angle) * far, -Math.cos(angle) * far];
}

export function octagon(size) {
  return `M${[...Array(8).keys()].map((edge) => out(edge + 0.5, size / Math.cos(Math.PI / 8)).join(" ")).join("L")}Z`;
}

// Return name and turning of "7r5"; null for a round piece.
export function parted(piece) {
  const found = /^(.+)r([0-7])$/.exec(piece);
  return found && { name: found[1], turn: Number(found[2]) };
}

// Return pieces with their tiles turned further.
export function turnPieces(pieces, eighths) {
  return pieces.map((piece) => {
    const tile = parted(piece);
    return tile ? `${tile.name}r${(tile.turn + eighths + 8) % 8}` : piece;
  });
}

// Return the shapes of a tile. A later line crosses over earlier ones, so each has a rim of the tile's colour.
export function tileShapes(name, lines, turn, size) {
  const shapes = [svg("path", { class: "tile", d: octagon(size) })];
  for (const line of lines) {
    const [one, other] = line.map((end) => (end + turn) % 8);
    const bend = size * BEND[Math.min((one - other + 8) % 8, (other - one + 8) % 8)];
    const d = `M${out(one, size).join(" ")}C${out(one, bend).join(" ")} ${out(other, bend).join(" ")} ${out(other, size).join(" ")}`;
    shapes.push(svg("path", { class: "rim", d, "stroke-width": size * 0.24 }), svg("path", { class: "track", d, "stroke-width": size * 0.13 }));
  }
  const [x, y] = out(turn - 0.5, size * 0.82);
  const number = svg("text", { class: "tile-number", x, y: y + size * 0.09, "font-size": size * 0.31 });
  number.textContent = name;
  return [...shapes, svg("path", { class: "tile-edge", d: octagon(size) }), number];
}
