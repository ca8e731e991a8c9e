"""``74hc165-spi``: a chain of 74HC165 shift registers read by a Pi's SPI bus.

The way to go on a Pi 5, where single pins are slow.

QH of the first chip goes to MISO, CLK to SCLK, SH/LD to a pin of its own, CLK INH to ground; MOSI and the chip select
stay free. In mode 0 the bus looks at MISO as the clock rises, and the chips shift a few nanoseconds after that edge, so
that the first bit is the one that stands at QH before any clock. Inputs are numbered as with
:mod:`hw.schemes.hc165`.

GPIO calls a scan: 2 to latch (load low, load high) whatever the number of inputs, and one SPI transfer of n bits
rounded up to bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import TRANSFER_MS, Computer, Spi
from hw.gpio import Gpio
from hw.pins import EXAMPLES, Options, Pins, number, single
from hw.ports import BoardDescription, HardwareError, Message
from hw.scheme import POLES, SPI, Option
from hw.schemes.hc165 import CHAIN_NOTES, CHIP_INPUTS, Chain
from hw.switches import inputs_of, readings


class SpiShiftRegisterBank:
    """The sensors of a board behind 74HC165 chips. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(self, gpio: Gpio, spi: Spi, load: int, channels: int, kind: str) -> None:
        """Set ``load`` (SH/LD) up; ``spi`` is opened already, in mode 0."""
        self.channels = channels
        self.kind = kind
        self._gpio, self._spi, self._load = gpio, spi, load
        self._inputs = inputs_of(channels, kind)
        self._bytes = -(-self._inputs // CHIP_INPUTS)
        gpio.setup(load, gpio.OUT, initial=gpio.HIGH)

    def scan(self) -> Sequence[int]:
        """Latch all inputs at one instant and take them in at one go. Raise HardwareError when the bus fails."""
        self._gpio.output(self._load, self._gpio.LOW)
        self._gpio.output(self._load, self._gpio.HIGH)
        try:
            answer = self._spi.xfer2([0] * self._bytes)
        except OSError as error:
            raise HardwareError(
                Message("the SPI bus of the shift registers fails: {error}", error=str(error))
            ) from error
        closed = [1 - (byte >> bit & 1) for byte in answer for bit in range(7, -1, -1)]
        return readings(closed[: self._inputs], self.kind)

    def close(self) -> None:
        """Let go of the bus and the pin."""
        self._spi.close()
        self._gpio.cleanup([self._load])


class ShiftRegisterSpi(Chain):
    """The chain on a bus."""

    name = "74hc165-spi"
    about = "reed or hall switches behind a chain of 74HC165 on a Pi's SPI bus (a Pi 5's fastest way)"
    pins = ("load",)
    options: ClassVar = {**SPI, "spi_hz": Option(1_000_000, 10_000, 10_000_000, "_")}
    comments: ClassVar = {
        "scheme": "QH to MISO (GPIO 9), CLK to SCLK (GPIO 11), CLK INH to ground",
        "kind": POLES,
        "spi_device": "nothing hangs on the chip select",
        "pins": "BCM number of SH/LD",
    }
    notes = (
        "Each 74HC165: pin 16 to 3.3 V with 100 nF to pin 8, pins 8 and 15 to ground, `load` to pin 1, the bus's clock "
        f"to pin 2. The bus's MISO comes from {CHAIN_NOTES}"
    )

    def open(self, board: BoardDescription, computer: Computer) -> SpiShiftRegisterBank:
        """Set the pin up and open the bus."""
        gpio = computer.gpio()
        spi = computer.spi(*(number(board.options, name) for name in ("spi_bus", "spi_device", "spi_hz")))
        return SpiShiftRegisterBank(gpio, spi, single(board.pins, "load"), board.channels, board.feels)

    def example(self, inputs: int) -> Pins:  # noqa: ARG002
        """One pin carries any number."""
        return {"load": EXAMPLES[0]}

    def bus_pins(self, options: Options) -> dict[str, int]:
        """A chain listens to no chip select and to no data; MOSI stays free."""
        return {what: pin for what, pin in super().bus_pins(options).items() if not what.endswith("MOSI")}

    def gpio_calls(self, board: BoardDescription) -> int:  # noqa: ARG002
        """Load low, load high."""
        return 2

    def wait_ms(self, board: BoardDescription) -> float:
        """One transfer."""
        return TRANSFER_MS + 1000 * self.inputs_of(board) / number(board.options, "spi_hz")


SCHEME = ShiftRegisterSpi()
