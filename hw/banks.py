"""From a board's scheme to the driver of its sensors: one table, the same for a Pi's parts and for simulated ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from hw.adc import AdcBank, Ads1115, Converter, Mcp3008
from hw.buses import Parts
from hw.direct import DirectBank
from hw.matrix import MatrixBank
from hw.multiplexer import MultiplexerBank, SelectLines
from hw.ports import BoardDescription, HardwareError, SensorBank
from hw.schemes import (
    ADS1115_INPUTS,
    CHANNELS_4067,
    MCP3008_INPUTS,
    SCHEMES,
    listed,
    misfit,
    number,
    single,
)
from hw.serial_scanner import open_scanner
from hw.shift_register import ShiftRegisterBank
from hw.shift_register_spi import SpiShiftRegisterBank


def _shift_register(board: BoardDescription, parts: Parts) -> SensorBank:
    pins = {name: single(board.pins, name) for name in board.pins}
    return ShiftRegisterBank(parts.gpio(), pins, board.channels, board.feels)


def _shift_register_spi(board: BoardDescription, parts: Parts) -> SensorBank:
    gpio = parts.gpio()
    bus, device, hertz = (number(board.options, name) for name in ("spi_bus", "spi_device", "spi_hz"))
    spi = parts.spi(bus, device, hertz)
    return SpiShiftRegisterBank(gpio, spi, single(board.pins, "load"), board.channels, board.feels)


def _multiplexer(board: BoardDescription, parts: Parts) -> SensorBank:
    return MultiplexerBank(
        parts.gpio(),
        listed(board.pins, "select"),
        listed(board.pins, "common"),
        board.channels,
        board.feels,
        wait_us=parts.wait_us,
        settle_us=number(board.options, "settle_us"),
        enable=single(board.pins, "enable") if "enable" in board.pins else None,
    )


def _matrix(board: BoardDescription, parts: Parts) -> SensorBank:
    return MatrixBank(
        parts.gpio(),
        listed(board.pins, "rows"),
        listed(board.pins, "columns"),
        board.channels,
        board.feels,
        wait_us=parts.wait_us,
        settle_us=number(board.options, "settle_us"),
    )


def _direct(board: BoardDescription, parts: Parts) -> SensorBank:
    return DirectBank(parts.gpio(), listed(board.pins, "inputs"), board.channels, board.feels)


def _mcp3008(board: BoardDescription, parts: Parts) -> SensorBank:
    bus, device, hertz = (number(board.options, name) for name in ("spi_bus", "spi_device", "spi_hz"))
    chips = [
        Mcp3008(parts.spi(bus, select, hertz), f"the MCP3008 at /dev/spidev{bus}.{select}")
        for select in range(device, device + _chips(board, MCP3008_INPUTS))
    ]
    return _adc(board, parts, chips)


def _ads1115(board: BoardDescription, parts: Parts) -> SensorBank:
    bus, first = parts.i2c(number(board.options, "i2c_bus")), number(board.options, "address")
    addresses = range(first, first + _chips(board, ADS1115_INPUTS))
    return _adc(board, parts, [Ads1115(bus, address, parts.wait_us) for address in addresses])


def _serial(board: BoardDescription, _parts: Parts) -> SensorBank:
    return open_scanner(board)


def _chips(board: BoardDescription, inputs: int) -> int:
    """Return how many converters of so many inputs the board has."""
    each = inputs * (CHANNELS_4067 if "select" in board.pins else 1)
    return -(-board.channels // each)


def _adc(board: BoardDescription, parts: Parts, converters: Sequence[Converter]) -> AdcBank:
    measured = {board.nodes[name].channel: levels for name, levels in board.calibration.items()}
    open_bank_of = partial(
        AdcBank, converters, board.channels, board.feels, threshold=board.bands.rest, measured=measured
    )
    if "select" not in board.pins:
        return open_bank_of()
    gpio, select = parts.gpio(), listed(board.pins, "select")
    lines = SelectLines(gpio, select, board.channels, parts.wait_us, number(board.options, "settle_us"))
    return open_bank_of(lines=lines, let_go=lambda: gpio.cleanup(list(select)))


OPENERS: Mapping[str, Callable[[BoardDescription, Parts], SensorBank]] = MappingProxyType(
    {
        "74hc165": _shift_register,
        "74hc165-spi": _shift_register_spi,
        "4067": _multiplexer,
        "matrix": _matrix,
        "direct": _direct,
        "mcp3008": _mcp3008,
        "ads1115": _ads1115,
        "serial": _serial,
    }
)
"""For each scheme: what opens its sensors."""


def open_bank(board: BoardDescription, parts: Parts) -> SensorBank:
    """Open the sensors of a board. Raise HardwareError when its wiring can't carry them, or a part can't be opened."""
    opener = OPENERS.get(board.scheme)
    if opener is None:
        raise HardwareError(f"{board.name}: scheme: expected one of {', '.join(OPENERS)}, got {board.scheme!r}")
    kinds = SCHEMES[board.scheme].kinds
    if board.feels not in kinds:
        raise HardwareError(
            f"{board.name}: scheme {board.scheme} can't read kind {board.kind}; use {' or '.join(kinds)}"
        )
    why = misfit(board.scheme, board.pins, board.options, board.inputs)
    if why is not None:
        raise HardwareError(f"{board.name}: {why}")
    return opener(board, parts)
