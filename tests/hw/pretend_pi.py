"""A separate process in which Blinka detects a Pi; only the access to the Pi's hardware is replaced.

`python -m tests.hw.pretend_pi RASPBERRY_PI_5 D12 3 gpio` opens a strip as on that Pi, shows one frame and prints the
calls of the last layer before the hardware, as JSON: pin or device, and the bytes.
"""
# ruff: noqa: PLC0415 - what is imported looks at once on which machine it is

from __future__ import annotations

import enum
import importlib.machinery
import json
import os
import sys
import types
from typing import Any

REVISIONS = {"RASPBERRY_PI_5": 0xC04170, "RASPBERRY_PI_4B": 0xC03114, "RASPBERRY_PI_ZERO_2_W": 0x902120}
came: list[dict[str, Any]] = []


class _Request:
    def reconfigure_lines(self, config: object) -> None:
        pass

    def set_value(self, line: int, value: object) -> None:
        pass

    def release(self) -> None:
        pass


class _Chip:
    def __init__(self, path: str) -> None:
        pass

    def get_info(self) -> types.SimpleNamespace:
        return types.SimpleNamespace(label="pinctrl-rp1", num_lines=54)

    def request_lines(self, **_: object) -> _Request:
        return _Request()

    def close(self) -> None:
        pass


def _module(name: str, **contents: object) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(contents)
    sys.modules[name] = module
    return module


def _gpiod() -> None:
    """The bindings of libgpiod, with unconnected lines."""
    line = _module(
        "gpiod.line",
        Value=enum.Enum("Value", ["INACTIVE", "ACTIVE"]),
        Direction=enum.Enum("Direction", ["INPUT", "OUTPUT"]),
        Bias=enum.Enum("Bias", ["DISABLED", "PULL_UP", "PULL_DOWN"]),
    )
    _module("gpiod", __version__="2.5.0", Chip=_Chip, LineSettings=types.SimpleNamespace, line=line)
    from adafruit_blinka.microcontroller.generic_linux import raspberry_pi_pin

    raspberry_pi_pin._find_chip = lambda _offset: 0


def _pio() -> None:
    """The library of the Pi 5."""

    def write(gpio: Any, buffer: bytes) -> None:
        came.append({"by": "pio", "pin": gpio._pin.id, "bytes": bytes(buffer).hex()})

    _module("adafruit_raspberry_pi5_neopixel_write", neopixel_write=write)


class _Ws281x(types.ModuleType):
    """The C part of rpi_ws281x that Blinka calls; ``failure`` is the result of its start."""

    WS2811_STRIP_RGB, SK6812_STRIP_RGBW, WS2811_SUCCESS = 1, 2, 0
    failure = 0

    def __init__(self) -> None:
        super().__init__("_rpi_ws281x")
        self.__spec__ = importlib.machinery.ModuleSpec("_rpi_ws281x", None)
        self.values: dict[tuple[int, str], int] = {}
        self.leds: list[int] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("ws2811_channel_t_"):
            what, _, do = name.removeprefix("ws2811_channel_t_").rpartition("_")
            if do == "get":
                return lambda channel: self.values[channel, what]
            return lambda channel, value: self.values.__setitem__((channel, what), value)
        return lambda *_: 0

    def ws2811_channel_get(self, _strip: object, number: int) -> int:
        return number

    def ws2811_init(self, _strip: object) -> int:
        return self.failure

    def ws2811_led_set(self, channel: int, index: int, colour: int) -> None:
        self.leds[index:] = [colour]
        self.channel = channel

    def ws2811_render(self, _strip: object) -> int:
        data = b"".join(led.to_bytes(3, "big") for led in self.leds)
        came.append({"by": "ws281x", "pin": self.values[self.channel, "gpionum"], "bytes": data.hex()})
        return 0


class _Spidev:
    """A spidev device as Adafruit_PureIO opens it."""

    def __init__(self, device: object, **_: object) -> None:
        self.device = device
        self.max_speed_hz = 0

    def __getattr__(self, name: str) -> Any:
        return None

    def set_mode(self, *_: object) -> None:
        pass

    def writebytes(self, data: Any, **_: object) -> None:
        came.append({"by": "spidev", "pin": self.device, "hz": self.max_speed_hz, "bytes": bytes(data).hex()})


def pretend(board: str, *, root: bool = True) -> None:
    """Make Blinka in this process detect this Pi."""
    os.environ["BLINKA_FORCEBOARD"] = board
    os.environ["BLINKA_FORCECHIP"] = "BCM2XXX"
    from adafruit_platformdetect.board import Board

    Board._pi_rev_code = lambda _self: REVISIONS[board]  # On a Pi it is in /proc/cpuinfo.
    _gpiod()
    _pio()
    library = _Ws281x()
    library.failure = 0 if root else -5
    sys.modules["_rpi_ws281x"] = library
    from Adafruit_PureIO import spi

    spi.SPI = _Spidev


def main() -> None:
    board, pin, length, over, *rest = sys.argv[1:]
    pretend(board, root="no-root" not in rest)
    from hw.buses import ThisComputer
    from hw.lights import STRIPS
    from hw.ports import HardwareError, StripWiring

    try:
        strip = STRIPS.get("ws2812").open(StripWiring(pin, int(length), "GRB", over), ThisComputer())
        strip.show([(index, 16 + index, 32 + index) for index in range(int(length))])
    except HardwareError as error:
        print(json.dumps({"refused": str(error)}))
        return
    print(json.dumps(came[-1]))
    strip.close()


if __name__ == "__main__":
    main()
