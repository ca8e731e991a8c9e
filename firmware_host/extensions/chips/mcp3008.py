"""``mcp3008``: linear hall sensors read by MCP3008 converters on a Pi's SPI bus (see :mod:`firmware_host.link.adc`).

Cost of a scan of n inputs: n transfers of 3 bytes; with multiplexers also a walk (see
:mod:`firmware_host.link.multiplexer`).
"""

from __future__ import annotations

from typing import ClassVar

from firmware_host.link.adc import MULTIPLEXER_NOTES, AdcScheme, Converter
from firmware_host.link.multiplexer import SETTLE
from hw.buses import Computer, Spi
from hw.circuit import GROUND, RESISTOR, V33, Circuit, Pin, Pole
from hw.pins import Options, number
from hw.ports import BoardDescription, HardwareError, Message
from hw.scheme import SPI, SPI_ON, Option, clock_notes

INPUTS = 8
SELECTS = 2
"""Maximum number of chips on one bus, which has the chip selects 0 and 1."""


class Mcp3008:
    """Ten bits, eight inputs, on SPI in mode 0: a command of start bit and input, then the bits, highest first."""

    inputs = INPUTS

    def __init__(self, spi: Spi, name: str = "MCP3008") -> None:
        """``spi`` is open; ``name`` is for messages."""
        self._spi, self._name = spi, name
        self._index = 0

    def start(self, index: int) -> None:
        """Store the input: the chip samples during the transfer that reads it."""
        self._index = index

    def level(self) -> int:
        """Return the level of the stored input, 0 to 255. Raise HardwareError when the bus fails."""
        try:
            answer = self._spi.xfer2([1, 0x80 | self._index << 4, 0])
        except OSError as error:
            raise HardwareError(Message("{part} can't be read: {error}", part=self._name, error=str(error))) from error
        return ((answer[1] & 3) << 8 | answer[2]) >> 2

    def close(self) -> None:
        """Close the bus."""
        self._spi.close()


class Mcp3008Scheme(AdcScheme):
    """MCP3008 converters on an SPI bus."""

    name = "mcp3008"
    about = "linear hall sensors behind CD74HC4067, read by an MCP3008 on a Pi's SPI bus"
    options: ClassVar = {**SPI, "spi_hz": Option(1_000_000, 10_000, 1_350_000, "_"), "settle_us": SETTLE}
    comments: ClassVar = {
        **AdcScheme.comments,
        "spi_bus": "DOUT to MISO (GPIO 9), DIN to MOSI (GPIO 10), CLK to SCLK (GPIO 11)",
        "spi_device": "CS to CE0 (GPIO 8)",
    }
    notes = (
        "Each MCP3008: pins 16 and 15 (VDD, VREF) to 3.3 V with 100 nF to pin 14, pins 9 and 14 to ground, pins 13, "
        f"11, 12, 10 (CLK, DIN, DOUT, CS) to the bus's clock, MOSI, MISO and select. {clock_notes()} "
        f"{MULTIPLEXER_NOTES}"
    )
    setup = SPI_ON
    converter, each, called_input = "MCP3008", INPUTS, "CH"

    def converters(self, board: BoardDescription, computer: Computer, chips: int) -> list[Converter]:
        bus, device, hertz = (number(board.options, name) for name in ("spi_bus", "spi_device", "spi_hz"))
        return [
            Mcp3008(computer.spi(bus, select, hertz), f"the MCP3008 at /dev/spidev{bus}.{select}")
            for select in range(device, device + chips)
        ]

    def circuit(self, board: BoardDescription) -> Circuit:
        clock = f"SPI {number(board.options, 'spi_bus')}'s clock"
        return super().circuit(board) + Circuit((), (Pole(RESISTOR, "47R", "CLK", clock),))

    # Currents: Microchip MCP3008, IDD and IREF at most. VREF is the sensors' own supply, with which their output goes.
    def converter_pins(self, board: BoardDescription, chip: int) -> tuple[Pin, ...]:
        bus, select = f"SPI {number(board.options, 'spi_bus')}'s", number(board.options, "spi_device") + chip
        return (
            Pin("16", "VDD", V33, takes_ma=0.55),
            Pin("15", "VREF", V33, takes_ma=0.15),
            Pin("14", "AGND", GROUND),
            Pin("13", "CLK", "CLK"),
            Pin("12", "DOUT", f"{bus} MISO", out=True),
            Pin("11", "DIN", f"{bus} MOSI"),
            Pin("10", "CS", f"{bus} select {select}"),
            Pin("9", "DGND", GROUND),
        )

    def input_pin(self, index: int) -> str:
        return str(1 + index)

    def most_chips(self, options: Options) -> int:
        return SELECTS - number(options, "spi_device")


SCHEME = Mcp3008Scheme()
