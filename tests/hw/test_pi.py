"""The right GPIO library for each Pi, found by the machine's files, and the messages about a wrong one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hw import pi
from hw.buses import open_gpio
from hw.ports import HardwareError


def machine(root: Path, model: str | None, *, gpiomem: bool = True) -> Path:
    if model is not None:
        (root / "proc/device-tree").mkdir(parents=True)
        (root / "proc/device-tree/model").write_text(model + "\0")
    if gpiomem:
        (root / "dev").mkdir(exist_ok=True)
        (root / "dev/gpiomem").touch()
    return root


@pytest.mark.parametrize(
    ("model", "gpiomem", "extra", "gpio"),
    [
        ("Raspberry Pi Zero 2 W Rev 1.0", True, "pi", "RPi.GPIO"),
        ("Raspberry Pi 3 Model B Plus Rev 1.3", True, "pi", "RPi.GPIO"),
        ("Raspberry Pi 4 Model B Rev 1.4", True, "pi", "RPi.GPIO"),
        ("Raspberry Pi 4 Model B Rev 1.5", False, "pi-lgpio", "rpi-lgpio"),
        ("Raspberry Pi 5 Model B Rev 1.0", True, "pi5", "rpi-lgpio"),
        ("Raspberry Pi 500 Rev 1.0", True, "pi5", "rpi-lgpio"),
        ("Raspberry Pi Compute Module 5 Rev 1.0", False, "pi5", "rpi-lgpio"),
        ("Radxa ROCK 5B", True, "", ""),
        (None, False, "", ""),
    ],
)
def test_model_and_kernel_choose_the_extra(
    tmp_path: Path, model: str | None, gpiomem: bool, extra: str, gpio: str
) -> None:
    choice = pi.choose(machine(tmp_path, model, gpiomem=gpiomem), "6.6.20+rpt-rpi-v8")
    assert (choice.extra, choice.gpio) == (extra, gpio)
    assert choice.model == (model if extra else "")


def test_the_revision_is_that_of_the_device_tree(tmp_path: Path) -> None:
    root = machine(tmp_path, "Raspberry Pi 3 Model B Rev 1.2")
    assert pi.revision(root) == ""
    (root / "proc/device-tree/system").mkdir()
    (root / "proc/device-tree/system/linux,revision").write_bytes(b"\x00\xa5\x20\x82")
    assert pi.revision(root) == "a52082"


PI4 = pi.PackageChoice("Raspberry Pi 4 Model B Rev 1.4", "6.6", "pi", "RPi.GPIO", "")
PI5 = pi.PackageChoice("Raspberry Pi 5 Model B Rev 1.0", "6.12", "pi5", "rpi-lgpio", "its RP1 chip is out of reach")
NO_PI = pi.PackageChoice("", "6.1", "", "", "no Raspberry Pi")


@pytest.mark.parametrize(
    ("found", "choice", "words"),
    [
        ({"RPi.GPIO": "0.7.1"}, PI5, ["RPi.GPIO does not work on a Raspberry Pi 5", "pip uninstall RPi.GPIO", "[pi5]"]),
        ({}, PI4, ["no GPIO library is installed", "lodestone-board[pi]", "make setup"]),
        ({}, NO_PI, ["no GPIO library is installed", "lodestone-board[pi]", "lodestone-board[pi5]"]),
        (
            {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"},
            PI5,
            ["both installed and own the same module; remove one", "--force-reinstall rpi-lgpio"],
        ),
    ],
)
def test_what_does_not_fit_is_told_with_what_to_type(
    found: dict[str, str], choice: pi.PackageChoice, words: list[str]
) -> None:
    why = pi.misfit(found, choice)
    assert why is not None
    for word in words:
        assert word in why


@pytest.mark.parametrize(
    ("found", "choice"), [({"RPi.GPIO": "0.7.1"}, PI4), ({"rpi-lgpio": "0.6"}, PI4), ({"rpi-lgpio": "0.6"}, PI5)]
)
def test_what_works_is_left_alone(found: dict[str, str], choice: pi.PackageChoice) -> None:
    assert pi.misfit(found, choice) is None


def test_the_wrong_library_on_a_pi_5_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi, "gpio_packages", lambda: {"RPi.GPIO": "0.7.1"})
    monkeypatch.setattr(pi, "choose", lambda: PI5)
    with pytest.raises(HardwareError, match=r"RPi.GPIO does not work on a Raspberry Pi 5.*\[pi5\]"):
        open_gpio()


def test_setup_installs_nothing_on_a_machine_that_is_no_pi() -> None:
    """`make setup` reads the extra's name; it is empty on other machines."""
    run = subprocess.run([sys.executable, "-m", "hw.pi"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == pi.choose().extra
