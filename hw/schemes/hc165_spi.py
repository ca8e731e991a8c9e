"""``74hc165-spi``: a chain of 74HC165 shift registers read by a Pi's SPI bus.

This is the best choice on a Pi 5, where single pins are slow.

QH of the first chip goes to MISO, CLK to SCLK, SH/LD to a separate pin, CLK INH to ground; MOSI and the chip select
stay free. In mode 0 the bus samples MISO at the rising clock edge, and the chips shift a few nanoseconds after it. So
the first bit is the level at QH before any clock. Inputs are numbered as in :mod:`hw.schemes.hc165`.

GPIO calls per scan of any number of inputs: 2 to latch (load low, load high), and one SPI transfer of n bits rounded up
to bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import GROUND, Circuit
from hw.pins import EXAMPLES, Options, Pins, number, single
from hw.ports import BoardDescription, HardwareError, Message
from hw.scheme import POLES, SPI, SPI_ON, Option, PinBank, count
from hw.schemes.hc165 import CHIP, Chain, chain_circuit, chain_notes


class SpiShiftRegisterBank(PinBank):
    """``load`` is SH/LD; all other signals belong to the bus."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open the bus, and set ``load`` up."""
        super().__init__(board, computer)
        self._spi = computer.spi(*(number(board.options, name) for name in ("spi_bus", "spi_device", "spi_hz")))
        self._load = single(board.pins, "load")
        self._gpio.setup(self._load, self._gpio.OUT, initial=self._gpio.HIGH)

    def read_switches(self) -> Sequence[int]:
        """Latch all inputs at one instant and read them in one transfer. Raise HardwareError when the bus fails."""
        self._gpio.output(self._load, self._gpio.LOW)
        self._gpio.output(self._load, self._gpio.HIGH)
        try:
            answer = self._spi.xfer2([0] * count(self._inputs, CHIP.inputs))
        except OSError as error:
            raise HardwareError(
                Message("the SPI bus of the shift registers fails: {error}", error=str(error))
            ) from error
        return [1 - (byte >> bit & 1) for byte in answer for bit in range(7, -1, -1)][: self._inputs]

    def close(self) -> None:
        """Close the bus and release the pin."""
        self._spi.close()
        super().close()


class ShiftRegisterSpi(Chain):
    """A chain on an SPI bus."""

    name = "74hc165-spi"
    bank = SpiShiftRegisterBank
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
        f"to pin 2. The bus's MISO comes from {chain_notes()}"
    )

    setup = SPI_ON

    def example(self, inputs: int) -> Pins:
        return {"load": EXAMPLES[0]}

    def circuit(self, board: BoardDescription) -> Circuit:
        bus = f"SPI {number(board.options, 'spi_bus')}'s"
        wires = {"load": "load", "inhibit": GROUND, "clock": f"{bus} clock", "data": f"{bus} MISO"}
        return chain_circuit(board, self.inputs_of(board), wires)

    def bus_pins(self, options: Options) -> dict[str, int]:  # A chain receives no data: MOSI stays free.
        return {what: pin for what, pin in super().bus_pins(options).items() if not what.endswith("MOSI")}


SCHEME = ShiftRegisterSpi()
