"""Phalanx at the table for tests: positions with pushes, and hands that do them."""

from __future__ import annotations

from lodestone.evening import Evening

KINDS = ("presence", "polarity", "level")
PUSH = "9/9/9/9/4ww3/2bbw4/6bb1/1ww6/9 b 3 1"
"""C4 and D4 can push E4 to F4; no hoplite can move there from C4."""
LONG = "9/9/9/9/9/2bbbww2/9/1ww6/9 b 3 1"
EITHER = "9/9/9/9/3bbb3/2bbw4/4ww3/1ww6/9 b 3 1"
EDGE = "9/9/9/8w/8w/5bbbw/9/1ww6/9 b 3 1"
"""The line from F4 pushes J4 off the board."""
CORNER = "1wbb5/1w7/1w7/9/9/9/9/9/9 b 3 1"
"""B9 is pushed onto the goal A9."""


def at(text: str, kind: str = "presence") -> Evening:
    return Evening("phalanx", kind=kind).begin_at(text)


def push(evening: Evening, action: str, pause: float = 0.2) -> None:
    """Do a push hoplite by hoplite, and wait for nothing afterwards."""
    for move in evening.step(action).moves:
        evening.make(move, pause)
        evening.wait(pause)
