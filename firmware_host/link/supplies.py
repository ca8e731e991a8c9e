"""What a circuit takes from its supplies, and the regulator of chips that take more than the pin at hand gives.

One regulator serves all boards: LM1085IT-3.3 (Texas Instruments SNVS038H; TO-220: 1 ground, 2 output and tab, 3
input), 3 A, at most 1.5 V between input and output at that current, 10 mA for itself, stable with 10 µF of tantalum at
its output. It is linear, so that what it gives off as heat is the current times the difference of 1.7 V.

For a Pi it takes the 5 V of the header, so that both are on and off together: chips without a supply would be fed
through their signals. Above what the header can spare it takes the board's own 5 V supply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hw.circuit import (
    CAPACITOR,
    DECOUPLING,
    GROUND,
    HALL,
    RESISTOR,
    SUPPLIES,
    V5,
    V5_PI,
    V33,
    V33_OWN,
    VOLTS,
    Block,
    Circuit,
    Pin,
    Pole,
    decoupling,
)
from hw.ports import BoardDescription, HardwareError
from hw.registry import scheme_of

NAME = "regulator"
PART, GIVES_MA, OWN_MA = "LM1085IT-3.3", 3000.0, 10.0
CAPACITY = "10u"
PI_MA = 1000.0
"""What the 5 V of a Pi's header is asked for at most, mA. A cautious choice: of the 2 A or more of the supplies that
Raspberry Pi recommends, the bare computers take 0.35 to 0.8 A (documentation, "Power supply")."""
IN_AIR, WARMEST, BOX = 50.0, 100.0, 40.0
"""Thermal resistance of a TO-220 without heat sink (K/W); temperatures of the chip and in the box (°C)."""
INNER = 6.0
"""Thermal resistance from the chip through the case and paste to a heat sink, K/W, rounded up."""
USB, CHARGER = "USB", "charger's 5 V"
"""The cable from the Pi, and that from a charger to a wireless microcontroller."""
OHMS = {"10k": 10_000.0}
"""Value of a resistor between a supply and a signal → Ω."""


@dataclass(frozen=True)
class Consumer:
    """All parts of one name that take current from a supply."""

    name: str
    number: int
    each_ma: float

    @property
    def ma(self) -> float:
        """Their current together, mA."""
        return self.number * self.each_ma


def consumers(circuit: Circuit, supply: str) -> list[Consumer]:
    """Return all that takes current from a supply: chips, sensors, pull-ups, and what it feeds through a fuse."""
    found = [(block.part, sum(pin.takes_ma for pin in block.pins if pin.net == supply)) for block in circuit.blocks]
    for pole in circuit.poles:
        if pole.supply == supply:
            found.append((pole.part, pole.takes_ma))
        elif pole.kind == RESISTOR and supply in SUPPLIES and supply in {pole.one, pole.other}:
            found.append((f"pull-up {pole.value}", 1000 * VOLTS[supply] / OHMS[pole.value]))
        elif pole.gives_ma and pole.one == supply:
            found.append((f"{pole.kind} {pole.value}", load_ma(circuit, pole.other)))
    return [Consumer(name, number, each) for (name, each), number in Counter(found).items() if each]


def load_ma(circuit: Circuit, supply: str) -> float:
    """Return the maximum current that all parts together take from a supply, mA."""
    return sum(one.ma for one in consumers(circuit, supply))


def limit_ma(circuit: Circuit, supply: str) -> float:
    """Return the maximum current that feeds a supply, mA; 0 if nothing feeds it."""
    pins = sum(pin.gives_ma for block in circuit.blocks for pin in block.pins if pin.net == supply)
    return pins + sum(pole.gives_ma for pole in circuit.poles if pole.other == supply)


def rename_nets(circuit: Circuit, nets: Mapping[str, str]) -> Circuit:
    """Return the circuit with other names for some of its nets."""

    def pins(own: Sequence[Pin]) -> tuple[Pin, ...]:
        return tuple(replace(pin, net=nets.get(pin.net, pin.net)) for pin in own)

    def pole(one: Pole) -> Pole:
        ends = {end: nets.get(getattr(one, end), getattr(one, end)) for end in ("one", "other", "supply")}
        return replace(one, **ends)

    blocks = tuple(replace(block, left=pins(block.left), right=pins(block.right)) for block in circuit.blocks)
    return Circuit(blocks, tuple(map(pole, circuit.poles)))


def feed_for(chips: Circuit, beside_ma: float = 0.0) -> str:
    """Return the net that a regulator for these chips takes its 5 V from; ``beside_ma`` loads the Pi's 5 V already."""
    return V5_PI if load_ma(chips, V33) + OWN_MA + beside_ma <= PI_MA else V5


def add_regulator(chips: Circuit, feed: str) -> Circuit:
    """Return chips and sensors, drawn at 3.3 V, behind a regulator. Raise HardwareError where it can't feed them."""
    load = load_ma(chips, V33)
    if load > GIVES_MA:
        raise HardwareError(
            f"chips and sensors take {load:.0f} mA at 3.3 V, a regulator gives {GIVES_MA:.0f} mA: "
            "expected another part in [sensors], or fewer nodes"
        )
    left = (Pin("3", "VIN", feed, takes_ma=load + OWN_MA), Pin("1", "GND", GROUND))
    block = Block(NAME, PART, left, (Pin("2", "VOUT", V33_OWN, gives_ma=GIVES_MA),))
    capacitors = (Pole(CAPACITOR, CAPACITY, net, GROUND, at=NAME) for net in (feed, V33_OWN))
    return rename_nets(chips, {V33: V33_OWN}) + Circuit((block,), tuple(capacitors))


def cooling(load_ma: float) -> str:
    """Return the words for the regulator's heat and its heat sink at a load."""
    heat = load_ma / 1000 * (VOLTS[V5] - VOLTS[V33_OWN])  # W
    bears = (WARMEST - BOX) / heat
    sink = "no heat sink" if bears >= IN_AIR else f"a heat sink of {int(bears - INNER)} K/W or less, insulated"
    return f"gives off {heat:.1f} W: {sink}"


def sensors_circuit(board: BoardDescription) -> Circuit:
    """Return the scheme's circuit of a board, behind a regulator of its own where the Pi's 3.3 V pin gives too little.

    Chips and sensors have their capacitors, also where the scheme draws none. Raise HardwareError where no supply
    suffices.
    """
    scheme = scheme_of(board)
    drawn = scheme.circuit(board)
    beside = {pole.at for pole in drawn.poles if pole.kind == CAPACITOR}
    chips = [one.name for one in drawn.blocks if scheme.chip and one.part == scheme.chip.name]
    drawn += Circuit((), (*(decoupling(chip) for chip in chips if chip not in beside), *_beside_sensors(drawn)))
    if load_ma(drawn, V33) <= scheme.supply(board.options).most_ma:
        return drawn
    return add_regulator(drawn, feed_for(drawn))


def _beside_sensors(circuit: Circuit) -> tuple[Pole, ...]:
    """Return the capacitor of each sensor that has a supply, between that and ground."""
    sensors = (pole for pole in circuit.poles if pole.kind == HALL)
    return tuple(Pole(CAPACITOR, DECOUPLING, pole.supply, GROUND, at=pole.name) for pole in sensors)
