"""The board at rest: how bright its lights are, whether they shine at all, and what they do when nobody plays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.session.data_folder import write_whole
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

FILE = "lights.json"
"""In the data folder; there once the host has chosen something."""
LEAST = 5
"""The least brightness, per cent: what is darker is off."""
LONGEST_MINUTES = 24 * 60
NIGHT = 0.2
"""How bright the board is at night, of what it is by day."""


@dataclass(frozen=True)
class RestSetting:
    """How the board shines. ``brightness`` in per cent of what its file allows; ``night``: a fifth of that.

    ``off``: not at all, phones show the way. ``sleep``: minutes without a touch until the lights go out, 0: never.
    ``show``: between games they move gently.
    """

    brightness: int = 100
    night: bool = False
    off: bool = False
    sleep: int = 20
    show: bool = False

    @classmethod
    def of(cls, wish: Mapping[str, Any]) -> RestSetting:
        """Return what somebody wishes. Raise TableError naming the field that is wrong and what was expected."""
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
        """Return how bright the lights are, 0 to 1."""
        return 0.0 if self.off else self.brightness / 100 * (NIGHT if self.night else 1.0)

    def sleeps(self, idle: float) -> bool:
        """Tell whether the lights are out after so many seconds without a touch or a change."""
        return self.sleep > 0 and idle >= 60 * self.sleep


def kept_rest(data: Path) -> RestSetting:
    """Return what the host has chosen, or what holds before; so, too, where the file can't be understood."""
    try:
        return RestSetting.of(json.loads((data / FILE).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError, TableError):
        return RestSetting()


def keep_rest(data: Path, setting: RestSetting) -> RestSetting:
    """Keep what the host has chosen, and return it. Raise TableError where the data folder can't be written."""
    try:
        write_whole(data / FILE, json.dumps(vars(setting)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise TableError("not_kept", say("the data folder can't be written: {reason}", reason=reason)) from error
    return setting
