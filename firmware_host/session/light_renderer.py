"""From meanings to the strip: a single owner, whole frames, sent only when they differ."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.games.game import Layout
from firmware_host.session.resting import RestSetting
from firmware_host.table import guide, lights
from firmware_host.table.state import Table
from firmware_host.text.hardware_words import lost_words
from firmware_host.text.words import say
from hw.ports import Colour, HardwareError, OpenBoard

DIM_AFTER_S = 300.0
"""Time without any change after which the board dims, seconds."""
DIMMED = 0.3
AGAIN_S = 1.0
"""How long to wait after a strip has refused a frame, seconds."""
BY_DAY = RestSetting(sleep=0)
"""The brightness of the board's file, without sleep."""


def _nobody_plays(table: Table, idle: float) -> bool:
    return table.phase in {"lobby", "over"} and idle > DIM_AFTER_S / 10


class LightRenderer:
    """Keeps the strip in line with the table: changes at once, motions at 25 frames a second at most."""

    def __init__(self, board: OpenBoard, layout: Layout) -> None:
        """Begin dark."""
        self.trouble: str | None = None
        """Why the strip shows nothing, in words for people; None while it takes its frames."""
        self._board = board
        self._pixels: Mapping[str, int] = {node: wiring.pixel for node, wiring in board.description.nodes.items()}
        neighbours: dict[str, list[str]] = {node: [] for node in layout.nodes}
        for one, other in layout.lines:
            neighbours[one].append(other)
            neighbours[other].append(one)
        self._neighbours = neighbours
        self._lamps: guide.Lamps = {}
        self._hues = lights.SEAT_COLOURS
        self._sent: list[Colour] | None = None
        self._next = 0.0
        self._touched = 0.0
        self._felt = 0.0
        """The table's time of the last sensor change."""
        self._looked = (1.0, False)
        """The brightness of the last frame, and whether it was part of the gentle show."""
        self._again = 0.0

    def refresh(self, table: Table, at: float, *, changed: bool = False, rest: RestSetting = BY_DAY) -> None:
        """Send a frame if one is due: after a change at once, else when a motion needs it.

        Any touch wakes lights that sleep.
        """
        felt = table.watch.tracker.last_event
        if felt != self._felt:
            self._felt, self._touched = felt, at
        if changed:
            apart = table.lesson is not None and table.lesson["phone"]  # Its pieces are not on the board.
            self._lamps = {} if apart else guide.lamps(table)
            if table.ledger.started:
                plays = table.game.plays(table.ledger.now.position)
                self._hues = lights.hues(table.game, plays, table.ledger.colours)
            self._touched = at
        share, shows = self._share(table, at, rest), self._shows(table, at, rest)
        still = not (shows or lights.moves(self._lamps)) or self._looked[0] == share == 0.0
        if not changed and (at < self._next or (still and not self.trouble and (share, shows) == self._looked)):
            return
        if self.trouble and at < self._again:
            return
        self._next = at + 1.0 / lights.FRAMES_PER_SECOND
        self._looked = share, shows
        if share == 0.0:
            self._send({}, at)
        elif shows:
            self._send(lights.gentle(table.layout.nodes, at, share), at)
        else:
            self._send(lights.frame(self._lamps, at, self._neighbours, dim=share, hues=self._hues), at)

    def _share(self, table: Table, at: float, rest: RestSetting) -> float:
        """Return the present brightness of the lights, 0 to 1."""
        idle = at - self._touched
        if rest.sleeps(idle):
            return 0.0
        resting = idle > DIM_AFTER_S or _nobody_plays(table, idle)
        return rest.share * (DIMMED if resting and not self._shows(table, at, rest) else 1.0)

    def _shows(self, table: Table, at: float, rest: RestSetting) -> bool:
        """Return whether the gentle show runs, as nobody plays."""
        return rest.show and not rest.off and _nobody_plays(table, at - self._touched)

    def _send(self, colours: Mapping[str, Colour], at: float) -> None:
        frame: list[Colour] = [lights.OFF] * self._board.strip.length
        for node, colour in colours.items():
            frame[self._pixels[node]] = colour
        if frame == self._sent:
            return
        try:
            self._board.strip.show(frame)
        except HardwareError as error:
            self._sent, self._again = None, at + AGAIN_S
            self.trouble = say(
                "The lights are lost ({reason}): check their cable and power supply. "
                "The phones show the way meanwhile.",
                reason=lost_words(error),
            )
        else:
            self._sent, self.trouble = frame, None
