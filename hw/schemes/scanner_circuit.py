"""A scanner's microcontroller in a circuit and a table: its pins in use, its supply, and its line to the Pi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from hw.circuit import (
    DIODE,
    GROUND,
    USB,
    V5,
    V5_PI,
    V5_SCANNER,
    V33,
    V33_OWN,
    V33_SCANNER,
    Block,
    Circuit,
    Pin,
    Pole,
    pin_net,
)
from hw.microcontrollers import MICROCONTROLLERS, Microcontroller
from hw.pins import HEADER, listed
from hw.regulator import feed_for, regulated
from hw.schemes.scanner_config import ConfigError, Plan

TXD, RXD = "UART's TXD", "UART's RXD"
UART_PINS: Mapping[str, int] = MappingProxyType({TXD: 14, RXD: 15})
"""Net of the Pi's UART → its pin (BCM)."""
FED = "5 V behind the diode"
DIODE_MA = 1000.0
"""Rating of a 1N5817."""
REFERENCE_MA = 17.0
"""What a Pico's ADC_VREF takes at most: 3.3 V over the 200 Ω to its own 3.3 V, while that is off."""
SCANNER = "scanner"


def with_microcontroller(plan: Plan, chips: Circuit, *, measured: bool) -> Circuit:
    """Return chips, drawn at 3.3 V, with the microcontroller: its pins in use, its supply, and its line to the Pi.

    Where its own pin gives too little, they have a regulator. ``measured`` tells whether its ADC reads them: then it
    measures against their supply. Raise ConfigError for an Arduino that gives too little: another 5 V at its pin would
    meet that of its USB.
    """
    machine = plan.machine
    supply = V5_SCANNER if machine.volts > 3.3 else V33_SCANNER
    by_pin = chips.renamed({V33: supply})
    load = by_pin.load_ma(supply)
    fed, right = load, [Pin(*machine.feeds, supply, gives_ma=machine.feeds_ma)] if V33 in chips.nets else []
    if load > machine.feeds_ma:
        fed = 0.0
        if machine.volts > 3.3:
            raise ConfigError(_too_much(machine, load))
        by_pin = regulated(chips, feed_for(chips, machine.own_ma) if plan.uart else V5)
        right = [Pin(*machine.reference, V33_OWN, takes_ma=REFERENCE_MA)] if measured and machine.reference else []
    takes = machine.own_ma + fed
    line = Pin(*machine.fed, FED, takes_ma=takes) if plan.uart else Pin("USB", "to the Pi", USB, takes_ma=takes)
    right += [Pin(machine.ground, "GND", GROUND), line]
    signals = tuple(Pin(machine.leg(pin), machine.printed(pin), net) for net, pin in _signals(plan))
    diodes = (Pole(DIODE, "1N5817", V5_PI, FED, gives_ma=DIODE_MA),) if plan.uart else ()
    return Circuit((Block(SCANNER, machine.title, signals, tuple(right)),), diodes) + by_pin


def _too_much(machine: Microcontroller, load: float) -> str:
    fitting = [one for one, known in MICROCONTROLLERS.items() if known.volts < machine.volts]
    return (
        f"chips and sensors take {load:.0f} mA, the {machine.title}'s {machine.feeds[1]} gives {machine.feeds_ma} mA: "
        f"take {' or '.join(fitting)}, which have a regulator then, or a part that takes less"
    )


def _signals(plan: Plan) -> Iterator[tuple[str, int]]:
    """Yield net and pin of each wire: those to the chips, then those of the serial port."""
    for name, value in plan.pins.items():
        for at, pin in enumerate(listed(plan.pins, name)):
            yield pin_net(name, None if isinstance(value, int) else at), pin
    if plan.uart is not None:
        yield RXD, plan.uart.sends
        yield TXD, plan.uart.receives


def own_rows(plan: Plan, circuit: Circuit) -> Sequence[tuple[str, str, str]]:
    """Return leg, printed name and destination of every pin in use."""
    (own,) = (block for block in circuit.blocks if block.name == SCANNER)
    words = {
        V33_SCANNER: f"3.3 V of the chips and sensors, {plan.machine.feeds_ma} mA at most",
        V5_SCANNER: f"5 V of the chips and sensors, {plan.machine.feeds_ma} mA at most",
        V33_OWN: "3.3 V of the regulator: the ADC measures against the sensors' own supply",
        GROUND: "ground of the chips and sensors" + (", and the Pi's" if plan.uart else ""),
        FED: "the ring (cathode) of a Schottky diode from the Pi's 5 V (pin 2)",
    }
    rows = [(pin.number, pin.name, _goes_to(pin.net)) for pin in own.left]
    rows += [(pin.number, pin.name, words[pin.net]) for pin in own.right if pin.net != USB]
    if not plan.uart:
        own_pin = {V33_SCANNER, V5_SCANNER} & circuit.nets
        rows.append(("", "USB", f"the Pi: readings, and 5 V for {'all of this' if own_pin else 'itself'}"))
    return rows


def _goes_to(net: str) -> str:
    if net in UART_PINS:
        return f"the Pi's GPIO {UART_PINS[net]} (pin {HEADER[UART_PINS[net]]})"
    return f"sensors: {net}"
