"""Octiles once more, for comparison: by names, one step of a line after the other, slow and plain.

Nothing here is shared with ``firmware_host.games.octiles``; the board is a table read off the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
TABLE = """
a2: a3.S B3 b2.W B2 A1 A2 A3 a3.SW
a3: b4.W B4 b3.W B3 a2.N a2.NW A4 A5
b2: b3.S C3 c2.W C2 c1.W B2 a2.E B3
b3: b4.S C4 c3.W C3 b2.N B3 a3.E B4
b4: b5.S C5 c4.W C4 b3.N B4 a3.N B5
b5: C6 c5.NW c5.W C5 b4.N B5 A6 B6
c1: c2.S D2 d1.W d1.SW C1 B1 b2.S C2
c2: c3.S D3 d2.W D2 c1.N C2 b2.E C3
c3: c4.S D4 d3.W D3 c2.N C3 b3.E C4
c4: c5.S D5 d4.W D4 c3.N C4 b4.E C5
c5: D6 E6 d4.N D5 c4.N C5 b5.E b5.NE
d1: d2.S E2 F1 E1 D1 c1.SE c1.E D2
d2: d3.S E3 e3.S E2 d1.N D2 c2.E D3
d3: d4.S E4 e3.W E3 d2.N D3 c3.E D4
d4: c5.E E5 e4.W E4 d3.N D4 c4.E D5
e3: e4.S e4.SE F3 F2 d2.E E3 d3.E E4
e4: F6 F5 F4 e3.NE e3.N E4 d4.E E5
"""
"""What lies beyond each edge, from north clockwise: a node, or a well and by which of its edges one comes in."""
EDGES = {line.split(":")[0]: line.split(":")[1].split() for line in TABLE.split("\n") if line}
NODES = sorted({beyond for edges in EDGES.values() for beyond in edges if beyond[0].isupper()})
TILES = {
    1: [(0, 4), (1, 5), (2, 6), (3, 7)],
    2: [(0, 5), (1, 4), (2, 6), (3, 7)],
    3: [(0, 5), (1, 4), (2, 7), (3, 6)],
    4: [(0, 4), (1, 7), (2, 5), (3, 6)],
    5: [(0, 4), (1, 7), (2, 6), (3, 5)],
    6: [(0, 2), (1, 6), (3, 5), (4, 7)],
    7: [(0, 3), (1, 4), (2, 5), (6, 7)],
    8: [(0, 4), (1, 5), (2, 3), (6, 7)],
    9: [(0, 4), (1, 3), (2, 5), (6, 7)],
    10: [(0, 4), (1, 3), (2, 7), (5, 6)],
    11: [(0, 2), (1, 7), (3, 5), (4, 6)],
    12: [(0, 5), (1, 3), (2, 4), (6, 7)],
    13: [(0, 2), (1, 4), (3, 5), (6, 7)],
    14: [(0, 5), (1, 4), (2, 3), (6, 7)],
    15: [(0, 7), (1, 3), (2, 6), (4, 5)],
    16: [(0, 3), (1, 2), (4, 5), (6, 7)],
    17: [(0, 2), (1, 3), (4, 5), (6, 7)],
    18: [(0, 1), (2, 3), (4, 5), (6, 7)],
}
HOME = {
    "blue": ["A1", "A2", "A3", "A4", "A5"],
    "red": ["A6", "B6", "C6", "D6", "E6"],
    "yellow": ["F6", "F5", "F4", "F3", "F2"],
    "green": ["F1", "E1", "D1", "C1", "B1"],
}
GOAL = {"blue": HOME["yellow"], "yellow": HOME["blue"], "red": HOME["green"], "green": HOME["red"]}
PADS = [pad for pads in HOME.values() for pad in pads]
STOPS = [node for node in NODES if node not in PADS]
SIDES = {"2": ["blue", "yellow"], "3": ["blue", "red", "yellow"], "4": ["blue", "red", "yellow", "green"]}

Wells = dict[str, tuple[int, int]]
"""Well → tile and turn."""


@dataclass
class State:
    wells: Wells
    runners: dict[str, list[str]]
    stack: list[int]
    mode: str
    seat: int

    @property
    def side(self) -> str:
        return SIDES[self.mode][self.seat - 1]


def start(mode: str, stack: list[int], turned: list[int]) -> State:
    wells = {}
    if mode == "3":
        wells = {"c1": (stack[0], turned[0]), "d1": (stack[1], turned[1])}
        stack = stack[2:]
    runners = {side: sorted(HOME[side][:2] + HOME[side][2 + (mode == "4") :]) for side in SIDES[mode]}
    return State(wells, runners, stack, mode, 1)


def read(text: str) -> State:
    wells, runners, stack, mode, seat = text.split(" ")
    laid = {}
    for entry in wells.split(",") if wells != "-" else []:
        well, face = entry.split(":")
        laid[well] = (int(face.split("r")[0]), int(face.split("r")[1]))
    standing = {group.split(":")[0]: group.split(":")[1].split(",") for group in runners.split(";")}
    return State(laid, standing, [int(tile) for tile in stack.split(",")], mode, int(seat))


def write(state: State) -> str:
    wells = ",".join(f"{well}:{tile}r{turn}" for well, (tile, turn) in sorted(state.wells.items())) or "-"
    runners = ";".join(f"{side}:{','.join(sorted(state.runners[side]))}" for side in SIDES[state.mode])
    return f"{wells} {runners} {','.join(map(str, state.stack))} {state.mode} {state.seat}"


def follow(wells: Wells, well: str, edge: int) -> tuple[list[tuple[str, int]], str | None]:
    """The wells that a line crosses with the edges by which it enters them, and the node where it ends (None: dead)."""
    crossed = []
    while well in wells:
        crossed.append((well, edge))
        tile, turn = wells[well]
        out = None
        for pair in TILES[tile]:
            one, other = [(end + turn) % 8 for end in pair]
            if one == edge:
                out = other
            if other == edge:
                out = one
        assert out is not None
        beyond = EDGES[well][out]
        if beyond in NODES:
            return crossed, beyond
        well, direction = beyond.split(".")
        edge = COMPASS.index(direction)
    return crossed, None


def lines_from(wells: Wells, node: str) -> Iterator[tuple[list[tuple[str, int]], str | None]]:
    for well, edges in EDGES.items():
        for edge, beyond in enumerate(edges):
            if beyond == node:
                yield follow(wells, well, edge)


def turns(state: State) -> set[str]:
    """The legal turns, without the pass."""
    side, found = state.side, set()
    taken = {node for nodes in state.runners.values() for node in nodes}
    for well in EDGES:
        for turn in range(8):
            wells = {**state.wells, well: (state.stack[0], turn)}
            for runner in state.runners[side]:
                if runner in GOAL[side]:
                    continue
                for crossed, end in lines_from(wells, runner):
                    if end is None or well not in [one for one, _ in crossed]:
                        continue
                    loop = end == runner and end in STOPS
                    if loop or (end not in taken and (end in STOPS or end in GOAL[side])):
                        found.add(f"{well}r{turn}:{runner}-{end}")
    if all(pad in taken for pad in HOME[side]):
        vacating = {turn for turn in found if turn.split(":")[1].split("-")[0] in HOME[side]}
        return vacating or found
    return found


def won(state: State) -> bool:
    return all(node in GOAL[state.side] for node in state.runners[state.side])


def play(state: State, action: str) -> State:
    """The state after a legal action; of one that won the seat stays."""
    wells, stack = dict(state.wells), list(state.stack)
    runners = {side: list(nodes) for side, nodes in state.runners.items()}
    if action != "pass":
        laid, moved = action.split(":")
        well, turn = laid.split("r")
        source, end = moved.split("-")
        covered = wells.get(well)
        wells[well] = (stack.pop(0), int(turn))
        if covered:
            stack.append(covered[0])
        runners[state.side].remove(source)
        runners[state.side].append(end)
    after = State(wells, runners, stack, state.mode, state.seat)
    if action == "pass" or not won(after):
        after.seat = state.seat % len(SIDES[state.mode]) + 1
    return after
