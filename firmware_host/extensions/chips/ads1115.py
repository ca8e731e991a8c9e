"""``ads1115``: linear hall sensors read by ADS1115 converters on a Pi's I2C bus (see :mod:`firmware_host.link.adc`).

Cost of a scan of n inputs: n conversions of 1.2 ms, with all chips converting at the same time, and at least 3 I2C
messages for each; with multiplexers also a walk (see :mod:`firmware_host.link.multiplexer`).
"""

from __future__ import annotations

from typing import ClassVar

from firmware_host.extensions.chips.i2c import SETUP, length_words
from firmware_host.link.adc import MULTIPLEXER_NOTES, AdcScheme, Converter
from firmware_host.link.multiplexer import SETTLE
from hw.buses import I2C_HZ, Computer, I2c, WaitUs
from hw.circuit import GROUND, OPEN, V33, Pin
from hw.pins import Options, number
from hw.ports import BoardDescription, HardwareError, Message
from hw.scheme import Option

INPUTS = 4
ADDRESSES = range(0x48, 0x4C)
USUAL_BUS_HZ = 100_000
"""Clock of a Pi's I2C bus, Hz, if nobody sets it."""
SUPPLY_COUNTS = 26_400
"""Result for 3.3 V, with a full scale of 32,768 for 4.096 V."""
CONVERSION_US = 1250
"""Wait before the first look at a conversion, which takes at most 1.28 ms (860 per second, 10 % slow)."""
TALK_BITS = 38 + 48 + 48
"""Bits on the bus per reading: configuration written and read, result read; nine bits a byte, starts and stops."""
LATE_US = 100
"""Overhead of Linux per reading, µs."""
LOOKS = 40
"""Maximum number of looks at a conversion, each 0.1 ms or more, before the chip counts as faulty."""


def readings_a_second(bus_hz: int) -> int:
    """Return the readings per second of one chip on a bus with this clock."""
    return round(1e6 / (CONVERSION_US + LATE_US + TALK_BITS * 1e6 / bus_hz))


class Ads1115:
    """Sixteen bits, four inputs, on I2C; single conversions at the highest rate, full scale 4.096 V."""

    inputs = INPUTS
    _RESULT, _CONFIG = 0, 1

    def __init__(self, bus: I2c, address: int, wait_us: WaitUs) -> None:
        """``bus`` is open and shared with the other chips; ``address`` is 0x48 to 0x4B."""
        self._bus, self._address, self._wait_us = bus, address, wait_us

    def start(self, index: int) -> None:
        """Start one conversion of an input against ground. Raise HardwareError when the chip does not answer."""
        high = 0x80 | (4 + index) << 4 | 0x02 | 0x01  # start; input; full scale 4.096 V; one conversion
        low = 0xE0 | 0x03  # 860 a second; comparator off
        try:
            self._bus.write_i2c_block_data(self._address, self._CONFIG, [high, low])
        except OSError as error:
            raise self._no_answer(error) from error

    def level(self) -> int:
        """Wait for the conversion to end; return its level, 0 to 255. Raise HardwareError when the chip fails."""
        self._wait_us(CONVERSION_US)
        try:
            for _ in range(LOOKS):
                if self._bus.read_i2c_block_data(self._address, self._CONFIG, 2)[0] & 0x80:
                    break
                self._wait_us(100)
            else:
                raise HardwareError(
                    Message(
                        "the ADS1115 at address {address} does not finish its conversion", address=f"{self._address:#x}"
                    )
                )
            high, low = self._bus.read_i2c_block_data(self._address, self._RESULT, 2)
        except OSError as error:
            raise self._no_answer(error) from error
        counts = (high << 8 | low) - ((high & 0x80) << 9)  # Noise near ground gives negative results.
        return min(255, max(0, counts * 256 // SUPPLY_COUNTS))

    def close(self) -> None:
        """Close the bus."""
        self._bus.close()

    def _no_answer(self, error: OSError) -> HardwareError:
        address = f"{self._address:#x}"
        return HardwareError(
            Message("the ADS1115 at address {address} does not answer: {error}", address=address, error=str(error))
        )


class Ads1115Scheme(AdcScheme):
    """ADS1115 converters on an I2C bus."""

    name = "ads1115"
    about = "linear hall sensors behind CD74HC4067, read by an ADS1115 on a Pi's I2C bus (slow: 1.2 ms a sensor)"
    options: ClassVar = {
        "i2c_bus": Option(1, 0, 1),
        "address": Option(ADDRESSES[0], ADDRESSES[0], ADDRESSES[-1], "#x"),
        "settle_us": SETTLE,
    }
    comments: ClassVar = {
        **AdcScheme.comments,
        "scan_hz": "the chip makes no more",
        "i2c_bus": "SDA to GPIO 2, SCL to GPIO 3",
        "address": "ADDR to ground",
    }
    notes = (
        "Each ADS1115: VDD to 3.3 V with 100 nF to GND, SDA and SCL to the bus, ADDR to GND, VDD, SDA or SCL for the "
        f"addresses 0x48 to 0x4b. {MULTIPLEXER_NOTES}"
    )
    own_reference = (
        "An ADS1115 measures against a reference of its own, not against its supply, which the output of a linear "
        "sensor follows: a supply that is 1 % lower makes each reading 1 % lower. So feed chip and sensors from the "
        "same 3.3 V, and calibrate with the supply that you play with, again whenever it has changed."
    )
    setup = (
        f"{SETUP} One chip gives {readings_a_second(I2C_HZ)} readings a second then, and "
        f"{readings_a_second(USUAL_BUS_HZ)} at the usual 100 kHz: `scan_hz` must fit."
    )
    converter, each, called_input = "ADS1115", INPUTS, "AIN"

    def converters(self, board: BoardDescription, computer: Computer, chips: int) -> list[Converter]:
        bus, first = computer.i2c(number(board.options, "i2c_bus")), number(board.options, "address")
        return [Ads1115(bus, address, computer.wait_us) for address in range(first, first + chips)]

    def converter_pins(self, board: BoardDescription, chip: int) -> tuple[Pin, ...]:
        bus = f"I2C {number(board.options, 'i2c_bus')}'s"
        address = number(board.options, "address") + chip - ADDRESSES[0]
        return (
            Pin("8", "VDD", V33, takes_ma=0.3),  # TI ADS1115: 300 µA over all temperatures.
            Pin("3", "GND", GROUND),
            Pin("9", "SDA", f"{bus} SDA", out=True),
            Pin("10", "SCL", f"{bus} SCL"),
            Pin("1", "ADDR", (GROUND, V33, f"{bus} SDA", f"{bus} SCL")[address]),
            Pin("2", "ALERT", OPEN),
        )

    def input_pin(self, index: int) -> str:
        return str(4 + index)

    def notes_of(self, board: BoardDescription) -> str:
        return f"{self.notes}\n\n{self.own_reference}\n\n{length_words(self._chips(board))}"

    def most_chips(self, options: Options) -> int:
        return ADDRESSES[-1] - number(options, "address") + 1

    def most_scans(self, inputs: int) -> int:
        return max(1, readings_a_second(I2C_HZ) // inputs)


SCHEME = Ads1115Scheme()
