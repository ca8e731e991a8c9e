"""A position of the rules as the fast core has it, and its turns back as the rules name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firmware_host.games.octiles import notation, rules, ways
from firmware_host.games.octiles.player.core import Track
from firmware_host.games.octiles.position import GOAL, HOME, SEATED, Position


def take(track: Track, position: Position, worth: Sequence[Sequence[int]]) -> None:
    """Set a core up with a running position; ``worth`` is what each node is worth to the runners of each seat."""
    active = rules.active(position)
    seats = range(1, len(position.runners) + 1)
    following = [next((later for later in active if later > seat), active[0]) - 1 for seat in seats]
    track.set_up(list(position.faces), [list(nodes) for nodes in position.runners], list(position.stack), following)
    track.seat = position.seat - 1
    for seat, side in enumerate(SEATED[position.mode]):
        open_to = sum(1 << node for node, is_open in enumerate(rules.OPEN[side]) if is_open)
        track.seat_at(seat, bits(HOME[side]), bits(GOAL[side]), open_to)
        track.worth_of(seat, list(worth[seat]))


def bits(nodes: Iterable[int]) -> int:
    """Return nodes as a set of bits."""
    return sum(1 << node for node in nodes)


def action(turn: int) -> str:
    """Return the text of a turn of the core."""
    return notation.text(ways.code((turn >> 15, turn >> 12 & 7, turn >> 6 & 63, turn & 63)))


def turn_of(action_text: str) -> int | None:
    """Return the turn of the core that a text stands for, None for a pass. Raise BadAction for what is neither."""
    turn = notation.parse(action_text)
    if turn is None:
        return None
    well, eighths, source, target = turn
    return (well * 8 + eighths) << 12 | source << 6 | target
