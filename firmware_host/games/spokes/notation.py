"""The texts of Spokes (docs/engine.md): positions, placements and steps; and every action in words."""

from __future__ import annotations

import re
from functools import lru_cache

from firmware_host.games import naming
from firmware_host.games.game import BadAction, BadPosition
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import GROUPS, INDEX, NODES
from firmware_host.games.spokes.rules import MODES, SEATS, STONES, Cells, Position, SpokesStep, counts, supply
from firmware_host.text.words import fill, say

# -- positions ---------------------------------------------------------------------------------------------------------

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
    cells = rules.from_counts(found)
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
        if len(rules.teams_left(position)) < 2:
            raise BadPosition("phase: expected over, as all but one player (or team) have resigned")


# -- actions -----------------------------------------------------------------------------------------------------------

COLOURS = {"w": naming.WHITE, "b": naming.BLACK}
_NODE = "([A-D]?[0-9]{1,2})"
_PLACEMENT = re.compile(f"([wb]){_NODE}", re.ASCII)
_STEP = re.compile(rf"{_NODE}\+{_NODE}|{_NODE}/{_NODE}|{_NODE}-{_NODE}-{_NODE}", re.ASCII)
"""A pull, a move of excess, a push."""
_EXCESS = {
    ("w",): say("one white stone of {source} moves to {target}"),
    ("b",): say("one black stone of {source} moves to {target}"),
    ("b", "w"): say("a block of {source} moves to {target}"),
}


def placement(action: str) -> tuple[str, str]:
    """Return the colour and the node of a placement. Raise BadAction for any other text."""
    match = _PLACEMENT.fullmatch(action)
    if match is None or match[2] not in INDEX:
        raise BadAction(
            say(
                "placement: expected a colour and a node such as {example}, got {given}",
                example="wD12",
                given=repr(action[:20]),
            )
        )
    return match[1], match[2]


def words(action: str) -> str:
    """Return a placement or a step in words. Raise BadAction for other text."""
    match = _STEP.fullmatch(action)
    nodes = [node for node in match.groups() if node] if match else []
    if not nodes or not all(node in INDEX for node in nodes):
        colour, node = placement(action)
        return naming.put_on(COLOURS[colour], node)
    if "+" in action:
        return _pull_words(*nodes)
    if "/" in action:
        source, target = nodes
        return say("what is too much on {source} moves to {target}", source=source, target=target)
    return _push_words(*nodes)


def step_words(act: SpokesStep) -> str:
    """Return a step in words; unlike its text alone, it names the pieces of a move of excess."""
    if act.kind == rules.SHIFT:
        return fill(_EXCESS[act.pieces], source=NODES[act.subject], target=NODES[act.target])
    return words(act.text)


@lru_cache(maxsize=256)
def _pull_words(puller: str, pulled: str) -> str:
    """Return a pull in words; cached, because many positions offer the same."""
    return say("{puller} pulls {pulled}", puller=puller, pulled=pulled)


@lru_cache(maxsize=256)
def _push_words(pusher: str, pushed: str, target: str) -> str:
    """Return a push in words; cached as pulls are."""
    return say("{pusher} pushes {pushed} to {target}", pusher=pusher, pushed=pushed, target=target)
