"""CD74HC4067 analogue multiplexers used for switches: any number of them, sharing their four select lines.

A switch pulls its channel to ground; the pin at each common is pulled up, so that a channel with an open switch, which
floats, reads high. Input i is channel i % 16 of multiplexer i // 16.

GPIO calls a scan, for n inputs: 16 writes (a walk over all channels in Gray-code order changes one select line a step
and ends where it began; 2, 4 or 8 writes where no multiplexer has more inputs than that) and n reads: n + 16 in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hw.buses import WaitUs
from hw.gpio import Gpio
from hw.schemes import CHANNELS_4067
from hw.switches import check_kind, inputs_of, readings


class SelectLines:
    """The select lines of multiplexers, walked over all channels in use."""

    def __init__(self, gpio: Gpio, pins: Sequence[int], inputs: int, wait_us: WaitUs, settle_us: float) -> None:
        """Set up the pins S0 to S3, all low; ``settle_us`` is left between a write and the reads that follow."""
        self._gpio, self._pins = gpio, list(pins)
        self._wait_us, self._settle_us = wait_us, settle_us
        bits = (min(inputs, CHANNELS_4067) - 1).bit_length()
        codes = [step ^ step >> 1 for step in range(1 << bits)]
        self._walk = [
            (self._pins[(before ^ after).bit_length() - 1], int(after > before), after)
            for before, after in zip(codes, [*codes[1:], codes[0]], strict=True)
            if before != after
        ]
        self._at_start = True
        gpio.setup(self._pins, gpio.OUT, initial=gpio.LOW)

    def walk(self) -> Iterator[int]:
        """Select one channel after another; yield its number when the multiplexers have settled on it."""
        write = self._gpio.output
        if not self._at_start:  # The last walk was broken off by an error: single steps would go astray now.
            write(self._pins, self._gpio.LOW)
        self._at_start = False
        for pin, level, channel in self._walk:
            write(pin, level)
            self._wait_us(self._settle_us)
            yield channel
        if not self._walk:  # One input each: the multiplexers stay where they are.
            self._wait_us(self._settle_us)
            yield 0
        self._at_start = True


class MultiplexerBank:
    """The sensors of a board behind multiplexers. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(
        self,
        gpio: Gpio,
        select: Sequence[int],
        common: Sequence[int],
        channels: int,
        kind: str,
        *,
        wait_us: WaitUs,
        settle_us: float = 10,
        enable: int | None = None,
    ) -> None:
        """Set the pins up: ``select`` S0 to S3, ``common`` one SIG pin a multiplexer, ``enable`` (low) where wired."""
        check_kind("4067", kind)
        self.channels = channels
        self.kind = kind
        self._gpio = gpio
        self._pins = [*select, *common]
        self._inputs = inputs_of(channels, kind)
        lanes = [list(range(first, self._inputs, CHANNELS_4067)) for first in range(CHANNELS_4067)]
        self._reads = [[(index, common[index // CHANNELS_4067]) for index in lane] for lane in lanes]
        """For each channel number: the inputs behind it, each with the pin that shows it."""
        self._lines = SelectLines(gpio, select, self._inputs, wait_us, settle_us)
        for pin in common:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
        if enable is not None:
            self._pins.append(enable)
            gpio.setup(enable, gpio.OUT, initial=gpio.LOW)

    def scan(self) -> Sequence[int]:
        """Walk over the channels and read every multiplexer at each."""
        read, closed = self._gpio.input, [0] * self._inputs
        for channel in self._lines.walk():
            for index, pin in self._reads[channel]:
                closed[index] = 1 - read(pin)
        return readings(closed, self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup(self._pins)
