"""The simulated physical world: pieces with magnets on nodes, and the sensors under them.

White stones (``w``) have their magnet north up, black ones (``b``) south up. After a change at a sensor its contacts
bounce between the old and the new state for 0.1 to 5 ms, and a level passes through all values between, repeatably from
a seed. A well with nine sensors holds tiles (:mod:`simulator.tiles`); each sensor reads their magnets separately. Every
method is safe to call from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hw.ports import HardwareError, Message, NodeLevels, sensor_name
from hw.wires import Fault
from simulator.faults import RESTARTED, BoardFaults
from simulator.tiles import CLOSES, MIDDLE, PLACES, SUPPLY, Pieces

BOUNCE_S = (0.0001, 0.005)
"""Shortest and longest bounce."""


@dataclass(frozen=True)
class Bounce:
    """A change of one node that is still bouncing, from ``start`` to ``end`` (seconds)."""

    start: float
    end: float
    flips: tuple[tuple[float, ...], ...]
    """Times at which contacts flip: one list for each of a well's nine, else one list for all."""
    before: tuple[str, ...]
    """The stack on the node before the change."""

    def shows_before(self, contact: int, now: float) -> bool:
        """Return whether a contact is in its state from before the change."""
        return sum(flip <= now for flip in self.flips[contact % len(self.flips)]) % 2 == 0

    def progress(self, now: float) -> float:
        """Return the completed share of the change, 0 to 1."""
        return (now - self.start) / (self.end - self.start)


def bounce(now: float, random: Random, before: tuple[str, ...], contacts: int = 1) -> Bounce:
    """Return the bounce of a node with this number of contacts that flip independently."""
    end = now + random.uniform(*BOUNCE_S)
    flips = tuple(
        # An odd number of flips ends in the new state.
        tuple(sorted(random.uniform(now, end) for _ in range(1 + 2 * random.randrange(0, 5))))
        for _ in range(contacts)
    )
    return Bounce(now, end, flips, before)


__all__ = ["SUPPLY", "Impossible", "Trait", "World", "trait_of", "unknown"]

STONE_FIELD = 75
"""Level steps by which a single stone moves a linear hall sensor from 128."""
SHARES = (1.0, 0.47, 0.2, 0.1)
"""Share of each stone's field that reaches the sensor, for a stack from the lowest stone up."""
NOISE = 2


@dataclass(frozen=True)
class Trait:
    """The individual properties of a linear sensor: its rest level, and its sensitivity to either pole."""

    offset: int = 0
    """Level steps from 128 at rest."""
    north: float = 1.0
    """Level change by a stone with north up, as a share of :data:`STONE_FIELD`; negative if mounted face down."""
    south: float = 1.0
    upper: float = SHARES[1]
    """Share of the field of a stack's second stone that reaches it."""


USUAL = Trait()


@dataclass
class Sample:
    """A hall switch that sleeps between its measurements."""

    period: float
    """Seconds between two of them."""
    taken: float
    """When it has last measured."""
    closed: bool = False
    """What it found then."""

    def take(self, closed: bool, now: float) -> None:
        """Measure, if it is time."""
        if now >= self.taken + self.period:
            self.taken += self.period * int((now - self.taken) / self.period)
            self.closed = closed


def trait_of(levels: NodeLevels) -> Trait:
    """Return the properties of a sensor with these measured levels."""
    north, south = levels.north - levels.rest, levels.rest - levels.south
    kept = (levels.stack - levels.rest) / north
    return Trait(levels.rest - 128, north / STONE_FIELD, south / STONE_FIELD, 1.0 - kept)


Contacts = tuple[bool, ...]
"""Whether each contact of a node is closed: one contact, north and south with ``polarity``, or nine of a well."""


Sensor = tuple[str, int | None]
"""A node, and the place of one of its nine sensors; None for a node with one sensor."""


class Impossible(ValueError):
    """A hand can't do this; the text says why. Reasons that can occur in play are :class:`hw.ports.Message`."""


def unknown(node: str) -> Impossible:
    """Return the error for a node that is not on the board."""
    return Impossible(Message("node: {node} is not on this board", node=repr(node)))


@dataclass
class Held:
    """What a hand holds, and where it goes back to if nobody puts it down."""

    pieces: list[str]
    source: str | None = None
    """The node from which the pieces were lifted; None if they came from the supply."""
    left: tuple[str, ...] = ()
    """The pieces that stayed on that node."""
    until: float | None = None
    """Time at which the pieces go back by themselves; None for a hand that can't get lost."""


FLOATS_S = 2.0
"""Time after a restart of parts in which their inputs may float, until the driver has set them up again, seconds."""


class World:
    """The pieces on the board, in the supply and in hands, and the faults of sensors."""

    def __init__(
        self,
        nodes: Sequence[str],
        kind: str,
        clock: Callable[[], float],
        seed: int = 0,
        *,
        pieces: Pieces | None = None,
        sensors: Sequence[Sensor] | None = None,
    ) -> None:
        """Start with an empty board. ``clock`` returns seconds; ``seed`` makes bounce and noise repeatable.

        ``sensors`` are in channel order; None: one per node, in the order of ``nodes``.
        """
        self.nodes = tuple(nodes)
        self.kind = kind
        self.pieces = pieces or Pieces()
        self.supply = self.pieces.supply(len(nodes))
        self.lost_magnets: set[tuple[str, int]] = set()
        """(tile, place on the unturned tile) of each magnet that has fallen out."""
        self._sensors: Sequence[Sensor] = tuple(sensors or ((node, None) for node in nodes))
        self._wells = frozenset(node for node, place in self._sensors if place is not None)
        self._places = frozenset(sensor_name(node, place) for node, place in self._sensors if place is not None)
        """Names of the wells' sensors: a stone can be held over each, and each can break."""
        self.restart: Callable[[], None] | None = None
        """Restart all parts that keep settings; None where none does."""
        self.on_change: Callable[[], None] | None = None
        self.traits: dict[str, Trait] = {}
        """Node → properties, for linear sensors that differ from the usual one."""
        self._stacks: dict[str, list[str]] = {}
        self._hands: dict[str, Held] = {}
        self._clock = clock
        self._random = Random(seed)
        self._lock = threading.RLock()
        self._faults = BoardFaults(seed)
        self._faults.sensors = [sensor_name(*one) for one in self._sensors]
        self._samples: list[Sample] = []
        self._asleep_until = self._floats_until = 0.0
        self._bounces: dict[str, Bounce] = {}
        self._steady: Sequence[int] | None = None
        self.changes = 0  # Number of changes of pieces and faults.

    @property
    def calm(self) -> bool:
        """Return whether scans stay equal, apart from noise, until the next change."""
        asleep = bool(self._samples) and self._clock() < self._asleep_until
        floats = self._clock() < self._floats_until
        return not (self._bounces or self._faults.restless or self._faults.lost or asleep or floats)

    @property
    def channels(self) -> int:
        """Number of sensors."""
        return len(self._sensors)

    @property
    def channel_kind(self) -> str:
        """Kind of reading of a single sensor."""
        return "presence" if self._wells else self.kind

    # -- looking -------------------------------------------------------------------------------------------------

    def stones(self) -> dict[str, list[str]]:
        """Return node → pieces from bottom to top."""
        with self._lock:
            return {node: list(stack) for node, stack in self._stacks.items()}

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Return the state of one instant: ``stones``, ``hands`` (hand → pieces), ``supply``, ``faults``, ``feels``.

        ``faults`` is node → fault (``board`` → ``lost``); ``feels`` is node → reading at rest (see :mod:`hw.ports`),
        for sensors that do not read nothing.
        """
        with self._lock:
            now = self._clock()
            return {
                "stones": self.stones(),
                "hands": {hand: list(held.pieces) for hand, held in self._hands.items()},
                "supply": dict(self.supply),
                "faults": self._faults.by_node(),
                "feels": {} if self._faults.lost else self._rest_readings(now),
            }

    def _rest_readings(self, now: float) -> dict[str, int]:
        readings = {}
        for node in self.nodes:
            stack, forced = self._stacks.get(node, ()), self._faults.output(node, now)
            if node in self._wells:
                reading, rest = sum(1 << at for at, one in enumerate(self._contacts(node, now)) if one), 0
            elif self.kind == "level":
                rest = 128 + self._trait(node).offset
                reading = rest + round(self._field(node, stack) if forced is None else STONE_FIELD * forced)
            else:
                closed = self._closed_contacts(node, stack) if forced is None else (forced,)
                reading, rest = sum(weight for weight, one in zip((1, 2), closed, strict=False) if one), 0
            if reading != rest:
                readings[node] = reading
        return readings

    def holding(self, hand: str) -> list[str]:
        """Return the pieces in a hand."""
        with self._lock:
            return list(self._hands[hand].pieces) if hand in self._hands else []

    # -- changes -------------------------------------------------------------------------------------------------

    def take(self, hand: str, piece: str) -> None:
        """Take a piece from the supply into a hand, which may hold others from there. Raise Impossible."""
        with self._lock:
            if hand in self._hands and self._hands[hand].source is not None:
                raise Impossible(Message("the hand is full"))
            drawn = self._draw(piece)
            self._hands.setdefault(hand, Held([])).pieces.append(drawn)
            self._note_change()

    def put(self, node: str, piece: str) -> None:
        """Put a piece from the supply onto a node. Raise Impossible."""
        with self._lock:
            stack = self._stack(node)
            self._set(node, [*stack, self._draw(piece)])

    def lift(self, hand: str, node: str, pieces: Sequence[str] | None = None) -> list[str]:
        """Lift and return these pieces of a node (tiles in any turning), or its top piece. Raise Impossible."""
        with self._lock:
            if hand in self._hands:
                raise Impossible(Message("the hand is full"))
            stack = self._stack(node)
            if not stack:
                raise Impossible(Message("nothing lies on {node}", node=node))
            wanted = [self._kind(piece) for piece in pieces or stack[-1:]]
            lifted: list[str] = []
            rest: list[str] = []
            for piece in reversed(stack):  # Lifted pieces keep their order.
                if (kind := self._kind(piece)) in wanted:
                    wanted.remove(kind)
                    lifted.insert(0, piece)
                else:
                    rest.insert(0, piece)
            if wanted:
                raise Impossible(
                    Message("{node} carries {pieces}: there is no {piece} to lift", node=node,
                         pieces=" ".join(stack), piece=wanted[0])
                )  # fmt: skip
            self._hands[hand] = Held(lifted, node, tuple(rest))
            self._set(node, rest)
            return lifted

    def place(self, hand: str, node: str) -> None:
        """Put all pieces of a hand onto a node. Raise Impossible."""
        with self._lock:
            held = self._hand(hand)
            stack = self._stack(node)
            del self._hands[hand]
            self._set(node, [*stack, *held.pieces])

    def turn(self, hand: str, eighths: int) -> None:
        """Turn the tiles in a hand clockwise. Raise Impossible."""
        with self._lock:
            held = self._hand(hand)
            held.pieces = [self.pieces.turn(piece, eighths) for piece in held.pieces]
            self._note_change()

    def drop(self, hand: str) -> None:
        """Put all pieces of a hand into the supply."""
        with self._lock:
            if hand in self._hands:
                for piece in self._hands.pop(hand).pieces:
                    self.supply[self._kind(piece)] += 1
            self._note_change()

    def hold(self, hand: str, seconds: float) -> None:
        """Let a hand's pieces, if any, go back by themselves after this time, unless this is called again."""
        with self._lock:
            if hand in self._hands:
                self._hands[hand].until = self._clock() + seconds

    def put_back(self, hand: str) -> None:
        """Put a hand's pieces, if any, back where they came from; into the supply if that node has changed since."""
        with self._lock:
            held = self._hands.get(hand)
            if held is None:
                return
            if held.source is None or tuple(self._stack(held.source)) != held.left:
                self.drop(hand)
            else:
                self.place(hand, held.source)

    def empty_hands(self) -> None:
        """Put all pieces that are in hands back where they came from."""
        with self._lock:
            for hand in list(self._hands):
                self.put_back(hand)

    def set_fault(self, fault: str, node: str | None = None) -> None:
        """Break a sensor (``stuck-on``), a line or chip (``data-high``), or the board (``lost``). Raise Impossible."""
        with self._lock:
            if node is not None:
                self._stack(node)
            try:
                if fault == RESTARTED:
                    self._restart()
                    self._floats_until = self._clock() + FLOATS_S
                    self._note_change()
                    return
                self._faults.add(fault, node)
            except ValueError as error:
                raise Impossible(str(error)) from error
            self._note_change()

    def sample(self, least_s: float, most_s: float) -> None:
        """Let each switch measure by itself, at a rate of its own with a period between these, and sleep in between."""
        with self._lock:
            contacts = [False] * len(list(self._all_contacts(0.0)))
            periods = [self._random.uniform(least_s, most_s) for _ in contacts]
            self._samples = [Sample(period, self._random.uniform(-period, 0.0)) for period in periods]

    def break_by(self, wires: Sequence[Fault]) -> None:
        """Let chips and wires break as a board's circuit says."""
        self._faults.wires = wires

    def _restart(self) -> None:
        if self.restart is None:
            raise ValueError("kind: no part of this board's wiring keeps settings that it could lose")
        self.restart()

    def clear_faults(self, node: str | None = None) -> None:
        """Repair one sensor, or everything. Raise Impossible for an unknown node."""
        with self._lock:
            if node is not None:
                self._stack(node)
            self._faults.clear(node)
            self._note_change()

    def lose_magnet(self, tile: str, place: int) -> None:
        """Remove a tile's magnet at this place of the unturned tile (8: the middle)."""
        with self._lock:
            self.lost_magnets.add((tile, place))
            self._note_change()

    def is_piece(self, piece: str) -> bool:
        """Return whether this board has such a piece, wherever it is: ``w``, ``7r5``."""
        return self.pieces.kind_of(piece) is not None

    def _kind(self, piece: str) -> str:
        kind = self.pieces.kind_of(piece)
        if kind is None:
            raise Impossible(f"piece: expected {self.pieces.words}, got {piece!r}")
        return kind

    def _draw(self, piece: str) -> str:
        """Take a piece from the supply; return its text, a tile's with its turning. Raise Impossible."""
        kind = self._kind(piece)
        if not self.supply[kind]:
            raise Impossible(self.pieces.none_left(kind))
        self.supply[kind] -= 1
        return self.pieces.lying(piece)

    def _hand(self, hand: str) -> Held:
        if hand not in self._hands:
            raise Impossible(Message("the hand holds nothing"))
        return self._hands[hand]

    def _stack(self, node: str) -> list[str]:
        if node not in self.nodes and node not in self._places:
            raise unknown(node)
        return self._stacks.get(node, [])

    def _set(self, node: str, stack: list[str]) -> None:
        before = tuple(self._stacks.get(node, ()))
        if stack:
            self._stacks[node] = stack
        else:
            self._stacks.pop(node, None)
        differs = self._closed_contacts(node, before) != self._closed_contacts(node, stack)
        if (differs or self.kind == "level") and not self._samples:  # A hall switch that sleeps does not bounce.
            alone = PLACES if node in self._wells else 1
            self._bounces[node] = bounce(self._clock(), self._random, before, alone)
        self._note_change()

    def _note_change(self) -> None:
        self._steady = None
        self._asleep_until = self._clock() + max((sample.period for sample in self._samples), default=0.0)
        self.changes += 1
        if self.on_change is not None:
            self.on_change()

    # -- sensors -------------------------------------------------------------------------------------------------

    def field(self, node: str) -> float:
        """Return the field at a node's sensor in level steps, positive for north up, without bounce and noise."""
        with self._lock:
            return self._trait(node).offset + self._field(node, self._stacks.get(node, ()))

    def _trait(self, node: str) -> Trait:
        return self.traits.get(node, USUAL)

    def _field(self, node: str, stack: Sequence[str], place: int | None = None) -> float:
        if place is not None:
            return STONE_FIELD * (
                self.pieces.shares(stack, self.lost_magnets)[place] + self._has_stone_over(node, place)
            )
        trait = self._trait(node)
        felt = STONE_FIELD * sum(
            self.pieces.pole(piece) * share
            for piece, share in zip(stack, (SHARES[0], trait.upper, *SHARES[2:]), strict=False)
        )
        return felt * (trait.north if felt > 0 else trait.south)

    def levels(self) -> Sequence[int]:
        """Return one level per sensor, 0 to 255, with noise. Raise HardwareError when the board is lost."""
        with self._lock:
            now = self._advance()
            levels = [self._level(node, now, place) for node, place in self._sensors]
            return self._faults.disturb(levels, 255, now)

    def _level(self, node: str, now: float, place: int | None = None) -> int:
        forced = self._broken_output(node, place, now)
        rest = 128 + self._trait(node).offset
        if forced is not None:
            return rest + STONE_FIELD * forced
        felt = self._field(node, self._stacks.get(node, ()), place)
        bounces = self._bounces.get(node)
        if bounces is not None:
            before = self._field(node, bounces.before, place)
            felt = before + (felt - before) * bounces.progress(now)
        return min(255, max(0, rest + round(felt) + self._random.randint(-NOISE, NOISE)))

    def contacts(self) -> Sequence[int]:
        """Return the levels at the switch inputs, 0 for a closed contact: one per sensor, two with ``polarity``.

        Raise HardwareError when the board is lost.
        """
        with self._lock:
            now = self._advance()
            if self._steady is None:
                felt = [0 if closed else 1 for closed in self._sample(now)]
                levels = self._faults.disturb(felt, 1, now)
                if not self.calm:
                    return levels
                self._steady = levels
            return self._steady

    def _sample(self, now: float) -> Sequence[bool]:
        """Return the contacts: of parts that sleep, as each was when it last measured."""
        felt = list(self._all_contacts(now))
        if not self._samples:
            return felt
        for sample, closed in zip(self._samples, felt, strict=True):
            sample.take(closed, now)
        return [sample.closed for sample in self._samples]

    def _all_contacts(self, now: float) -> Iterator[bool]:
        nodes = {node: self._contacts(node, now) for node in self.nodes}
        for node, place in self._sensors:
            if place is None:
                yield from nodes[node]
            else:
                yield nodes[node][place]

    def _contacts(self, node: str, now: float) -> Contacts:
        closed = self._closed_contacts(node, self._stacks.get(node, ()))
        bounces = self._bounces.get(node)
        if bounces is not None:
            pairs = zip(closed, self._closed_contacts(node, bounces.before), strict=True)
            closed = tuple(old if bounces.shows_before(at, now) else new for at, (new, old) in enumerate(pairs))
        if node in self._wells:
            closed = tuple(one or self._has_stone_over(node, place) for place, one in enumerate(closed))
            broken = [self._broken_output(node, place, now) for place in range(PLACES)]
            return tuple(one if forced is None else forced for one, forced in zip(closed, broken, strict=True))
        forced = self._faults.output(node, now)
        if forced is not None:
            return (forced, False) if self.kind == "polarity" else (forced,)
        return closed

    def _has_stone_over(self, node: str, place: int) -> bool:
        """Return whether a stone is held over this single sensor of a well."""
        return sensor_name(node, place) in self._stacks

    def _broken_output(self, node: str, place: int | None, now: float) -> bool | None:
        """Return the output of a sensor that is broken, alone or with its whole well; None for a working sensor."""
        forced = None if place is None else self._faults.output(sensor_name(node, place), now)
        return self._faults.output(node, now) if forced is None else forced

    def _closed_contacts(self, node: str, stack: Sequence[str]) -> Contacts:
        """Return the closed contacts under a stack, without bounce; with ``polarity`` the lowest stone decides."""
        if node in self._wells:
            return tuple(share >= CLOSES for share in self.pieces.shares(stack, self.lost_magnets))
        if self.kind == "polarity":
            pole = self.pieces.pole(stack[0]) if stack else 0
            return (pole > 0, pole < 0)
        return (any(self.pieces.magnets(piece, self.lost_magnets)[MIDDLE] for piece in stack),)

    def _advance(self) -> float:
        """Return the time, after what happens by itself until then. Raise HardwareError when the board is lost."""
        now = self._clock()
        for hand in [hand for hand, held in self._hands.items() if held.until is not None and now >= held.until]:
            self.put_back(hand)
        if self._faults.lost:
            raise HardwareError(Message("the board does not answer"))
        for node in [node for node, bounces in self._bounces.items() if now >= bounces.end]:
            del self._bounces[node]
        return now
