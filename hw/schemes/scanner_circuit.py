"""A scanner's microcontroller in a circuit and a table: its pins in use, its supply, and its line to the Pi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from hw.circuit import DIODE, GROUND, USB, V5_PI, V5_SCANNER, V33, Block, Circuit, Pin, Pole, pin_net
from hw.pins import HEADER, listed
from hw.schemes.scanner_config import Plan

TXD, RXD = "UART's TXD", "UART's RXD"
UART_PINS: Mapping[str, int] = MappingProxyType({TXD: 14, RXD: 15})
"""Net of the Pi's UART → its pin (BCM)."""
FED = "5 V behind the diode"


def with_microcontroller(plan: Plan, chips: Circuit) -> Circuit:
    """Return chips, drawn at 3.3 V, with the microcontroller: its pins in use, its supply, and its line to the Pi.

    Its pin that feeds others is drawn only if a chip or sensor has a supply.
    """
    machine = plan.machine
    signals = tuple(Pin(machine.leg(pin), machine.printed(pin), net) for net, pin in _signals(plan))
    supply = V5_SCANNER if machine.volts > 3.3 else V33
    right = [Pin(*machine.feeds, supply)] if V33 in chips.nets else []
    right += [Pin(machine.ground, "GND", GROUND), Pin(*machine.fed, FED) if plan.uart else Pin("USB", "to the Pi", USB)]
    diodes = (Pole(DIODE, "1N5817", V5_PI, FED),) if plan.uart else ()
    own = Circuit((Block("scanner", machine.title, signals, tuple(right)),), diodes)
    return own + chips.renamed({V33: supply})


def _signals(plan: Plan) -> Iterator[tuple[str, int]]:
    """Yield net and pin of each wire: those to the chips, then those of the serial port."""
    for name, value in plan.pins.items():
        for at, pin in enumerate(listed(plan.pins, name)):
            yield pin_net(name, None if isinstance(value, int) else at), pin
    if plan.uart is not None:
        yield RXD, plan.uart.sends
        yield TXD, plan.uart.receives


def own_rows(plan: Plan, chips: Circuit) -> Sequence[tuple[str, str, str]]:
    """Return leg, printed name and destination of every pin in use."""
    machine = plan.machine
    rows = [(machine.leg(pin), machine.printed(pin), _goes_to(net)) for net, pin in _signals(plan)]
    if V33 in chips.nets:
        rows.append((*machine.feeds, f"{machine.volts:g} V of the chips and sensors, {machine.feeds_ma} mA at most"))
    rows.append((machine.ground, "GND", "ground of the chips and sensors" + (", and the Pi's" if plan.uart else "")))
    if plan.uart:
        rows.append((*machine.fed, "the ring (cathode) of a Schottky diode from the Pi's 5 V (pin 2)"))
    else:
        rows.append(("", "USB", "the Pi: readings, and 5 V for all of this"))
    return rows


def _goes_to(net: str) -> str:
    if net in UART_PINS:
        return f"the Pi's GPIO {UART_PINS[net]} (pin {HEADER[UART_PINS[net]]})"
    return f"sensors: {net}"
