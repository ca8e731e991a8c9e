"""``wled``: pixels that a WLED controller drives, in the same network; frames go to it over UDP.

The protocol is DDP (Distributed Display Protocol, 3waylabs.com/ddp): ten bytes of header, at most 1440 of data; the
last packet of a frame has the push flag. WLED takes it on port 4048 for RGB pixels, whatever the order on its wire; it
puts the order, gamma and its own limit of current after ours: set its brightness to full, its colour correction off.

UDP tells nobody whether a frame has arrived, and WLED shows its own effects again 2.5 s after the last one. So a thread
sends the last frame again every second, and asks the controller now and then whether it is there (``/json/info``).
"""

from __future__ import annotations

import contextlib
import json
import struct
import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from hw.buses import Computer, NetworkDevice
from hw.lights import NETWORK, Pixel, PixelStrip, StripScheme
from hw.ports import HardwareError, Message, StripWiring

PORT = 4048
VERSION, PUSH = 0x40, 0x01
RGB888 = 0x0B
DEFAULT_DISPLAY = 1
MAX_DATA = 1440
"""Bytes of data in a packet: a multiple of three that fits an Ethernet frame."""
AGAIN_S = 1.0
"""How often the last frame is sent again, seconds."""
ASKED_EVERY = 5
"""Number of these after which the controller is asked whether it is there."""
BITS_A_SECOND = 5e6
"""Conservative, for a controller in a weak Wi-Fi."""


def packets(data: bytes, sequence: int) -> list[bytes]:
    """Return the packets of a frame; ``sequence`` is 1 to 15."""
    starts = range(0, len(data), MAX_DATA)
    found = []
    for start in starts:
        part = data[start : start + MAX_DATA]
        flags = VERSION | (PUSH if start == starts[-1] else 0)
        found.append(struct.pack(">BBBBIH", flags, sequence, RGB888, DEFAULT_DISPLAY, start, len(part)) + part)
    return found


class WledStrip:
    """Pixels behind a controller."""

    def __init__(self, device: NetworkDevice, strip: StripWiring) -> None:
        """Ask the controller, and turn all pixels off. Raise HardwareError."""
        self.length = strip.length
        self._device, self._where = device, strip.pin
        self._sequence = 0
        self._frame = bytes(3 * strip.length)
        self._trouble: Message | None = None
        self._sending = threading.Lock()
        self._closed = threading.Event()
        self._ask()
        if self._trouble is not None:
            device.close()
            raise HardwareError(self._trouble)
        self.show([(0, 0, 0)] * strip.length)
        threading.Thread(target=self._stay, name="wled", daemon=True).start()

    def show(self, pixels: Sequence[Pixel]) -> None:
        """Send one frame. Raise HardwareError when it can't be sent, or the controller has not answered of late."""
        self._frame = b"".join(map(bytes, pixels))
        self._send()
        if self._trouble is not None:
            raise HardwareError(self._trouble)

    def close(self) -> None:
        """Turn all pixels off: the controller goes on with its own effects."""
        self._closed.set()
        with contextlib.suppress(HardwareError):
            self.show([(0, 0, 0)] * self.length)
        self._device.close()

    def _send(self) -> None:
        with self._sending:
            self._sequence = self._sequence % 15 + 1
            try:
                for packet in packets(self._frame, self._sequence):
                    self._device.send(PORT, packet)
            except OSError as error:
                why = Message(
                    "the WLED at {where} does not take its frame: {error}", where=self._where, error=str(error)
                )
                raise HardwareError(why) from error

    def _ask(self) -> None:
        """Note whether the controller answers, and has enough pixels."""
        try:
            count = json.loads(self._device.get("/json/info"))["leds"]["count"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._trouble = Message(
                "no WLED answers at {where}: {error}. Is it switched on, and in this network?",
                where=self._where, error=str(error),
            )  # fmt: skip
            return
        self._trouble = None
        if not isinstance(count, int) or count < self.length:
            self._trouble = Message(
                "the WLED at {where} drives {count} pixels, expected {length}: say so in its LED preferences",
                where=self._where, count=count, length=self.length,
            )  # fmt: skip

    def _stay(self) -> None:
        turns = 0
        while not self._closed.wait(AGAIN_S):
            turns += 1
            if turns % ASKED_EVERY == 0:
                self._ask()
            with contextlib.suppress(HardwareError):
                self._send()


class Wled(StripScheme):
    """Controllers with the WLED firmware."""

    name = "wled"
    part = "WLED's"
    orders = ("RGB",)
    over = (NETWORK,)
    spi_pins: ClassVar[Mapping[int, int]] = MappingProxyType({})
    inputs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    controller = "WLED controller"

    def frame_us(self, strip: StripWiring) -> float:
        sent = packets(bytes(3 * strip.length), 1)
        return 8e6 * sum(map(len, sent)) / BITS_A_SECOND

    def open(self, strip: StripWiring, computer: Computer) -> PixelStrip:
        return WledStrip(computer.network(strip.pin), strip)


SCHEME = Wled()
