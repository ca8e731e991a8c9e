"""A position of Spokes as a value, and its text (formats.md, Spokes)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmware_host.games.game import BadPosition
from firmware_host.games.spokes.board import ALL, GROUPS, NODES, PLACEABLE, members

Stacks = tuple[tuple[int, int, int], ...]
"""(node, white stones, black stones) of every stack that is neither a single stone nor one block, by node."""

Cells = tuple[int, int, int, Stacks]
"""The pieces on the board: single white stones, single black stones, blocks (sets of nodes), and other stacks."""

STONES = 44
"""Number of stones of each colour."""

MODES = ("2", "4", "2v2")
SEATS = {"2": (1, 2), "4": (1, 2, 3, 4), "2v2": (1, 2, 3, 4)}
TEAMS = {"2": ((1,), (2,)), "4": ((1,), (2,), (3,), (4,)), "2v2": ((1, 2), (3, 4))}


@dataclass(frozen=True)
class Position:
    """One position. ``phase`` is ``place``, ``resolve`` or ``over``; ``turn`` counts from 1."""

    cells: Cells
    mode: str
    turn: int
    resolver: int
    phase: str
    resigned: tuple[int, ...] = ()

    @property
    def active(self) -> tuple[int, ...]:
        """Return the seats that have not resigned."""
        return tuple(seat for seat in SEATS[self.mode] if seat not in self.resigned)


def start(mode: str) -> Position:
    """Return the empty board."""
    return Position((0, 0, 0, ()), mode, 1, 1, "place")


def occupied(cells: Cells) -> int:
    """Return the set of occupied nodes."""
    white, black, blocks, stacks = cells
    return white | black | blocks | sum(1 << node for node, _, _ in stacks)


def counts(cells: Cells) -> dict[int, tuple[int, int]]:
    """Return node → (white, black) for every occupied node, in label order."""
    white, black, blocks, stacks = cells
    found = {node: (w, b) for node, w, b in stacks}
    for nodes, pair in ((white, (1, 0)), (black, (0, 1)), (blocks, (1, 1))):
        found.update(dict.fromkeys(members(nodes), pair))
    return dict(sorted(found.items()))


def from_counts(found: dict[int, tuple[int, int]]) -> Cells:
    """Return the cells of node → (white, black)."""
    white = black = blocks = 0
    stacks = []
    for node, (w, b) in sorted(found.items()):
        if (w, b) == (1, 0):
            white |= 1 << node
        elif (w, b) == (0, 1):
            black |= 1 << node
        elif (w, b) == (1, 1):
            blocks |= 1 << node
        elif w or b:
            stacks.append((node, w, b))
    return white, black, blocks, tuple(stacks)


def supply(cells: Cells) -> tuple[int, int]:
    """Return the numbers of white and black stones that are not on the board."""
    white, black, blocks, stacks = cells
    return (
        STONES - white.bit_count() - blocks.bit_count() - sum(w for _, w, _ in stacks),
        STONES - black.bit_count() - blocks.bit_count() - sum(b for _, _, b in stacks),
    )


# -- text --------------------------------------------------------------------------------------------------------------

_CELL = re.compile(r"[.wbx]|\((b*w*)\)")
_SIGNS = {"w": (1, 0), "b": (0, 1), "x": (1, 1)}


def cells_text(cells: Cells) -> str:
    """Return the five groups of signs."""
    signs = ["."] * len(NODES)
    for node, pair in counts(cells).items():
        signs[node] = _sign(pair)
    return "/".join("".join(signs[first:last]) for first, last in GROUPS)


def _sign(pair: tuple[int, int]) -> str:
    for sign, single in _SIGNS.items():
        if pair == single:
            return sign
    white, black = pair
    return f"({'b' * black}{'w' * white})"


def text(position: Position) -> str:
    """Return a position's text."""
    resigned = ",".join(map(str, position.resigned)) or "-"
    return (
        f"{cells_text(position.cells)} {position.mode} {position.turn} {position.resolver} {position.phase} {resigned}"
    )


def parse_cells(word: str) -> Cells:
    """Return the cells of five groups of signs. Raise BadPosition."""
    groups = word.split("/")
    if len(groups) != len(GROUPS):
        raise BadPosition(f"cells: expected 5 groups joined by '/', got {len(groups)} in {word[:120]!r}")
    found: dict[int, tuple[int, int]] = {}
    for (first, last), group, name in zip(GROUPS, groups, ("A", "B", "C", "D", "Home"), strict=True):
        node, at = first, 0
        while at < len(group):
            match = _CELL.match(group, at)
            if match is None:
                raise BadPosition(
                    f"cells: group {name}: expected '.', 'w', 'b', 'x' or a stack such as '(bww)' at sign {at + 1}, "
                    f"got {group[at : at + 8]!r}"
                )
            if node < last and match.group() != ".":
                found[node] = _pair(match, name)
            node, at = node + 1, match.end()
        if node != last:
            raise BadPosition(f"cells: group {name}: expected {last - first} nodes, got {node - first}")
    cells = from_counts(found)
    for left, colour in zip(supply(cells), ("white", "black"), strict=True):
        if left < 0:
            raise BadPosition(f"cells: {STONES - left} {colour} stones, but there are only {STONES}")
    return cells


def _pair(match: re.Match[str], name: str) -> tuple[int, int]:
    if match.group(1) is None:
        return _SIGNS[match.group()]
    stones = match.group(1)
    pair = stones.count("w"), stones.count("b")
    if pair in {*_SIGNS.values(), (0, 0)}:
        raise BadPosition(f"cells: group {name}: {match.group()!r} is not a stack; write it '.', 'w', 'b' or 'x'")
    return pair


def parse(line: str) -> Position:
    """Return the position of a text. Raise BadPosition naming the field and what was expected."""
    words = line.split(" ")
    if len(words) != 6:
        raise BadPosition(
            f"position: expected 6 fields (cells mode turn resolver phase resigned) separated by one space, "
            f"got {len(words)}"
        )
    cells, mode, turn, resolver, phase, resigned = words
    if mode not in MODES:
        raise BadPosition(f"mode: expected one of {', '.join(MODES)}, got {mode[:20]!r}")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", turn, re.ASCII):
        raise BadPosition(f"turn: expected a whole number from 1, got {turn[:20]!r}")
    if resolver not in map(str, SEATS[mode]):
        raise BadPosition(f"resolver: expected a seat of mode {mode}, got {resolver[:20]!r}")
    if phase not in {"place", "resolve", "over"}:
        raise BadPosition(f"phase: expected place, resolve or over, got {phase[:20]!r}")
    position = Position(parse_cells(cells), mode, int(turn), int(resolver), phase, _parse_resigned(resigned, mode))
    _check(position)
    return position


def _parse_resigned(word: str, mode: str) -> tuple[int, ...]:
    if word == "-":
        return ()
    seats = word.split(",")
    if any(seat not in map(str, SEATS[mode]) for seat in seats) or sorted(set(seats)) != seats:
        raise BadPosition(
            f"resigned: expected '-' or seats of mode {mode} in order joined by commas, got {word[:20]!r}"
        )
    return tuple(map(int, seats))


def _check(position: Position) -> None:
    """Raise BadPosition for an impossible one: a running game without players, a resigned resolver."""
    if not position.active:
        raise BadPosition("resigned: at least one player is left")
    if position.phase != "over":
        if position.resolver in position.resigned:
            raise BadPosition(f"resolver: seat {position.resolver} has resigned")
        teams = [team for team in TEAMS[position.mode] if set(team) & set(position.active)]
        if len(teams) < 2:
            raise BadPosition("phase: expected over, as all but one player (or team) have resigned")


assert occupied((PLACEABLE, ALL ^ PLACEABLE, 0, ())) == ALL  # noqa: S101 - the groups cover the board
