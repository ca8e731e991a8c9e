"""The regulator of chips and sensors that take more than the pin at hand gives.

One part serves all boards: LM1085IT-3.3 (Texas Instruments SNVS038H; TO-220: 1 ground, 2 output and tab, 3 input), 3 A,
at most 1.5 V between input and output at that current, 10 mA for itself, stable with 10 µF of tantalum at its output.
It is linear, so that what it gives off as heat is the current times the difference of 1.7 V.

For a Pi it takes the 5 V of the header, so that both are on and off together: chips without a supply would be fed
through their signals. Above what the header can spare it takes the board's own 5 V supply.
"""

from __future__ import annotations

from hw.circuit import CAPACITOR, GROUND, V5, V5_PI, V33, V33_OWN, VOLTS, Block, Circuit, Pin, Pole
from hw.ports import HardwareError

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


def feed_for(chips: Circuit, beside_ma: float = 0.0) -> str:
    """Return the net that a regulator for these chips takes its 5 V from; ``beside_ma`` loads the Pi's 5 V already."""
    return V5_PI if chips.load_ma(V33) + OWN_MA + beside_ma <= PI_MA else V5


def add_regulator(chips: Circuit, feed: str) -> Circuit:
    """Return chips and sensors, drawn at 3.3 V, behind a regulator. Raise HardwareError where it can't feed them."""
    load = chips.load_ma(V33)
    if load > GIVES_MA:
        raise HardwareError(
            f"chips and sensors take {load:.0f} mA at 3.3 V, a regulator gives {GIVES_MA:.0f} mA: "
            "expected another part in [sensors], or fewer nodes"
        )
    left = (Pin("3", "VIN", feed, takes_ma=load + OWN_MA), Pin("1", "GND", GROUND))
    block = Block(NAME, PART, left, (Pin("2", "VOUT", V33_OWN, gives_ma=GIVES_MA),))
    capacitors = (Pole(CAPACITOR, CAPACITY, net, GROUND, at=NAME) for net in (feed, V33_OWN))
    return chips.rename_nets({V33: V33_OWN}) + Circuit((block,), tuple(capacitors))


def cooling(load_ma: float) -> str:
    """Return the words for the regulator's heat and its heat sink at a load."""
    heat = load_ma / 1000 * (VOLTS[V5] - VOLTS[V33_OWN])  # W
    bears = (WARMEST - BOX) / heat
    sink = "no heat sink" if bears >= IN_AIR else f"a heat sink of {int(bears - INNER)} K/W or less, insulated"
    return f"gives off {heat:.1f} W: {sink}"
