"""Linear hall sensors read by analogue-to-digital converters: MCP3008 on SPI, ADS1115 on I2C, behind 4067s or direct.

The sensors and the MCP3008's reference run on the same 3.3 V, half of which is no field. Behind multiplexers input i
is channel i % 16 of the multiplexer whose common goes to ADC input i // 16; ADC inputs are numbered on from one chip to
the next. Without select lines input i is ADC input i.

Cost of a scan of n inputs behind multiplexers: 16 GPIO writes (see :mod:`hw.multiplexer`; none without them), and
n transfers of 3 bytes with an MCP3008; with ADS1115 chips n conversions of 1.2 ms, of which each chip does its own
while the others do theirs, and at least 3 I2C messages for each.

Kinds: ``level`` hands the strength on; ``polarity`` and ``presence`` tell what is stronger than ``threshold``, and go
on telling it until it is weaker by :data:`HYSTERESIS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from hw.buses import I2c, Spi, WaitUs
from hw.multiplexer import SelectLines
from hw.ports import HardwareError, NodeLevels, Said
from hw.schemes import ADS1115_INPUTS, CHANNELS_4067, MCP3008_INPUTS

ADS1115_SUPPLY_COUNTS = 26_400
"""What 3.3 V count at a full scale of 4.096 V for 32,768."""
ADS1115_CONVERSION_US = 1250
"""860 a second, 10 % slow at worst, is 1.28 ms; looked at once it is nearly due."""
ADS1115_LOOKS = 40
"""How often a chip is asked whether it is done before it is given up: a look takes 0.1 ms or more."""
NO_FIELD = 128
HYSTERESIS = 4
"""Level steps by which a sensor must pass the threshold before what it tells changes back."""


_NOTHING: Mapping[int, NodeLevels] = MappingProxyType({})


class Converter(Protocol):
    """One ADC chip."""

    inputs: int

    def start(self, index: int) -> None:
        """Begin to measure an input. Raise HardwareError when the chip does not answer."""
        ...

    def level(self) -> int:
        """Return what the input measures, 0 (ground) to 255 (3.3 V). Raise HardwareError."""
        ...

    def close(self) -> None:
        """Let go of the bus."""
        ...


class Mcp3008:
    """Ten bits, eight inputs, on SPI in mode 0: start bit, single-ended, input number; then the bits, highest first."""

    inputs = MCP3008_INPUTS

    def __init__(self, spi: Spi, name: str = "MCP3008") -> None:
        """``spi`` is opened already; ``name`` is for messages."""
        self._spi, self._name = spi, name
        self._index = 0

    def start(self, index: int) -> None:
        """Note the input: the chip samples while it is asked."""
        self._index = index

    def level(self) -> int:
        """Ask for the input noted."""
        try:
            answer = self._spi.xfer2([1, 0x80 | self._index << 4, 0])
        except OSError as error:
            raise HardwareError(Said("{part} can't be read: {error}", part=self._name, error=str(error))) from error
        return ((answer[1] & 3) << 8 | answer[2]) >> 2

    def close(self) -> None:
        """Let go of the bus."""
        self._spi.close()


class Ads1115:
    """Sixteen bits, four inputs, on I2C; single conversions at its fastest, full scale 4.096 V."""

    inputs = ADS1115_INPUTS
    _RESULT, _CONFIG = 0, 1

    def __init__(self, bus: I2c, address: int, wait_us: WaitUs) -> None:
        """``bus`` is opened already, and shared with the other chips; ``address`` is 0x48 to 0x4B."""
        self._bus, self._address, self._wait_us = bus, address, wait_us

    def start(self, index: int) -> None:
        """Begin one conversion of an input against ground."""
        high = 0x80 | (4 + index) << 4 | 0x02 | 0x01  # start; input; full scale 4.096 V; one conversion
        low = 0xE0 | 0x03  # 860 a second; comparator off
        try:
            self._bus.write_i2c_block_data(self._address, self._CONFIG, [high, low])
        except OSError as error:
            raise self._lost(error) from error

    def level(self) -> int:
        """Wait for the conversion to end and return what it found."""
        self._wait_us(ADS1115_CONVERSION_US)
        try:
            for _ in range(ADS1115_LOOKS):
                if self._bus.read_i2c_block_data(self._address, self._CONFIG, 2)[0] & 0x80:
                    break
                self._wait_us(100)
            else:
                raise HardwareError(
                    Said(
                        "the ADS1115 at address {address} does not finish its conversion", address=f"{self._address:#x}"
                    )
                )
            high, low = self._bus.read_i2c_block_data(self._address, self._RESULT, 2)
        except OSError as error:
            raise self._lost(error) from error
        counts = (high << 8 | low) - ((high & 0x80) << 9)  # Near ground noise makes it negative.
        return min(255, max(0, counts * 256 // ADS1115_SUPPLY_COUNTS))

    def close(self) -> None:
        """Let go of the bus."""
        self._bus.close()

    def _lost(self, error: OSError) -> HardwareError:
        address = f"{self._address:#x}"
        return HardwareError(
            Said("the ADS1115 at address {address} does not answer: {error}", address=address, error=str(error))
        )


class AdcBank:
    """The sensors of a board behind converters."""

    def __init__(
        self,
        converters: Sequence[Converter],
        channels: int,
        kind: str,
        *,
        lines: SelectLines | None = None,
        threshold: int = 16,
        measured: Mapping[int, NodeLevels] = _NOTHING,
        let_go: Callable[[], None] = lambda: None,
    ) -> None:
        """Without ``lines`` (the multiplexers' select lines) each channel has an ADC input of its own.

        ``measured`` tells of channels that rest elsewhere than at 128, or lie face down.
        """
        self.channels = channels
        self.kind = kind
        self._converters, self._lines = list(converters), lines
        self._threshold, self._let_go = threshold, let_go
        self._rests = [measured[at].rest if at in measured else NO_FIELD for at in range(channels)]
        self._north = [-1 if at in measured and measured[at].north < measured[at].rest else 1 for at in range(channels)]
        """Which way north up moves each channel."""
        self._told = [0] * channels
        width = CHANNELS_4067 if lines is not None else 1
        each = self._converters[0].inputs
        self._batches: list[list[list[tuple[Converter, int]]]] = [[] for _ in range(width)]
        """For each channel of the multiplexers: what converters measure at once, each with the board's channel."""
        for channel in range(width):
            for index in range(each):
                batch = [
                    (converter, wired)
                    for number, converter in enumerate(self._converters)
                    if (wired := (number * each + index) * width + channel) < channels
                ]
                self._batches[channel].append(batch)

    def scan(self) -> Sequence[int]:
        """Measure every sensor. Raise HardwareError when a chip does not answer."""
        levels = [0] * self.channels
        steps: Iterable[int] = (0,) if self._lines is None else self._lines.walk()
        for channel in steps:
            for index, batch in enumerate(self._batches[channel]):
                for converter, _ in batch:
                    converter.start(index)
                for converter, wired in batch:
                    levels[wired] = converter.level()
        if self.kind == "level":
            return levels
        self._told = [self._tell(*each) for each in zip(levels, self._rests, self._north, self._told, strict=True)]
        return self._told

    def close(self) -> None:
        """Let go of buses and pins."""
        for converter in self._converters:
            converter.close()
        self._let_go()

    def _tell(self, level: int, rest: int, north: int, before: int) -> int:
        away = (level - rest) * north
        if abs(away) < self._threshold - (HYSTERESIS if before else 0):
            return 0
        return 1 if away > 0 or self.kind == "presence" else 2
