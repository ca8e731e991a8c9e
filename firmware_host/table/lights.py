"""Frames of colours from meanings and time: the language of lights.

Colour is never the only sign: every meaning has its own motion too. Frames are whole; a colour is (red, green, blue),
0 to 255 each; time is in seconds and only its progress matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.lamps import LAMPS
from firmware_host.games.naming import tint
from firmware_host.table.guide import Lamp

Colour = tuple[int, int, int]

SEAT_COLOURS: Mapping[int, Colour] = {
    1: (0, 130, 255),
    2: (255, 130, 10),
    3: (0, 120, 40),
    4: (180, 75, 160),
    5: (255, 215, 40),
    6: (105, 0, 20),
    7: (60, 35, 110),
    8: (255, 255, 255),
}
"""Blue, orange, green, pink, yellow, red, violet, white: the colours that seats may choose. The default is the seat's
number if it is free. They differ in lightness, too, so that colour-blind people can tell them apart; phones show
the same hues (docs/view.md)."""
FRAMES_PER_SECOND = 25

OFF: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
CYAN: Colour = (0, 255, 255)
AMBER: Colour = (255, 150, 0)
RED: Colour = (255, 0, 0)
MAGENTA: Colour = (255, 0, 255)
VIOLET: Colour = (150, 0, 255)
STEADY = frozenset(meaning for meaning, one in LAMPS.items() if not one.beat)
"""Meanings that don't move: a frame with only these needs no refreshing."""


NAMED: Mapping[str, Colour] = {
    "blue": (0, 90, 255),
    "red": (255, 30, 60),
    "yellow": (255, 190, 0),
    "green": (0, 200, 60),
}
"""Tints of pieces that can shine: a seat with blue pieces has blue lights."""


def hues(game: Game[Any], plays: Mapping[int, str], chosen: Mapping[int, int] | None = None) -> Mapping[int, Colour]:
    """Return the colour of each seat's lights: that of its pieces, if a light can show it.

    Otherwise the one with the ``chosen`` number.
    """
    named = {seat: NAMED.get(tint(game.pieces[piece])) for seat, piece in plays.items()}
    of_seats = {seat: SEAT_COLOURS[colour] for seat, colour in (chosen or {}).items()}
    return {**SEAT_COLOURS, **of_seats, **{seat: colour for seat, colour in named.items() if colour is not None}}


def frame(
    lamps: Mapping[str, Lamp],
    at: float,
    neighbours: Mapping[str, Sequence[str]],
    *,
    dim: float = 1.0,
    hues: Mapping[int, Colour] = SEAT_COLOURS,
) -> dict[str, Colour]:
    """Return the colour of every lit node at a time; ``dim`` from 0 to 1 scales all (between games, after a rest).

    ``hues`` are the colours of the seats.
    """
    colours: dict[str, Colour] = {}
    for node, lamp in lamps.items():
        if lamp.meaning in _RINGED:
            for near in neighbours.get(node, ()):
                if near not in lamps:
                    colours[near] = _scale(RED, 0.15 * (1.0 - _double_blink(at)))
    for node, lamp in lamps.items():
        colours[node] = MOTIONS[lamp.meaning](lamp, node, hues.get(lamp.seat or 0, WHITE), at)
    for lamp in lamps.values():
        if lamp.meaning == "best" and len(lamp.way) > 1:
            head = lamp.way[int(at * 5) % len(lamp.way)]
            colours[head] = CYAN
    return {node: _scale(colour, dim) for node, colour in colours.items()} if dim < 1.0 else colours


GENTLE = 0.15
"""Maximum brightness of the lights between games, 0 to 1."""


def gentle(nodes: Mapping[str, tuple[float, float]], at: float, share: float) -> dict[str, Colour]:
    """Return the lights of a board between games: slow waves of two colours that run outwards and across."""
    colours: dict[str, Colour] = {}
    for node, (x, y) in nodes.items():
        outwards = 0.5 + 0.5 * math.sin(1.3 * math.hypot(x, y) - 0.5 * at)
        across = 0.5 + 0.5 * math.sin(0.7 * x + 0.4 * y + 0.31 * at)
        colours[node] = _scale(_between(SEAT_COLOURS[1], SEAT_COLOURS[2], across), GENTLE * share * outwards)
    return colours


def _between(one: Colour, other: Colour, part: float) -> Colour:
    red, green, blue = (int(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def moves(lamps: Mapping[str, Lamp]) -> bool:
    """Return whether any light changes with time and needs new frames."""
    return any(lamp.meaning not in STEADY for lamp in lamps.values())


def _scale(colour: Colour, share: float) -> Colour:
    red, green, blue = colour
    return int(red * share), int(green * share), int(blue * share)


def _breath(at: float) -> float:
    return 0.55 - 0.45 * math.cos(2 * math.pi * at)


def _double_blink(at: float) -> float:
    phase = at % 1.0
    return 1.0 if phase < 0.15 or 0.3 <= phase < 0.45 else 0.0


def _square(at: float, hertz: float) -> float:
    return 1.0 if (at * hertz) % 1.0 < 0.5 else 0.0


def _best(lamp: Lamp, _node: str, _hue: Colour, at: float) -> Colour:
    # frame() draws the comet itself over this; between its passes the goal glows dimmer.
    return _scale(CYAN, 0.35 if len(lamp.way) > 1 else _breath(at))


def _loop(lamp: Lamp, _node: str, _hue: Colour, at: float) -> Colour:
    count = max(1, len(lamp.way))
    return _scale(VIOLET, 1.0 if int(at * 6) % count == lamp.order else 0.25)


def _line(lamp: Lamp, node: str, _hue: Colour, at: float) -> Colour:
    # A line may pass a node twice: the light follows the path, not the node's place in it.
    return _scale(CYAN, 1.0 if lamp.way and lamp.way[int(at * 8) % len(lamp.way)] == node else 0.2)


def _won(lamp: Lamp, _node: str, hue: Colour, at: float) -> Colour:
    if lamp.way:  # The line that has won: one light runs along it, the rest glows.
        share = 1.0 if int(at * 6) % len(lamp.way) == lamp.order else 0.3
    else:
        share = lamp.strength * (0.35 + 0.65 * max(0.0, math.cos(2 * math.pi * (at * 0.8 - lamp.order / 8))))
    return _scale(hue, share)


_RINGED = frozenset({"return", "remove"})
MOTIONS: Mapping[str, Callable[[Lamp, str, Colour, float], Colour]] = {
    "put": lambda _lamp, _node, hue, at: _scale(hue, _breath(at)),
    "movable": lambda _lamp, _node, _hue, _at: _scale(WHITE, 0.2),
    "target": lambda _lamp, _node, _hue, _at: CYAN,
    "best": _best,
    "interact": lambda lamp, _node, _hue, at: _scale(AMBER, 1.0 if (int(at * 2) + lamp.order) % 2 == 0 else 0.15),
    "wrong": lambda _lamp, _node, _hue, at: _scale(RED, _square(at, 4)),
    "return": lambda _lamp, _node, _hue, at: _scale(WHITE, _double_blink(at)),
    "remove": lambda _lamp, _node, _hue, at: _scale(WHITE, _double_blink(at)),
    "confirm": lambda _lamp, _node, _hue, at: _scale(MAGENTA, _square(at, 2)),
    "loop": _loop,
    "line": _line,
    "stone": lambda lamp, _node, hue, _at: _scale(hue, 0.35 * lamp.strength),
    "time": lambda _lamp, _node, hue, at: _scale(hue, 1.0 if at % 1.0 < 0.25 else 0.0),
    "won": _won,
}
"""Meaning → the colour of a node at a time, from its lamp and the seat's colour."""
