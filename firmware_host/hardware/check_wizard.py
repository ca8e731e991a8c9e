"""The check as wizards: they watch the empty board under all colours, then ask for a stone at every light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.hardware.map_wizard import MapWizard
from firmware_host.hardware.touch import Touch
from firmware_host.hardware.wizard import Doing, Patience, Task
from firmware_host.table.lights import OFF, WHITE
from hw.ports import BoardDescription, Colour

WATCH_S = 2.0
"""Time for which the empty board is watched, at least."""
SHOW_S = 0.4
"""Time for which each colour is shown."""
SHOWN: tuple[Colour, ...] = ((255, 0, 0), (0, 255, 0), (0, 0, 255), WHITE, OFF)


class LookWizard:
    """Watches the empty board while all pixels show one colour after another."""

    def __init__(self, board: BoardDescription) -> None:
        """Start with the first scan."""
        self.touch = Touch(board.channel_kind, board.channels)
        """Findings on the empty board."""
        self.done = False
        self.colour = SHOWN[0]
        """Present colour of all pixels."""
        self._began: float | None = None

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self._began is None:
            self._began = at
        passed = at - self._began
        self.colour = SHOWN[min(int(passed / SHOW_S), len(SHOWN) - 1)]
        self.touch.feed(readings, at)
        self.done = passed >= max(WATCH_S, SHOW_S * len(SHOWN))


class CheckWizard:
    """Watches the empty board, then asks for a stone on each node, by its lit pixel or (without lights) by its name."""

    def __init__(self, board: BoardDescription, patience: Patience | None = None) -> None:
        """Start with the empty board."""
        self.look = LookWizard(board)
        self.stones = MapWizard(board, "pixels" if board.lights.wired else "channels", patience)
        self._board = board
        self._nodes = {wiring.pixel: name for name, wiring in board.nodes.items()} if board.lights.wired else {}
        if board.lights.wired:
            self.stones.learned.pixels = sorted(self._nodes)

    @property
    def done(self) -> bool:
        """Whether all nodes are done, or a person has stopped."""
        return self.stones.done

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of the lit pixels."""
        if not self.look.done:
            return dict.fromkeys(range(self._board.lights.length), self.look.colour)
        return self.stones.lights

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present tasks for a hand."""
        return self.stones.tasks

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        (self.stones if self.look.done else self.look).feed(readings, at)

    def say(self, words: str, at: float) -> None:
        """Process a command of the mapping wizard (``s``, ``u``, ``q``); while the board is watched only ``q``."""
        if self.look.done or words == "q":
            self.stones.say(words, at)

    def doing(self) -> Doing:
        """Return the present step as data."""
        return self.stones.doing(self._nodes)
