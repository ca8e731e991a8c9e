"""Without a Pi all imports work, and opening a real board says what to do."""

from __future__ import annotations

import os
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from hw.buses import open_gpio
from hw.ports import HardwareError
from hw.registry import back_end_names, open_board


def test_opening_pins_off_a_pi_says_what_to_do() -> None:
    with pytest.raises(HardwareError, match="--board sim"):
        open_gpio()


def test_the_real_board_says_so_too() -> None:
    with pytest.raises(HardwareError, match="--board sim"):
        open_board(load_board(find_board("spokes-45")))


class PinsRefused:
    """RPi.GPIO from rpi-lgpio without access to the pins: its error is a bare Exception."""

    class error(Exception):  # noqa: N801 - lgpio's name
        pass

    BCM, OUT, IN, HIGH, LOW = 11, 0, 1, 1, 0

    def __init__(self, refuses: str) -> None:
        self.refuses = refuses
        self.cleaned: list[int] = []

    def setwarnings(self, flag: bool) -> None:
        pass

    def setmode(self, mode: int) -> None:
        self._refuse("setmode", "can not open gpiochip")

    def setup(self, channel: int, *_: object, **__: object) -> None:
        self._refuse("setup", "GPIO busy")

    def cleanup(self, channel: list[int]) -> None:
        self.cleaned += channel

    def _refuse(self, call: str, why: str) -> None:
        if call == self.refuses:
            raise self.error(why)


def test_what_rpi_lgpio_raises_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "RPi.GPIO", PinsRefused("setmode"))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "RPi", types.ModuleType("RPi"))
    with pytest.raises(HardwareError, match=r"can not open gpiochip.*--board sim"):
        open_gpio()


LGPIO = """import os
if not os.path.isdir(os.environ.get("LG_WD", "no folder")):
    raise FileNotFoundError(2, "No such file or directory", ".lgd-nfy0")
BCM, OUT = 11, 0
def setwarnings(flag): pass
def setmode(mode): pass
"""
"""What lgpio does when it is imported in a folder that may not be written: its file lies there, or in LG_WD."""


@pytest.mark.parametrize("own", ["", "gone"])
def test_lgpio_gets_a_folder_for_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str) -> None:
    (tmp_path / "RPi").mkdir()
    (tmp_path / "RPi" / "GPIO.py").write_text(LGPIO, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("LG_WD", str(tmp_path / own))
    if not own:
        monkeypatch.delenv("LG_WD")  # What the program sets goes again with the test.
    for name in ("RPi", "RPi.GPIO"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    if own:
        with pytest.raises(HardwareError, match=r"set LG_WD to a folder in which this account may write"):
            open_gpio()
    else:
        assert open_gpio().BCM == 11
        assert not any(Path(os.environ["LG_WD"]).iterdir())
    for name in ("RPi", "RPi.GPIO"):
        sys.modules.pop(name, None)


def test_pins_in_use_are_named_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    gpio = PinsRefused("setup")
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "RPi", types.ModuleType("RPi"))
    with pytest.raises(HardwareError, match=r"'load': 5.*GPIO busy"):
        open_board(load_board(find_board("spokes-45")))
    assert gpio.cleaned


def test_two_libraries_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda package: "1.0")
    with pytest.raises(HardwareError, match="own the same module; remove one"):
        open_gpio()


def test_a_level_board_cant_hang_on_shift_registers() -> None:
    with pytest.raises(HardwareError, match="level"):
        open_board(load_board(find_board("spokes-45"), kind="level"))


def test_back_ends_are_found_by_name() -> None:
    assert back_end_names() == ["gpio", "sim"]
    with pytest.raises(HardwareError, match="expected one of gpio, sim"):
        open_board(replace(load_board(find_board("spokes-45")), backend="telepathy"))
