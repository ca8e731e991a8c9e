"""The check as wizards: the empty board is watched under all colours, then a stone is asked for at every light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.hardware.map_wizard import MapWizard
from firmware_host.hardware.touch import Touch
from firmware_host.hardware.wizard import Doing, Patience, Task
from firmware_host.table.lights import OFF, WHITE
from hw.ports import BoardDescription, Colour

WATCH_S = 2.0
"""How long the empty board is watched."""
SHOW_S = 0.4
"""How long each colour is shown."""
SHOWN: tuple[Colour, ...] = ((255, 0, 0), (0, 255, 0), (0, 0, 255), WHITE, OFF)


class LookWizard:
    """Watches the empty board while every pixel shows one colour after the other."""

    def __init__(self, board: BoardDescription) -> None:
        """Begin with the first scan."""
        self.touch = Touch(board.channel_kind, board.channels)
        """What the empty board has shown."""
        self.done = False
        self.colour = SHOWN[0]
        """The colour that all pixels show now."""
        self._began: float | None = None

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan."""
        if self._began is None:
            self._began = at
        passed = at - self._began
        self.colour = SHOWN[min(int(passed / SHOW_S), len(SHOWN) - 1)]
        self.touch.feed(readings, at)
        self.done = passed >= max(WATCH_S, SHOW_S * len(SHOWN))


class CheckWizard:
    """Looks, then asks for a stone on each node: where its pixel is lit, or by name on a board without lights."""

    def __init__(self, board: BoardDescription, patience: Patience | None = None) -> None:
        """Begin with the empty board."""
        self.look = LookWizard(board)
        self.stones = MapWizard(board, "pixels" if board.lights.wired else "channels", patience)
        self._board = board
        self._nodes = {wiring.pixel: name for name, wiring in board.nodes.items()} if board.lights.wired else {}
        if board.lights.wired:
            self.stones.learned.pixels = sorted(self._nodes)

    @property
    def done(self) -> bool:
        """Whether every node has been asked for, or somebody has ended it."""
        return self.stones.done

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of what is lit now."""
        if not self.look.done:
            return dict.fromkeys(range(self._board.lights.length), self.look.colour)
        return self.stones.lights

    @property
    def tasks(self) -> Sequence[Task]:
        """Return what a hand is to do now."""
        return self.stones.tasks

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan."""
        (self.stones if self.look.done else self.look).feed(readings, at)

    def say(self, words: str, at: float) -> None:
        """Hear one of the mapping wizard's words (``s``, ``u``, ``q``); while the board is watched only ``q``."""
        if self.look.done or words == "q":
            self.stones.say(words, at)

    def doing(self) -> Doing:
        """Return the step as data."""
        return self.stones.doing(self._nodes)
