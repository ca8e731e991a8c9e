"""What a computer must have for a board: each precondition is looked at, or refused in words that name it."""

from __future__ import annotations

import errno
import importlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.link.preconditions import PRECONDITIONS, analogue_sound, missing, missing_core_clock, of_board, ways
from hw import board as back_end
from hw import buses, pi
from hw.buses import ThisComputer, allow_frame, open_gpio
from hw.lights import NETWORK, SPI, STRIPS, check_pi
from hw.ports import BoardDescription, HardwareError, LightsWiring, StripWiring
from hw.registry import SCHEMES, open_board
from lodestone.schemes import described
from tests.hw.test_pi import machine
from tests.schemes import is_there, needs

PI3, PI4, PI5 = (f"Raspberry Pi {one} Rev 1.2" for one in ("3 Model B", "4 Model B", "5 Model B"))


def lit(board: BoardDescription, *strips: StripWiring) -> BoardDescription:
    return replace(board, backend="gpio", lights=LightsWiring(strips))


DARK = LightsWiring((StripWiring(over="absent"),))


def plain(scheme: str = "74hc165") -> BoardDescription:
    if scheme not in SCHEMES.usable():
        pytest.skip(f"the extension with {scheme} is deleted")
    return replace(described(scheme, SCHEMES.get(scheme).kinds[0], 1), backend="gpio", lights=DARK)


def test_each_is_looked_at_or_refused_and_has_a_key_of_its_own() -> None:
    assert all(one.missing or one.refusal for one in PRECONDITIONS)
    assert len({one.key for one in PRECONDITIONS}) == len(PRECONDITIONS)


def test_every_way_to_wire_has_some_that_concern_it() -> None:
    for name, where, board in ways():
        if board.pins or "`" in where or board.lights.has_strips:
            assert of_board(board, PI4), (name, where)


def fails(error: Exception) -> Callable[..., Any]:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


def no_folder(patch: pytest.MonkeyPatch, _: Path) -> None:
    patch.setattr(importlib, "import_module", fails(FileNotFoundError(2, "No such file", ".lgd-nfy0")))
    patch.setenv("LG_WD", "/of/another")
    open_gpio()


def no_library(patch: pytest.MonkeyPatch, _: Path) -> None:
    patch.setattr(pi, "gpio_packages", dict)
    patch.setattr(importlib, "import_module", fails(ImportError("RPi")))
    open_gpio()


def taken_pins(patch: pytest.MonkeyPatch, _: Path) -> None:
    gpio = SimpleNamespace(BCM=11, IN=1, OUT=0, HIGH=1, LOW=0, PUD_UP=22, setwarnings=lambda _: None)
    gpio.setmode = gpio.cleanup = lambda _: None
    gpio.setup = fails(Exception("GPIO busy"))
    patch.setitem(sys.modules, "RPi.GPIO", gpio)  # type: ignore[arg-type]
    patch.setitem(sys.modules, "RPi", SimpleNamespace())  # type: ignore[arg-type]
    patch.setattr(pi, "gpio_packages", dict)
    open_board(load_board(find_board("spokes-45")))


def no_spi(bus: int) -> Callable[[pytest.MonkeyPatch, Path], None]:
    def run(patch: pytest.MonkeyPatch, _: Path) -> None:
        device = SimpleNamespace(open=fails(FileNotFoundError(errno.ENOENT, "No such file")))
        patch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=lambda: device))  # type: ignore[arg-type]
        ThisComputer().spi(bus, 0, 1_000_000)

    return run


def no_i2c(patch: pytest.MonkeyPatch, _: Path) -> None:
    patch.setitem(sys.modules, "smbus2", SimpleNamespace(SMBus=fails(FileNotFoundError(2, "?"))))  # type: ignore[arg-type]
    ThisComputer().i2c(1)


def long_frame(patch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "bufsiz").write_text("4096\n")
    patch.setattr(buses, "SPI_BUFSIZ", folder / "bufsiz")
    allow_frame(5016)


def no_group(patch: pytest.MonkeyPatch, _: Path) -> None:
    bank = pytest.importorskip("firmware_host.extensions.scanner.bank")
    patch.setattr(bank.serial, "Serial", fails(PermissionError(errno.EACCES, "no")))
    bank.CablePort("/dev/ttyACM0", 115200, 0.1)


def pixels(model: str, why: str, pin: str = "D18") -> Callable[[pytest.MonkeyPatch, Path], None]:
    def run(patch: pytest.MonkeyPatch, _: Path) -> None:
        patch.setattr(pi, "model", lambda *_: model)
        check_pi(LightsWiring((StripWiring(pin, 3),)), model)
        STRIPS.get("ws2812").open(
            StripWiring(pin, 3),
            SimpleNamespace(pixel_pin=fails(RuntimeError(why))),  # type: ignore[arg-type]
        )

    return run


def no_wled(_: pytest.MonkeyPatch, __: Path) -> None:
    device = SimpleNamespace(get=fails(TimeoutError("timed out")), close=lambda: None)
    strip = StripWiring("wled.local", 3, "RGB", NETWORK, "wled")
    STRIPS.get("wled").open(strip, SimpleNamespace(network=lambda _: device))  # type: ignore[arg-type]


REFUSED: dict[str, Callable[[pytest.MonkeyPatch, Path], None]] = {
    "library": no_library,
    "folder": no_folder,
    "pins": taken_pins,
    "spi 0": no_spi(0),
    "spi 1": no_spi(1),
    "frame": long_frame,
    "i2c": no_i2c,
    "dialout": no_group,
    "pixel pins": pixels(PI4, "", "D5"),
    "root": pixels(PI4, "Can't open /dev/mem: Permission denied"),
    "revision": pixels(PI3, "ws2811_init failed with code -1 (Hardware revision is not supported)"),
    "pio": pixels(PI5, "Failed to open PIO device"),
    "controller": no_wled,
}


OF = {"controller": "wled", "i2c clock": "ads1115"}
"""Of which scheme a precondition is, where that is none of the core."""
THERE = [one for one in PRECONDITIONS if one.key not in OF or is_there(OF[one.key])]


@pytest.mark.parametrize("key", [one.key for one in THERE if one.refusal])
def test_what_is_missing_is_refused_in_words_that_name_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with pytest.raises(HardwareError) as refused:
        REFUSED[key](monkeypatch, tmp_path)
    (needed,) = (one for one in PRECONDITIONS if one.key == key)
    assert needed.refusal in str(refused.value)


I2C_CLOCK = "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"


LACKING: dict[str, Callable[[], tuple[BoardDescription, str, dict[str, str]]]] = {
    "i2c clock": lambda: (plain("ads1115"), PI4, {I2C_CLOCK: "\x00\x01\x86\xa0"}),
    "core clock": lambda: (
        lit(plain(), StripWiring("D10", 12, over="spi")), PI4, {"boot/firmware/config.txt": "[all]\n"},
    ),
    "sound": lambda: (
        lit(plain(), StripWiring("D18", 12)), PI4, {"proc/asound/cards": " 0 [H]: x - bcm2835 Headphones\n"},
    ),
    "console": lambda: (
        replace(plain("serial"), options={**plain("serial").options, "device": "/dev/serial0"}), PI4,
        {"proc/cmdline": "console=serial0,115200 console=tty1 root=x\n"},
    ),
}  # fmt: skip
MET = {
    "i2c clock": {I2C_CLOCK: "\x00\x06\x1a\x80"},
    "core clock": {"boot/firmware/config.txt": "core_freq=500\ncore_freq_min=500\n"},
    "sound": {"proc/asound/cards": "--- no soundcards ---\n"},
    "console": {"proc/cmdline": "console=tty1 root=x\n"},
}


@pytest.mark.parametrize("key", [one.key for one in THERE if one.missing])
def test_what_is_looked_at_is_found_missing_and_found_met(tmp_path: Path, key: str) -> None:
    board, model, files = LACKING[key]()
    for name, text in {**files, "proc/device-tree/model": model + "\0"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="latin-1")
    ((found, words),) = missing(board, tmp_path)
    assert found == key
    assert "install.sh" in words
    assert missing(replace(board, backend="sim"), tmp_path) == []
    for name, text in MET[key].items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    assert missing(board, tmp_path) == []


@needs("ads1115")
def test_a_bus_whose_clock_can_not_be_read_is_not_called_slow(tmp_path: Path) -> None:
    board, model, _ = LACKING["i2c clock"]()
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text(model)
    assert missing(board, tmp_path) == []
    other = replace(board, options={**board.options, "i2c_bus": 0})
    (tmp_path / I2C_CLOCK).parent.mkdir(parents=True)
    (tmp_path / I2C_CLOCK).write_text("\x00\x01\x86\xa0", encoding="latin-1")
    assert missing(other, tmp_path) == [], "another bus"


@needs("apa102")
def test_a_strip_with_a_clock_line_bears_any_core_clock() -> None:
    keys = {one.key for one in of_board(lit(plain(), StripWiring("D10", 12, "BGR", SPI, "apa102")), PI3)}
    assert "spi 0" in keys
    assert "core clock" not in keys


def test_pins_that_spi_keeps_are_named(tmp_path: Path) -> None:
    (tmp_path / "spidev0.0").touch()
    board = replace(plain("direct"), pins={"input": (8, 7, 5)})
    assert "keeps GPIO 8:" in back_end.taken_by_spi(board, tmp_path)
    assert back_end.taken_by_spi(replace(board, pins={"input": (7, 5)}), tmp_path) == ""


# -- what is looked at -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "model", "found"),
    [
        (
            " 0 [vc4hdmi   ]: vc4-hdmi - vc4-hdmi\n 1 [Headphones]: bcm2835_headpho - bcm2835 Headphones\n",
            "4 Model B",
            True,
        ),
        (" 0 [ALSA      ]: bcm2835_alsa - bcm2835 ALSA\n", "3 Model B", True),
        (" 0 [b1        ]: bcm2835_hdmi - bcm2835 HDMI 1\n", "4 Model B", False),
        (" 0 [Headphones]: bcm2835_headpho - bcm2835 Headphones\n", "5 Model B", False),
        ("--- no soundcards ---\n", "4 Model B", False),
        (None, "4 Model B", False),
    ],
)
def test_the_sound_that_disturbs_pwm_is_found(tmp_path: Path, cards: str | None, model: str, found: bool) -> None:
    root = machine(tmp_path, f"Raspberry Pi {model} Rev 1.1")
    if cards is not None:
        (root / "proc/asound").mkdir()
        (root / "proc/asound/cards").write_text(cards)
    assert bool(analogue_sound(root)) is found


@pytest.mark.parametrize(
    ("name", "config", "missing"),
    [
        ("Raspberry Pi 3 Model B Plus Rev 1.3", "dtparam=spi=on\n", ("core_freq=250",)),
        ("Raspberry Pi 4 Model B Rev 1.4", "#core_freq=500\n", ("core_freq=500", "core_freq_min=500")),
        ("Raspberry Pi 4 Model B Rev 1.4", "[all]\ncore_freq_min = 400\n", ()),
        ("Raspberry Pi 5 Model B Rev 1.0", "dtparam=spi=on\n", ()),
    ],
)
def test_the_core_clock_of_pixels_on_spi(tmp_path: Path, name: str, config: str, missing: tuple[str, ...]) -> None:
    root = machine(tmp_path, name)
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/config.txt").write_text(config)
    assert missing_core_clock(root) == missing
