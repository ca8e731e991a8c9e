"""What a broken wire or part does to the readings: predicted from a board's circuit, for whoever names what is broken.

A fault is one of a net or a part, never of a node: a net is open, or stuck low or high; a part has no supply; two nets
touch at neighbouring legs of a chip or of the Pi's connector; a select line no longer moves; a diode does not block.
Each reading takes one way from its sensor to the Pi (:func:`ways`): all readings whose ways share a net or a part fail
together when that fails. That is a fault with the same reading everywhere (:attr:`Fault.reads` is None). Other faults
mix readings: :attr:`Fault.reads` says whose switches each input shows then.

Inputs are numbered as in :mod:`hw.scheme`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from hw.circuit import CHAIN_IN, DIODE, GROUND, HALL, OPEN, SUPPLIES, SWITCH, VOLTS, Block, Circuit, Pin, Pole
from hw.pins import HEADER, pin_list
from hw.ports import BoardDescription, Message

CALLED = {
    "chip": Message("chip {number} of {count}"),
    "multiplexer": Message("multiplexer {number} of {count}"),
    "converter": Message("converter {number} of {count}"),
    "rows": Message("row {number} of {count}"),
    "columns": Message("column {number} of {count}"),
    "common": Message("common line {number} of {count}"),
}
"""Noun in the name of a block, or list of pins → the words for one of them."""
BEHIND = Message("{part} (with those behind it)")
SELECT = re.compile(r"S([0-3])")


class Shows(NamedTuple):
    """What an input reads: closed if one of ``any_of`` is closed, and none of ``unless``."""

    any_of: frozenset[int]
    unless: frozenset[int] = frozenset()

    def of(self, states: Sequence[int]) -> int:
        """Return the reading, given the states of all inputs (0: nothing)."""
        for at in self.unless:
            if states[at]:
                return 0
        for at in self.any_of:
            if states[at]:
                return states[at]
        return 0


@dataclass(frozen=True)
class Fault:
    """One broken wire or part."""

    name: str
    """For programs: ``part multiplexer 2 of 3``, ``touch D12 D13``."""
    where: Message
    """The part or wire; begins a sentence."""
    look: Message
    """What to measure, as the end of a sentence."""
    inputs: tuple[int, ...]
    """The inputs that it concerns."""
    reads: Mapping[int, Shows] | None = None
    """Input → what it shows, for inputs that show something else than their own switch; None: all show the same."""
    supply: Message | None = None
    """The legs by which a part is fed: two parts that fail at once share them."""

    def predicts(self, states: Sequence[int], stuck: int = 0) -> list[int]:
        """Return what all inputs read, given their true states; ``stuck`` is what a dead part or net reads."""
        found = list(states)
        for at in self.inputs:
            found[at] = stuck if self.reads is None else self.reads[at].of(states) if at in self.reads else found[at]
        return found


@dataclass(frozen=True)
class Wired:
    """A board and its circuit."""

    board: BoardDescription
    circuit: Circuit
    called: Mapping[str, str]
    """Part → the words for one of them, where its scheme has some: ``chip {number} of {count}``."""
    on_pi: bool = True
    """Whether the board file's pins are the Pi's."""

    @cached_property
    def sensors(self) -> list[Pole]:
        """The sensors in the order of their inputs."""
        return _sensors(self.circuit)

    @cached_property
    def selectable_channels(self) -> dict[Block, dict[int, int]]:
        """Chip with select lines → its channel → the input that is read there."""
        inputs = {pole.one: at for at, pole in enumerate(self.sensors)}
        return {
            block: {at: inputs[one.net] for at, one in enumerate(block.left) if one.net in inputs}
            for block in self.circuit.blocks
            if any(SELECT.fullmatch(pin.name) for pin in block.right)
        }

    @property
    def is_chain(self) -> bool:
        """Whether all readings pass through one chain of chips, whose bits a spurious clock shifts."""
        return any(pin.name == CHAIN_IN for block in self.circuit.blocks for pin in block.pins)


def find_faults(wired: Wired) -> list[Fault]:
    """Return all faults of a circuit, those that concern fewest inputs first; of a whole board's data line none."""
    found = [*dead_parts(wired), *_selects(wired), *_touching(wired), *_diodes(wired)]
    found = [one for one in found if one.reads is not None or 1 < len(one.inputs) < len(wired.sensors)]
    return sorted(found, key=lambda one: len(one.inputs))


# -- the ways of the readings ------------------------------------------------------------------------------------------


def _sensors(circuit: Circuit) -> list[Pole]:
    """Return the sensors in the order of their inputs."""
    return [pole for pole in circuit.poles if pole.kind in {SWITCH, HALL}]


def ways(circuit: Circuit) -> list[list[str | Block]]:
    """Return for each input the nets and parts that its reading passes, from the sensor on."""
    through = {pole.one: pole.other for pole in circuit.poles if pole.kind == DIODE}
    into: dict[str, Block] = {}
    for block in circuit.blocks:
        if block.outputs:
            into |= {pin.net: block for pin in block.pins if pin in block.left or pin.name == CHAIN_IN}
    found = []
    for sensor in _sensors(circuit):
        way: list[str | Block] = [sensor.one]
        if sensor.other in through:
            way.append(through[sensor.other])
        net = sensor.one
        chip = into.get(net)
        while chip is not None and chip not in way:
            net = chip.outputs[0].net
            way += [chip, net] if net != OPEN else [chip]
            chip = into.get(net)
        found.append(way)
    return found


def dead_parts(wired: Wired) -> Iterator[Fault]:
    """Yield what fails together: parts without supply, nets that are open or stuck."""
    passing: dict[str | Block, list[int]] = {}
    own: dict[Block, list[int]] = {}
    for at, way in enumerate(ways(wired.circuit)):
        for one in way:
            passing.setdefault(one, []).append(at)
        first = next((one for one in way if isinstance(one, Block)), None)
        if first is not None:
            own.setdefault(first, []).append(at)
    seen: set[tuple[int, ...]] = set()
    for one, inputs in passing.items():
        if isinstance(one, Block):
            where, look, supply = _name_of(wired, one), _legs(one), _supply_legs(one)
            alone = tuple(own.get(one, ()))
            behind = where if alone == tuple(inputs) else Message(BEHIND.form, part=where)
            for concerned, words in ((tuple(inputs), behind), (alone, where)):
                if concerned not in seen:
                    seen.add(concerned)
                    yield Fault(f"part {one.name}", words, look, concerned, supply=supply)
    for one, inputs in passing.items():
        if isinstance(one, str) and tuple(inputs) not in seen:
            seen.add(tuple(inputs))
            look = Message("measure the wire from {pin} along all of it", pin=_pi_pin(one, wired))
            yield Fault(f"net {one}", _line_words(one, wired), look, tuple(inputs))


def _name_of(wired: Wired, block: Block) -> Message:
    alike = [one for one in wired.circuit.blocks if one.part == block.part]
    usual = CALLED.get(block.name.split()[0], CALLED["chip"])
    return Message(wired.called.get(block.part, usual.form), number=alike.index(block) + 1, count=len(alike))


def _leg(pin: Pin) -> Message:
    name = pin.name.rpartition("/ ")[2]  # As a module prints it.
    return Message("pin {number} ({name})", number=pin.number, name=name) if pin.number else Message(name)


def _fed_by(block: Block) -> tuple[Pin | None, Pin | None]:
    feeds = (pin for pin in block.pins if pin.net in SUPPLIES and pin.net != GROUND and pin.takes_ma)
    return next(feeds, None), next((pin for pin in block.pins if pin.net == GROUND), None)


def _volts(pin: Pin) -> str:
    return f"{VOLTS[pin.net]:g} V"


def _supply_legs(block: Block) -> Message | None:
    feed, ground = _fed_by(block)
    if feed is None or ground is None:
        return None
    return Message(
        "{volts} at {feed}, the ground at {ground}", volts=_volts(feed), feed=_leg(feed), ground=_leg(ground)
    )


def _legs(block: Block) -> Message:
    feed, ground = _fed_by(block)
    if feed is None or ground is None or not block.outputs:
        return Message("check its joints, supply and wires")
    return Message(
        "measure {volts} between its {feed} and its {ground}, and check the wire at its {out}",
        volts=_volts(feed), feed=_leg(feed), ground=_leg(ground), out=_leg(block.outputs[0]),
    )  # fmt: skip


# -- nets that lead to the Pi ------------------------------------------------------------------------------------------


_LISTED = re.compile(r"(\w+)\[(\d+)\]")


def _gpio(net: str, wired: Wired) -> int | None:
    """Return the pin (BCM) of the Pi to which a net leads; None for others."""
    if not wired.on_pi:
        return None
    found = _LISTED.fullmatch(net)
    pins = pin_list(wired.board.pins, found[1] if found else net)
    at = int(found[2]) if found else 0
    return pins[at] if at < len(pins) else None


def _pi_pin(net: str, wired: Wired) -> Message:
    gpio = _gpio(net, wired)
    if gpio is None:
        return Message(net)
    return Message("GPIO {gpio} (pin {pin})", gpio=gpio, pin=HEADER.get(gpio, "?"))


def _line_words(net: str, wired: Wired) -> Message:
    found = _LISTED.fullmatch(net)
    if found is None or found[1] not in CALLED:
        return Message("the line {net}", net=net)
    return Message(CALLED[found[1]].form, number=int(found[2]) + 1, count=len(pin_list(wired.board.pins, found[1])))


# -- faults that mix readings ------------------------------------------------------------------------------------------


def _selects(wired: Wired) -> Iterator[Fault]:
    """Yield select lines that no longer move, on the way to all chips or at the leg of one."""
    chips = list(wired.selectable_channels)
    lines = {pin.name: pin for block in chips for pin in block.right if SELECT.fullmatch(pin.name)}
    for line, pin in lines.items():
        bit = 1 << int(line[1:])
        for some in (chips, *([chip] for chip in chips if len(chips) > 1)):
            for level in (0, bit):
                reads = {}
                for chip in some:
                    by_channel = wired.selectable_channels[chip]
                    for channel, at in by_channel.items():
                        seen = by_channel.get(channel & ~bit | level)
                        if seen != at:
                            reads[at] = Shows(frozenset(() if seen is None else (seen,)))
                where = Message("the select line {line}", line=line)
                if some is not chips:
                    part = _name_of(wired, some[0])
                    where = Message("the select line {line} at {part}", line=line, part=part)
                look = Message(
                    "measure whether {leg} of each chip moves with {pin}", leg=_leg(pin), pin=_pi_pin(pin.net, wired)
                )
                if reads:
                    name = f"select {line} {'high' if level else 'low'}" + ("" if some is chips else f" {some[0].name}")
                    concerned = {*reads, *(one for shows in reads.values() for one in shows.any_of)}
                    yield Fault(name, where, look, tuple(sorted(concerned)), reads)


def _touching(wired: Wired) -> Iterator[Fault]:
    """Yield nets of readings that touch: at neighbouring legs of a chip, or at neighbours on the Pi's connector."""
    passing: dict[str, list[int]] = {}
    for at, way in enumerate(ways(wired.circuit)):
        for net in way:
            if isinstance(net, str):
                passing.setdefault(net, []).append(at)
    driven = {pole.other for pole in wired.circuit.poles if pole.kind == DIODE}
    done: set[frozenset[str]] = set()
    for block in wired.circuit.blocks:
        legs = {
            int(pin.number): pin for pin in block.left if pin.number.isdigit() and len(passing.get(pin.net, ())) == 1
        }
        for number, pin in legs.items():
            other = legs.get(number + 1)
            if other is not None and frozenset((pin.net, other.net)) not in done:
                done.add(frozenset((pin.net, other.net)))
                look = Message(
                    "look for solder between {one} and {other} of {part}",
                    one=_leg(pin), other=_leg(other), part=_name_of(wired, block),
                )  # fmt: skip
                yield _touch(pin.net, other.net, look, passing, wired)
    places = {HEADER[gpio]: net for net in passing if (gpio := _gpio(net, wired)) in HEADER and net not in driven}
    for leg, beside in combinations(sorted(places), 2):
        ends = places[leg], places[beside]
        if (beside == leg + 2 or (beside == leg + 1 and leg % 2)) and frozenset(ends) not in done:
            legs_of = [_pi_pin(net, wired) for net in ends]
            look = Message("look for solder between {one} and {other}", one=legs_of[0], other=legs_of[1])
            yield _touch(*ends, look, passing, wired)


def _touch(one: str, other: str, look: Message, passing: Mapping[str, list[int]], wired: Wired) -> Fault:
    """Return the fault of two nets that touch: what one shows, the other shows, too."""
    here, there = passing[one], passing[other]
    pairs = list(zip(here, there, strict=False)) if len(here) != 1 else [(here[0], there[0])]
    reads = {at: Shows(frozenset(pair)) for pair in pairs for at in pair if len(set(pair)) == 2}
    names = [_line_words(net, wired) if _LISTED.fullmatch(net) else Message(net) for net in (one, other)]
    if len(here) == 1:
        names = [
            Message(wired.board.sensor_words(at * wired.board.channels // len(wired.sensors)))
            for at in (here[0], there[0])
        ]
    where = Message("the wires of {one} and {other} touch", one=names[0], other=names[1])
    return Fault(f"touch {one} {other}", where, look, tuple(sorted(reads)), reads)


def _diodes(wired: Wired) -> Iterator[Fault]:
    """Yield diodes that do not block: their closed switch lets its row, which is high, hold the column."""
    columns: dict[str, list[int]] = {}
    diodes = {pole.one for pole in wired.circuit.poles if pole.kind == DIODE}
    for at, pole in enumerate(wired.sensors):
        if pole.other in diodes:
            columns.setdefault(pole.one, []).append(at)
    for column in columns.values():
        for at in column:
            reads = {other: Shows(frozenset((other,)), frozenset((at,))) for other in column if other != at}
            if reads:
                node = wired.board.sensor_words(at)
                where = Message("the diode of {node} does not block", node=node)
                look = Message("look whether it is bridged, or lies the wrong way round")
                yield Fault(f"diode {node}", where, look, (at, *reads), reads)
