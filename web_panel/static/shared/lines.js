// The course of lines over tiles in wells: geometry only, the same for every board with wells.
// An edge is a number from 0 (up) clockwise to 7; a tile turned by t eighths joins edges a + t and b + t.

const EDGE = 0.5; // From a well's centre to the middle of its edge, in distances of neighbouring wells.
const SAME = 0.02; // Points nearer than this are the same.
const OUT = 0.25; // Distance from an edge to the node that it meets,
const NEAR = 0.3; // and its tolerance.

export function direction(edge) {
  const angle = (edge * Math.PI) / 4;
  return [Math.sin(angle), Math.cos(angle)];
}

// Tile and turning of "7r5"; null for other pieces.
export function tileOf(piece) {
  const found = /^(.+)r([0-7])$/.exec(piece ?? "");
  return found && { name: found[1], turn: Number(found[2]) };
}

// Well and turning of a step that lays a tile, or of an action that begins with it: "b3r5", "b3r5:B3-D4".
export function layingOf(action) {
  const found = /^([^:]+?)r([0-7])(?::|$)/.exec(action ?? "");
  return found && { well: found[1], turn: Number(found[2]) };
}

/** @type {(one: number[], other: number[]) => number} */
const apart = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

// The edge by which a line leaves a tile entered by `edge`; null if there is none.
function across(lines, turn, edge) {
  for (const line of lines) {
    const [one, other] = line.map((end) => (end + turn) % 8);
    if (one === edge) return other;
    if (other === edge) return one;
  }
  return null;
}

export class Ways {
  constructor(layout) {
    this.layout = layout;
    this.wells = new Set(layout.wells ?? []);
    this.beyond = new Map();
    this.meets = new Map();
    for (const well of this.wells) for (let edge = 0; edge < 8; edge += 1) this.join(well, edge);
  }

  // The middle of a well's edge, or the point at distance `far` from the well's centre in that direction.
  middle(well, edge, far = EDGE) {
    const [x, y] = this.layout.nodes[well];
    const [dx, dy] = direction(edge);
    return [x + dx * far, y + dy * far];
  }

  join(well, edge) {
    const found = this.facing(well, edge) ?? this.printed(well, edge) ?? this.nearest(well, edge);
    if (!found) return;
    this.beyond.set(`${well} ${edge}`, found);
    if (found.node) this.meets.set(found.node, [...(this.meets.get(found.node) ?? []), { well, edge }]);
  }

  facing(well, edge) {
    const [here, there] = [this.middle(well, edge), (edge + 4) % 8];
    for (const other of this.wells) {
      if (other !== well && apart(here, this.middle(other, there)) < SAME) return { well: other, edge: there };
    }
    return null;
  }

  // A printed path joins two edges; `points` lead from this one to the other.
  printed(well, edge) {
    const here = this.middle(well, edge);
    for (const path of this.layout.paths) {
      const points = apart(here, path[0]) < SAME ? path : apart(here, path.at(-1)) < SAME ? [...path].reverse() : null;
      const end = points && this.edgeAt(points.at(-1));
      if (end) return { ...end, points };
    }
    return null;
  }

  edgeAt(point) {
    for (const well of this.wells) {
      for (let edge = 0; edge < 8; edge += 1) if (apart(point, this.middle(well, edge)) < SAME) return { well, edge };
    }
    return null;
  }

  nearest(well, edge) {
    const out = this.middle(well, edge, EDGE + OUT);
    let best = null;
    for (const [node, place] of Object.entries(this.layout.nodes)) {
      const distance = apart(out, place);
      if (!this.wells.has(node) && distance < NEAR && (!best || distance < best.distance)) best = { node, distance };
    }
    return best && { node: best.node };
  }

  // All lines from a node on a board: `nodes` in order, `legs` from edge to edge, and `end`, null if the line stops at
  // an empty well.
  from(node, board) {
    return (this.meets.get(node) ?? []).map((start) => this.walk(node, start, board));
  }

  walk(node, { well, edge }, board) {
    const nodes = [node];
    /** @type {{well: string, enter: number, leave: number}[]} */
    const legs = [];
    let at = { well, edge };
    while (at.well) {
      const tile = tileOf(board[at.well]?.at(-1));
      const lines = tile && this.layout.tiles[tile.name];
      const leave = lines ? across(lines, tile.turn, at.edge) : null;
      if (leave === null) return { nodes, legs, end: null };
      nodes.push(at.well);
      legs.push({ well: at.well, enter: at.edge, leave });
      at = this.beyond.get(`${at.well} ${leave}`) ?? {};
    }
    if (at.node) nodes.push(at.node);
    return { nodes, legs, end: at.node ?? null };
  }

  // Whether a line may end there: a node where several edges meet is open to all, one at a single edge is a seat's
  // goal.
  open(end, start, seat, board) {
    if (end === start) return true;
    return Boolean(end) && !board[end]?.length && (this.meets.get(end).length > 1 || seat.homes.includes(end));
  }

  // The lines that a seat's runners could take over a tile in a well.
  over(well, piece, seat, board) {
    const lying = { ...board, [well]: [piece] };
    const starts = Object.keys(board).filter((node) => board[node].at(-1) === seat.plays && !seat.homes.includes(node));
    return starts.flatMap((start) => this.from(start, lying).filter((line) =>
      line.legs.some((leg) => leg.well === well) && this.open(line.end, start, seat, board)));
  }

  // The line with these nodes on the board; null if there is none.
  along(nodes, board) {
    const key = nodes.join(" ");
    return this.from(nodes[0], board).find((line) => line.nodes.join(" ") === key) ?? null;
  }
}
