"""A position of Octiles as a value, and its text (formats.md, Octiles)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from firmware_host.games.game import BadPosition
from firmware_host.games.octiles.board import HOMES, NODE, NODES, OPPOSITE, TILES, WELL, WELLS

Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], int]
"""The parts of a position that R3 compares: faces, runners, stack, seat."""

SEATED = {
    "2": ("blue", "yellow"),
    "3": ("blue", "red", "yellow"),
    "4": ("blue", "red", "yellow", "green"),
}
"""Mode → the side of each seat, in turn order."""
RUNNERS = {"2": 5, "3": 5, "4": 4}
HOME = {side: frozenset(NODE[pad] for pad in pads) for side, pads in HOMES.items()}
GOAL = {side: HOME[OPPOSITE[side]] for side in HOMES}
LAID_BEFORE = ("c1", "d1")
"""The wells of the first two tiles in the three-player game."""
EIGHTHS = 8


@dataclass(frozen=True)
class Position:
    """One position.

    ``faces`` has the turned tile of each well (``tile * 8 + turn``, 0: none), ``runners`` the sorted nodes of each
    seat's runners, ``stack`` the tiles from the top. The text lacks the other fields: ``past`` are the positions at the
    start of each turn since the last irreversible change, ``passed`` the seats that have passed in a row, ``resigned``
    the seats that have resigned, ``ending`` the end of the game if it is not by a goal (``draw``, ``resigned``). No
    rule depends on ``number`` (the turn) and ``unseen`` (the number of unseen tiles under the top one); covered tiles
    at the bottom of the stack have been seen.
    """

    faces: tuple[int, ...]
    runners: tuple[tuple[int, ...], ...]
    stack: tuple[int, ...]
    mode: str
    seat: int
    past: tuple[Key, ...] = ()
    passed: tuple[int, ...] = ()
    resigned: tuple[int, ...] = ()
    ending: str | None = None
    number: int = field(default=1, compare=False)
    unseen: int = field(default=len(TILES) - 1, compare=False)

    @property
    def side(self) -> str:
        """Return the side of the seat to move."""
        return SEATED[self.mode][self.seat - 1]

    @property
    def key(self) -> Key:
        """Return the value compared for R3."""
        return self.faces, self.runners, self.stack, self.seat

    def in_goal(self, seat: int) -> tuple[int, ...]:
        """Return the goal nodes on which a seat's runners stand."""
        goal = GOAL[SEATED[self.mode][seat - 1]]
        return tuple(node for node in self.runners[seat - 1] if node in goal)

    def home(self, seat: int) -> bool:
        """Return whether all runners of a seat are on their goal."""
        return len(self.in_goal(seat)) == len(self.runners[seat - 1])


def start(mode: str, stack: tuple[int, ...], turned: tuple[int, ...]) -> Position:
    """Return the set-up; ``stack`` has all tiles from the top, ``turned`` the turnings of those put before play."""
    faces = [0] * len(WELLS)
    for name, tile, turn in zip(LAID_BEFORE, stack, turned, strict=False):
        faces[WELL[name]] = tile * EIGHTHS + turn
    places = (0, 1, 2, 3, 4) if RUNNERS[mode] == 5 else (0, 1, 3, 4)
    runners = tuple(tuple(sorted(NODE[HOMES[side][place]] for place in places)) for side in SEATED[mode])
    left = stack[len(turned) :]
    return Position(tuple(faces), runners, left, mode, 1, unseen=len(left) - 1)


# -- text --------------------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return a position's text."""
    wells = ",".join(f"{name}:{face_text(face)}" for name, face in zip(WELLS, position.faces, strict=True) if face)
    runners = ";".join(
        f"{side}:{','.join(NODES[node] for node in nodes)}"
        for side, nodes in zip(SEATED[position.mode], position.runners, strict=True)
    )
    stack = ",".join(map(str, position.stack))
    return f"{wells or '-'} {runners} {stack} {position.mode} {position.seat}"


def face_text(face: int) -> str:
    """Return a turned tile as in texts of positions: ``12r5``."""
    return f"{face // EIGHTHS}r{face % EIGHTHS}"


def parse(line: str) -> Position:
    """Return the position of a text; its past is unknown. Raise BadPosition naming the field."""
    words = line.split(" ")
    if len(words) != 5:
        raise BadPosition(
            f"position: expected 5 fields (wells runners stack mode seat) separated by one space, got {len(words)}"
        )
    wells, runners, stack, mode, seat = words
    if mode not in SEATED:
        raise BadPosition(f"mode: expected one of {', '.join(SEATED)}, got {mode[:20]!r}")
    sides = SEATED[mode]
    if seat not in map(str, range(1, len(sides) + 1)):
        raise BadPosition(f"seat: expected a number from 1 to {len(sides)}, got {seat[:20]!r}")
    faces = _parse_wells(wells)
    position = Position(faces, _parse_runners(runners, mode), _parse_stack(stack, faces), mode, int(seat))
    for number, side in enumerate(sides, 1):
        if position.home(number) and number != position.seat:
            raise BadPosition(f"seat: expected {number}, as all runners of {side} are on their goal, got {seat}")
    laid = sum(map(bool, faces)) - (len(LAID_BEFORE) if mode == "3" else 0)
    number = max(1, laid + (not position.home(position.seat)))
    return replace(position, number=number, unseen=len(position.stack) - 1)


def _parse_wells(word: str) -> tuple[int, ...]:
    faces = [0] * len(WELLS)
    if word == "-":
        return tuple(faces)
    last = -1
    for entry in word.split(","):
        match = re.fullmatch(r"([a-e][1-5]):([1-9]|1[0-8])r([0-7])", entry, re.ASCII)
        if match is None or match[1] not in WELL:
            raise BadPosition(
                f"wells: expected '-' or well, tile and turn such as b3:12r5 joined by ',', got {entry[:20]!r}"
            )
        well = WELL[match[1]]
        if well <= last:
            raise BadPosition(f"wells: expected each well once, sorted by name, got {match[1]} after {WELLS[last]}")
        last = well
        faces[well] = int(match[2]) * EIGHTHS + int(match[3])
    return tuple(faces)


def _parse_runners(word: str, mode: str) -> tuple[tuple[int, ...], ...]:
    sides, groups = SEATED[mode], word.split(";")
    if len(groups) != len(sides):
        raise BadPosition(f"runners: expected {', '.join(sides)} joined by ';' in mode {mode}, got {len(groups)} sides")
    taken: set[str] = set()
    found = []
    for side, group in zip(sides, groups, strict=True):
        name, colon, listed = group.partition(":")
        if name != side or not colon:
            raise BadPosition(f"runners: expected {side}: and its nodes, got {group[:20]!r}")
        names = listed.split(",")
        for node in names:
            if node not in NODE:
                raise BadPosition(f"runners: {side}: expected nodes such as B3 or F2, got {node[:20]!r}")
            if any(node in HOMES[other] for other in HOMES if other not in {side, OPPOSITE[side]}):
                raise BadPosition(f"runners: {side}: expected stops and pads of its home and goal, got {node}")
            if node in taken:
                raise BadPosition(f"runners: {side}: expected one runner a node, got {node} again")
            taken.add(node)
        if names != sorted(names):
            raise BadPosition(f"runners: {side}: expected the nodes sorted, got {listed[:40]!r}")
        if len(names) != RUNNERS[mode]:
            raise BadPosition(f"runners: {side}: expected {RUNNERS[mode]} nodes in mode {mode}, got {len(names)}")
        found.append(tuple(NODE[node] for node in names))
    return tuple(found)


def _parse_stack(word: str, faces: tuple[int, ...]) -> tuple[int, ...]:
    tiles = []
    for entry in word.split(","):
        if not re.fullmatch(r"[1-9]|1[0-8]", entry, re.ASCII):
            raise BadPosition(f"stack: expected tile numbers from 1 to 18 joined by ',', got {entry[:20]!r}")
        tiles.append(int(entry))
    there = [face // EIGHTHS for face in faces if face] + tiles
    for tile in TILES:
        if there.count(tile) != 1:
            lies = f"{there.count(tile)} times" if tile in there else "nowhere"
            raise BadPosition(f"stack: expected every tile once on wells or in the stack, got tile {tile} {lies}")
    return tuple(tiles)
