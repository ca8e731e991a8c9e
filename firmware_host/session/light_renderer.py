"""The lights of the board: from meanings to whole frames, a single owner, sent only when they differ.

A frame is due at once when the table changes, and at most 25 times a second while a lamp moves (breathes, runs). What
each node means comes from :mod:`firmware_host.table.guide`, its colour from :mod:`firmware_host.table.lights`.
The renderer adds brightness: the host's setting (by day, by night, off), dimmed after five minutes without any change,
out after the host's time without a touch. Any touch wakes lights that sleep.

A strip that refuses a frame is asked again every second. Meanwhile :attr:`LightRenderer.trouble` says why, phones show
the way, and play goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import unwritable
from firmware_host.archive.files import read_small, write_whole
from firmware_host.games.game import Layout
from firmware_host.searching.assignment import neighbours
from firmware_host.table import guide, lights
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.state import Table
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import lost_words, say
from hw.ports import Colour, HardwareError, OpenBoard

FILE = "lights.json"
"""File name of the setting in the data folder; the file exists once the host has changed it."""
LEAST = 5
"""Minimum brightness, per cent: below it the lights are off."""
MAX_MINUTES = 24 * 60
NIGHT = 0.2
"""Brightness at night, as a share of that by day."""
DIM_AFTER_S = 300.0
"""Time without any change after which the board dims, seconds."""
DIMMED = 0.3
RETRY_S = 1.0
"""How long to wait after a strip has refused a frame, seconds."""


@dataclass(frozen=True)
class LightSetting:
    """The host's setting. ``brightness`` in per cent of the board file's maximum; ``night``: a fifth of that.

    ``off``: no lights, phones guide. ``sleep``: minutes without a touch until the lights go out, 0: never.
    ``show``: between games they move gently.
    """

    brightness: int = 100
    night: bool = False
    off: bool = False
    sleep: int = 20
    show: bool = False

    @classmethod
    def of(cls, wish: Mapping[str, Any]) -> LightSetting:
        """Return a checked setting. Raise TableError naming the wrong field and what was expected."""
        setting = cls(**wish)
        for name, least, most in (("brightness", LEAST, 100), ("sleep", 0, MAX_MINUTES)):
            given = getattr(setting, name)
            if not least <= given <= most:
                words = say(
                    "{field}: expected {least} to {most}, got {given}", field=name, least=least, most=most, given=given
                )
                raise TableError("bad_lights", words)
        return setting

    def to_dict(self) -> dict[str, Any]:
        """Return the setting for the host's page and the data folder."""
        return {
            "brightness": self.brightness,
            "night": self.night,
            "off": self.off,
            "sleep": self.sleep,
            "show": self.show,
        }

    @property
    def share(self) -> float:
        """Return the brightness, 0 to 1."""
        return 0.0 if self.off else self.brightness / 100 * (NIGHT if self.night else 1.0)

    def sleeps(self, idle: float) -> bool:
        """Return whether the lights are out after ``idle`` seconds without a touch or a change."""
        return self.sleep > 0 and idle >= 60 * self.sleep


BY_DAY = LightSetting(sleep=0)
"""The brightness of the board's file, without sleep."""


def read_light_setting(data: Path) -> LightSetting:
    """Return the host's setting; the default without one or if the file is unreadable."""
    try:
        return LightSetting.of(read_object(read_small(data / FILE)))
    except (OSError, ValueError, TypeError, TableError):
        return LightSetting()


def save_light_setting(data: Path, setting: LightSetting) -> LightSetting:
    """Save the host's setting and return it. Raise TableError if the data folder can't be written."""
    try:
        write_whole(data / FILE, json.dumps(setting.to_dict()))
    except OSError as error:
        raise unwritable(error) from error
    return setting


class LightRenderer:
    """Keeps the strip of a board in line with the table."""

    def __init__(self, board: OpenBoard, layout: Layout) -> None:
        """Begin dark."""
        self.trouble: str | None = None
        """Why the strip shows nothing, in words for people; None while it takes its frames."""
        self._board = board
        self._pixels: Mapping[str, int] = {node: wiring.pixel for node, wiring in board.description.nodes.items()}
        self._neighbours = neighbours(layout.nodes, layout.lines)
        self._lamps: guide.Lamps = {}
        self._hues: Mapping[int, Colour] = lights.SEAT_COLOURS
        self._sent: list[Colour] | None = None
        self._next = 0.0
        self._touched = 0.0
        self._felt = 0.0
        """The table's time of the last sensor change."""
        self._last_look = (1.0, False)
        """The brightness of the last frame, and whether it was part of the gentle show."""
        self._retry_at = 0.0

    def refresh(self, table: Table, at: float, *, changed: bool = False, setting: LightSetting = BY_DAY) -> None:
        """Send a frame if one is due: after a change at once, else when a motion needs it.

        Any touch wakes lights that sleep.
        """
        felt = table.watch.tracker.last_event
        if felt != self._felt:
            self._felt, self._touched = felt, at
        if changed:
            self._lamps = guide.lamps(table)
            if table.ledger.started:
                plays = table.game.plays(table.ledger.now.position)
                self._hues = lights.hues(table.game, plays, table.ledger.colours)
            self._touched = at
        idle = at - self._touched
        unused = table.phase in BETWEEN_GAMES and idle > DIM_AFTER_S / 10
        shows = unused and setting.show and not setting.off
        self._render(at, setting, changed=changed, dimmed=unused, show=table.layout.nodes if shows else None)

    def show(
        self, lamps: guide.Lamps, hues: Mapping[int, Colour], at: float, *, setting: LightSetting = BY_DAY
    ) -> None:
        """Show lamps without a table (a replay). Other ones wake lights that sleep."""
        changed = lamps is not self._lamps
        if changed:
            self._lamps, self._hues, self._touched = lamps, hues, at
        self._render(at, setting, changed=changed)

    def _render(
        self,
        at: float,
        setting: LightSetting,
        *,
        changed: bool,
        dimmed: bool = False,
        show: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Send a frame if one is due; ``show``: the places of the nodes, if the gentle show runs."""
        idle = at - self._touched
        dim = 0.0 if setting.sleeps(idle) else setting.share
        if (dimmed or idle > DIM_AFTER_S) and not show:
            dim *= DIMMED
        look, before = (dim, bool(show)), self._last_look
        moves = bool(show) or lights.moves(self._lamps)
        still = not moves or dim == before[0] == 0.0
        if not changed and (at < self._next or (still and not self.trouble and look == before)):
            return
        if self.trouble and at < self._retry_at:
            return
        self._next, self._last_look = at + 1.0 / lights.FRAMES_PER_SECOND, look
        if dim == 0.0:
            self._send({}, at)
        elif show:
            self._send(lights.gentle(show, at, dim), at)
        else:
            self._send(lights.frame(self._lamps, at, self._neighbours, dim=dim, hues=self._hues), at)

    def _send(self, colours: Mapping[str, Colour], at: float) -> None:
        frame: list[Colour] = [lights.OFF] * self._board.strip.length
        for node, colour in colours.items():
            frame[self._pixels[node]] = colour
        if frame == self._sent:
            return
        try:
            self._board.strip.show(frame)
        except HardwareError as error:
            self._sent, self._retry_at = None, at + RETRY_S
            self.trouble = say(
                "The lights are lost ({reason}): check their cable and power supply. "
                "The phones show the way meanwhile.",
                reason=lost_words(error),
            )
        else:
            self._sent, self.trouble = frame, None
