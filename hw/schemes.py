"""The ways to wire sensors: for each scheme its pins, its options, what it can feel and how many inputs it takes.

Inputs are numbered in channel order: with kind ``polarity`` channel c of a scheme of switches has the inputs 2c (closes
for north up) and 2c + 1 (south up), else channel c is input c. Where an input is soldered to:

=============== =================================================================================================
scheme          input i
=============== =================================================================================================
74hc165, -spi   D7 to D0 of the first chip are inputs 0 to 7, the next chip has inputs 8 to 15
4067            channel i % 16 of multiplexer i // 16
matrix          row i // columns, column i % columns
direct          the i-th pin
mcp3008         with select pins channel i % 16 of the multiplexer before ADC input i // 16, else ADC input i
ads1115         the same; the ADC's inputs are those of the first chip, then those of the chip at the next address
serial          as the scanner's own configuration says
=============== =================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SWITCHES = ("presence", "polarity")
EVERY_KIND = ("presence", "polarity", "level")
CHANNELS_4067 = 16
MCP3008_INPUTS = 8
MCP3008_MOST = 2
"""How many MCP3008 fit on one bus: it has two chip selects, 0 and 1."""
ADS1115_INPUTS = 4
ADS1115_ADDRESSES = range(0x48, 0x4C)
ADS1115_RATE = 600
"""Readings a second of ADS1115 chips: 860 conversions (datasheet), less what the talk over a 400 kHz bus takes."""
SPI_PINS: Mapping[int, Mapping[str, int]] = MappingProxyType(
    {
        0: MappingProxyType({"clock": 11, "MOSI": 10, "MISO": 9, "select 0": 8, "select 1": 7}),
        1: MappingProxyType({"clock": 21, "MOSI": 20, "MISO": 19, "select 0": 18, "select 1": 17}),
    }
)
"""The pins (BCM numbers) of a Pi's SPI buses."""
I2C_PINS: Mapping[int, Mapping[str, int]] = MappingProxyType(
    {0: MappingProxyType({"SDA": 0, "SCL": 1}), 1: MappingProxyType({"SDA": 2, "SCL": 3})}
)

Pins = Mapping[str, int | tuple[int, ...]]
OptionValue = int | float | str
Options = Mapping[str, OptionValue]


@dataclass(frozen=True)
class PinList:
    """A list of pins: its shortest and longest length."""

    least: int
    most: int
    needed: bool = True


@dataclass(frozen=True)
class Option:
    """A setting of a scheme: what it is unless the board file says otherwise, and (numbers) its bounds."""

    default: OptionValue
    low: int = 0
    high: int = 0


@dataclass(frozen=True)
class Scheme:
    """What a board file may and must say for a scheme."""

    kinds: tuple[str, ...]
    pins: tuple[str, ...] = ()
    """Single pins that must be given."""
    spare_pins: tuple[str, ...] = ()
    """Single pins that may be given."""
    lists: Mapping[str, PinList] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)

    @property
    def has_pins(self) -> bool:
        """Tell whether anything hangs on the Pi's own pins."""
        return bool(self.pins or self.spare_pins or self.lists)


_SELECT = PinList(4, 4)
_SPI = {"spi_bus": Option(0, 0, 1), "spi_device": Option(0, 0, 1)}
_SETTLE = Option(10, 5, 1000)
"""Microseconds; a pulled-up line of 100 pF takes 5 to rise through 50 kΩ."""

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "74hc165": Scheme(SWITCHES, ("load", "clock", "data"), ("inhibit",)),
        "74hc165-spi": Scheme(SWITCHES, ("load",), options={**_SPI, "spi_hz": Option(1_000_000, 10_000, 10_000_000)}),
        "4067": Scheme(
            SWITCHES,
            spare_pins=("enable",),
            lists={"select": _SELECT, "common": PinList(1, 20)},
            options={"settle_us": _SETTLE},
        ),
        "matrix": Scheme(
            SWITCHES, lists={"rows": PinList(1, 26), "columns": PinList(1, 26)}, options={"settle_us": _SETTLE}
        ),
        "direct": Scheme(SWITCHES, lists={"inputs": PinList(1, 27)}),
        "mcp3008": Scheme(
            EVERY_KIND,
            lists={"select": PinList(4, 4, needed=False)},
            options={**_SPI, "spi_hz": Option(1_000_000, 10_000, 1_350_000), "settle_us": _SETTLE},
        ),
        "ads1115": Scheme(
            EVERY_KIND,
            lists={"select": PinList(4, 4, needed=False)},
            options={
                "i2c_bus": Option(1, 0, 1),
                "address": Option(ADS1115_ADDRESSES[0], ADS1115_ADDRESSES[0], ADS1115_ADDRESSES[-1]),
                "settle_us": _SETTLE,
            },
        ),
        "serial": Scheme(EVERY_KIND, options={"device": Option("/dev/ttyACM0"), "baud": Option(115200, 1200, 4000000)}),
    }
)


def inputs_of(scheme: str, kind: str, channels: int) -> int:
    """Return how many inputs so many channels take: two each where a switch for each pole tells polarity."""
    return channels * (2 if kind == "polarity" and "level" not in SCHEMES[scheme].kinds else 1)


def listed(pins: Pins, name: str) -> tuple[int, ...]:
    """Return a list of pins by its name, empty where there is none."""
    value = pins.get(name, ())
    return (value,) if isinstance(value, int) else value


def single(pins: Pins, name: str) -> int:
    """Return a single pin. Raise KeyError or ValueError where the board file should have been refused."""
    value = pins[name]
    if not isinstance(value, int):
        raise ValueError(f"{name}: expected one pin, got {value!r}")
    return value


def number(options: Options, name: str) -> int:
    """Return a numeric option. Raise KeyError or ValueError where the board file should have been refused."""
    value = options[name]
    if not isinstance(value, int):
        raise ValueError(f"{name}: expected a whole number, got {value!r}")
    return value


def bus_pins(scheme: str, options: Options) -> dict[str, int]:
    """Return the pins that a scheme takes by its bus, each by what it is: ``SPI 0's clock`` → 11."""
    found: dict[str, int] = {}
    if "spi_bus" in options:
        bus, device = number(options, "spi_bus"), number(options, "spi_device")
        other = f"select {1 - device}"
        found |= {f"SPI {bus}'s {what}": pin for what, pin in SPI_PINS[bus].items() if what != other}
        if scheme == "74hc165-spi":  # A chain listens to no chip select and says nothing to it; MOSI stays free, too.
            found.pop(f"SPI {bus}'s MOSI")
    if "i2c_bus" in options:
        bus = number(options, "i2c_bus")
        found |= {f"I2C {bus}'s {what}": pin for what, pin in I2C_PINS[bus].items()}
    return found


def misfit(scheme: str, pins: Pins, options: Options, inputs: int) -> str | None:
    """Tell why so many inputs can't hang on these pins, with what was expected; None when they can."""
    if scheme == "4067":
        needed, found = _chips(inputs, CHANNELS_4067), len(listed(pins, "common"))
        if needed != found:
            return f"common: {inputs} inputs take {needed} multiplexers of 16, expected {needed} pins here, got {found}"
    elif scheme == "matrix":
        rows, columns = len(listed(pins, "rows")), len(listed(pins, "columns"))
        if rows * columns < inputs:
            return f"rows: {rows} rows of {columns} columns hold {rows * columns} inputs, expected {inputs} or more"
        if (rows - 1) * columns >= inputs:
            return f"rows: {inputs} inputs fill {_chips(inputs, columns)} rows of {columns}, got {rows} rows"
    elif scheme == "direct" and len(listed(pins, "inputs")) != inputs:
        return f"inputs: expected {inputs} pins, one for each input, got {len(listed(pins, 'inputs'))}"
    elif scheme in {"mcp3008", "ads1115"}:
        most = _adc_inputs(scheme, options) * (CHANNELS_4067 if listed(pins, "select") else 1)
        if inputs > most:
            by = "through multiplexers" if listed(pins, "select") else "without multiplexers (select)"
            return f"scheme: expected at most {most} nodes on the ADC chips of this bus {by}, got {inputs}"
    return None


def fastest(scheme: str, inputs: int) -> int | None:
    """Return how many scans a second the parts allow at most; None when they do not set the limit."""
    return max(1, ADS1115_RATE // inputs) if scheme == "ads1115" and inputs else None


def _adc_inputs(scheme: str, options: Options) -> int:
    if scheme == "mcp3008":
        return MCP3008_INPUTS * (MCP3008_MOST - number(options, "spi_device"))
    return ADS1115_INPUTS * (ADS1115_ADDRESSES[-1] - number(options, "address") + 1)


def _chips(inputs: int, each: int) -> int:
    return -(-inputs // each)
