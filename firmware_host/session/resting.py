"""The board at rest: the brightness of its lights, when they go out, and what they show between games."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.archive.files import write_whole
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

FILE = "lights.json"
"""File name in the data folder; the file exists once the host has changed a setting."""
LEAST = 5
"""Minimum brightness, per cent: below it the lights are off."""
LONGEST_MINUTES = 24 * 60
NIGHT = 0.2
"""Brightness at night, as a share of that by day."""


@dataclass(frozen=True)
class RestSetting:
    """The settings of the lights. ``brightness`` in per cent of the board file's maximum; ``night``: a fifth of that.

    ``off``: no lights, phones guide. ``sleep``: minutes without a touch until the lights go out, 0: never.
    ``show``: between games they move gently.
    """

    brightness: int = 100
    night: bool = False
    off: bool = False
    sleep: int = 20
    show: bool = False

    @classmethod
    def of(cls, wish: Mapping[str, Any]) -> RestSetting:
        """Return a checked setting. Raise TableError naming the wrong field and what was expected."""
        setting = cls(**wish)
        for name, least, most in (("brightness", LEAST, 100), ("sleep", 0, LONGEST_MINUTES)):
            given = getattr(setting, name)
            if not least <= given <= most:
                words = say(
                    "{field}: expected {least} to {most}, got {given}", field=name, least=least, most=most, given=given
                )
                raise TableError("bad_lights", words)
        return setting

    @property
    def share(self) -> float:
        """Return the brightness, 0 to 1."""
        return 0.0 if self.off else self.brightness / 100 * (NIGHT if self.night else 1.0)

    def sleeps(self, idle: float) -> bool:
        """Return whether the lights are out after ``idle`` seconds without a touch or a change."""
        return self.sleep > 0 and idle >= 60 * self.sleep


def kept_rest(data: Path) -> RestSetting:
    """Return the host's setting; the default without one or if the file is unreadable."""
    try:
        return RestSetting.of(json.loads((data / FILE).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError, TableError):
        return RestSetting()


def keep_rest(data: Path, setting: RestSetting) -> RestSetting:
    """Save the host's setting and return it. Raise TableError if the data folder can't be written."""
    try:
        write_whole(data / FILE, json.dumps(vars(setting)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise TableError("not_kept", say("the data folder can't be written: {reason}", reason=reason)) from error
    return setting
