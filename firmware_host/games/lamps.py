"""All meanings that a light has, one row each: lights, pages and their docs follow from this table.

``python -m tools.lamps`` brings up to date what screens and docs make of it: ``web_panel/static/shared/lamp_table.js``,
the tables of docs/lights.md and docs/look.md. Rings and beats are CSS classes of ``shared/board.css``. A meaning's
motion on the board is a function of its name (:mod:`firmware_host.table.lights`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SIGNS: Mapping[str, str] = {
    "": "",
    "arrow down": "M0-3.4V2.4M-2.6 0L0 2.8L2.6 0",
    "arrow right": "M-3.2 0H2.8M.2-2.6L2.8 0L.2 2.6",
    "arrow up": "M0 3.4V-2.6M-2.6 0L0-2.8L2.6 0",
    "cross": "M-2.4-2.4L2.4 2.4M2.4-2.4L-2.4 2.4",
    "crown": "M-3.8 2.6V-2.4L-1.6 0L0-3.2L1.6 0L3.8-2.4V2.6Z",
    "figure eight": "M0 0C-1.4-2.6-4-2.2-4 0S-1.4 2.6 0 0S4-2.2 4 0S1.4 2.6 0 0",
    "hooked arrow": "M2.6-2.6V.2A2.6 2.6 0 0 1-2.6 .2V-.8M-4.2 .6L-2.6-1.2L-1 .6",
    "hourglass": "M-2.6-3.3H2.6L-2.6 3.3H2.6Z",
    "question mark": "M-1.8-1.6A1.9 1.9 0 1 1 .4 .6V1.2M.4 3.2V3.3",
    "tick": "M-3.4.6L-1 3L3.6-2.8",
    "two arrows": "M-3.2-1.6H2.4M.6-3.2L2.4-1.6M3.2 1.6H-2.4M-.6 3.2L-2.4 1.6",
}
"""What a sign shows → its path in SVG, some 8 units wide, about its centre."""
BEATS: Mapping[str, str] = {
    "": "none",
    "breathe": "breathes, 2 beats",
    "pulse": "pulses, once a second",
    "run": "dashes run",
    "round": "runs round",
    "wave": "a wave along the homes",
}
"""How a ring moves on screens → in the words of docs/look.md."""


@dataclass(frozen=True)
class LampForm:
    """How a meaning looks and what it says.

    ``hue`` is a colour's name, or ``seat``: that of the light's seat. ``words`` are the legend's. ``look`` and
    ``tells`` are its row in docs/lights.md; empty where another row tells of it, too.
    """

    hue: str
    ring: str
    sign: str
    beat: str
    words: str
    look: str = ""
    tells: str = ""


LAMPS: Mapping[str, LampForm] = {
    "put": LampForm(
        "seat", "whole", "arrow down", "breathe", "put your stone here",
        "a player's colour, breathing", "put your stone here",
    ),
    "movable": LampForm("white", "dots", "", "", "may be moved", "white, low, steady", "may be moved now"),
    "target": LampForm(
        "cyan", "bright-centre", "", "", "may go here", "cyan, steady", "here the lifted stone may go"
    ),
    "best": LampForm(
        "cyan", "thick", "tick", "breathe", "this way",
        "cyan comet", "from here to there: the best step known, or the one you chose on your phone",
    ),
    "line": LampForm(
        "cyan", "long-dashes", "arrow right", "run", "these move together",
        "cyan, running along a line", "this line moves together",
    ),
    "interact": LampForm(
        "amber", "arcs", "two arrows", "pulse", "pick one of these",
        "amber pair swapping brightness", "these two interact, pick one (or: where did it come from?)",
    ),
    "time": LampForm(
        "seat", "ticks", "hourglass", "pulse", "the last seconds",
        "a player's colour, a flash a second", "that player's last ten seconds (at a home or goal)",
    ),
    "wrong": LampForm(
        "red", "whole", "cross", "pulse", "does not belong here", "red, fast blinking", "does not belong here"
    ),
    "return": LampForm(
        "white", "broken", "hooked arrow", "pulse", "a stone belongs here",
        "white double blink in a red ring", "put it back here, or take it off",
    ),
    "remove": LampForm("red", "broken", "arrow up", "pulse", "lift this one"),
    "confirm": LampForm(
        "magenta", "short-dashes", "question mark", "pulse", "tap the stack",
        "magenta, blinking",
        "a stack that the sensors can't see: if your stone lies there, tap it (lift and put down; twice where that "
        "ends your turn), or say so on the phone",
    ),
    "loop": LampForm(
        "violet", "fine-dashes", "figure eight", "round", "take off: part of the loop",
        "violet, running round", "an unbreakable loop: take these off",
    ),
    "stone": LampForm("seat", "whole", "", "", "lies here"),
    "won": LampForm(
        "seat", "thick", "crown", "wave", "has won",
        "a player's colour, sweeping over the homes, or running along what decided", "won",
    ),
}  # fmt: skip
