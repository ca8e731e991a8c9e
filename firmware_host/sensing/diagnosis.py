"""Which broken wire or part explains what the sensors read: the diagnosis of play, which wizards ask more.

:mod:`hw.wires` predicts from a board's circuit what each fault does to the readings. Here predictions meet readings:

- :meth:`Diagnosis.causes`: what explains that many readings changed at once. One fault, or several parts that are fed
  by one wire; each says how the board would lie then, so that causes and hands can be compared (pipeline.py).
- :class:`Habits`: what hands do seldom by chance a second time. Of two nets that touch, or inputs behind a stuck select
  line, none ever changes alone.
- :meth:`Diagnosis.silent`: what is common to sensors that do not answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from firmware_host.text.words import fill, hardware_words, list_of, say
from hw.ports import BoardDescription, Message
from hw.registry import has_switch_pairs, scheme_of, wire_faults, with_circuit
from hw.wires import Fault

Inputs = Sequence[int]
"""The state of each input: 0 nothing, else something."""
HANDS = 2
"""Maximum number of nodes that hands change from one scan to the next."""
PROOF = 2
"""So often what hands do seldom by chance must have happened."""
MOMENT_S = 0.3
"""Changes that are closer together may be one deed of hands."""


def wire_words(board: BoardDescription) -> str:
    """Return the words for the connection that carries all readings, with its GPIO if it is a bus of the Pi."""
    return hardware_words(scheme_of(board).wire(board))


@dataclass(frozen=True)
class Cause:
    """A fault that explains readings; ``words`` is a sentence: which part, and what to measure."""

    name: str
    """For programs, and to tell causes apart."""
    words: str
    inputs: tuple[int, ...]
    """The inputs that it concerns."""
    lies: tuple[int, ...]
    """How the board lies (the state of each input) if this is the cause."""
    parts: tuple[tuple[int, ...], ...] = ()
    """The inputs of each part that is dead; each reads the same everywhere."""
    fault: Fault | None = None
    """The fault that mixes readings, if it is one."""


class Diagnosis:
    """The faults of one board's wires and parts."""

    def __init__(self, board: BoardDescription) -> None:
        """Predict all faults from the board's circuit."""
        self._share = 2 if has_switch_pairs(board) else 1
        nodes = {channel: node for channel, (node, _) in board.sensors().items()}
        self.nodes = [nodes[at // self._share] for at in range(board.channels * self._share)]
        """Input → its node."""
        self.whole = tuple(range(len(self.nodes)))
        self._wired = with_circuit(board)
        self.is_chain = self._wired.is_chain
        found = wire_faults(board)
        self.dead = [one for one in found if one.reads is None]
        self.mixed = [one for one in found if one.reads is not None]
        self.mixed_at: dict[int, list[Fault]] = {}
        """Input → the faults that mix it with others."""
        for one in self.mixed:
            for at in one.inputs:
                self.mixed_at.setdefault(at, []).append(one)
        self._told: dict[tuple[str, int, bool], str] = {}
        self.wire = wire_words(board)

    def channels(self, inputs: Collection[int]) -> tuple[int, ...]:
        """Return the channels of inputs."""
        return tuple(sorted({at // self._share for at in inputs}))

    def nodes_of(self, inputs: Collection[int]) -> tuple[str, ...]:
        """Return the nodes of inputs, in their order."""
        return tuple(dict.fromkeys(self.nodes[at] for at in sorted(inputs)))

    # -- what explains a change ----------------------------------------------------------------------------------

    def causes(self, now: Inputs, before: Inputs) -> Iterator[Cause]:
        """Yield the faults that may have changed the readings; of equally good ones the first is the likeliest."""
        changed = {at for at, (new, old) in enumerate(zip(now, before, strict=True)) if new != old}
        if len(set(now)) == 1 and len(self.nodes_of(changed)) > HANDS:
            yield Cause("same", self._same_words(now[0]), self.whole, tuple(before))
        yield from self._dead_parts(now, before, changed)
        for fault in self.mixed:
            inside = changed.intersection(fault.inputs)
            if len(inside) <= HANDS or len(self.nodes_of(inside)) <= HANDS:
                continue
            lies = follow(fault, now, before)
            if lies is not None:
                yield Cause(fault.name, mixed_words(fault), fault.inputs, lies, fault=fault)

    def _dead_parts(self, now: Inputs, before: Inputs, changed: set[int]) -> Iterator[Cause]:
        constant = [one for one in self.dead if len({now[at] for at in one.inputs}) == 1]
        touched = [(one, changed.intersection(one.inputs)) for one in constant]
        enough = False
        for one, inside in touched:
            if len(self.nodes_of(inside)) > HANDS:
                enough = enough or len(self.nodes_of(changed - inside)) <= HANDS
                lies = _without(now, before, one.inputs)
                yield Cause(one.name, self.dead_words([one], now), one.inputs, lies, (one.inputs,))
        several: list[Fault] = []
        for one, inside in () if enough else sorted(touched, key=lambda each: -len(each[1])):
            alike = not several or now[one.inputs[0]] == now[several[0].inputs[0]]
            if inside and one.supply and alike and not any(set(one.inputs) & set(other.inputs) for other in several):
                several.append(one)
        inputs = tuple(sorted(at for one in several for at in one.inputs))
        if len(several) > 1 and len(self.nodes_of(changed.intersection(inputs))) > HANDS:
            several.sort(key=lambda one: one.inputs)
            name = ", ".join(one.name for one in several)
            parts = tuple(one.inputs for one in several)
            yield Cause(name, self.dead_words(several, now), inputs, _without(now, before, inputs), parts)

    def _same_words(self, state: int) -> str:
        key = "same", 0, bool(state)
        if key not in self._told:
            nothing = say("every sensor reads nothing: {part} is open or shorted; repair it, or put the stones back")
            stones = say("every sensor reads a stone: {part} is open or shorted; repair it, or put the stones back")
            self._told[key] = fill(stones if state else nothing, part=self.wire)
        return self._told[key]

    def dead_words(self, dead: Sequence[Fault], now: Inputs) -> str:
        """Return the sentence on parts whose inputs all read the same."""
        key = ", ".join(one.name for one in dead), len(dead[0].inputs), bool(now[dead[0].inputs[0]])
        if key not in self._told:  # Scans come fast, and sentences cost more than comparing.
            self._told[key] = self._dead_words(dead, stones=key[2])
        return self._told[key]

    def _dead_words(self, dead: Sequence[Fault], *, stones: bool) -> str:
        if len(dead) > 1:
            nothing = say("{parts} detect nothing anywhere. They share {supply}: is the wire between them loose?")
            same = say("{parts} read a stone everywhere. They share {supply}: is the wire between them loose?")
            assert dead[0].supply is not None  # noqa: S101 - only parts with a supply fail at once
            parts = list_of(hardware_words(one.where) for one in dead)
            return fill(same if stones else nothing, parts=parts, supply=hardware_words(dead[0].supply))
        channels = self.channels(dead[0].inputs)
        nothing = say("{part} detects nothing anywhere (channels {channels}): {look}")
        same = say("{part} reads a stone everywhere (channels {channels}): {look}")
        return fill(
            same if stones else nothing,
            part=hardware_words(dead[0].where), channels=spans(channels), look=hardware_words(dead[0].look),
        )  # fmt: skip

    # -- what is common to some sensors --------------------------------------------------------------------------

    def silent(self, nodes: Collection[str], moved: Collection[int], now: Inputs = ()) -> str | None:
        """Return what explains that these nodes' sensors do not answer though pieces lie there; None for no such part.

        ``moved`` are the inputs that have changed since the start; ``now`` are the readings, for faults by which one
        input hides others.
        """
        wanted = {at for at, node in enumerate(self.nodes) if node in nodes}
        if not moved:
            return say(
                "No sensor has answered since the start. If a piece lies where the lights ask, {part} is open or "
                "shorted, or nothing feeds the sensors: measure there.",
                part=self.wire,
            )
        for one in self.dead:
            if len(nodes) > 1 and wanted.issubset(one.inputs) and not set(one.inputs) & set(moved):
                return say(
                    "{part} has not answered since the start. If pieces lie where the lights ask: {look}.",
                    part=hardware_words(one.where),
                    look=hardware_words(one.look),
                )
        hiding = [one for one in self.mixed if now and self._hides(one, wanted, now)]
        # Two sensors may fail by chance; of several faults that explain as much none is named.
        return mixed_words(hiding[0]) if len(hiding) == 1 and len(nodes) >= PROOF else None

    def _hides(self, fault: Fault, wanted: set[int], now: Inputs) -> bool:
        """Return whether a fault makes the board read as it does now, though something lies at all wanted inputs."""
        lies = [1 if at in wanted else state for at, state in enumerate(now)]
        return wanted <= set(fault.inputs) and [bool(one) for one in fault.predicts(lies)] == [bool(one) for one in now]


def _without(now: Inputs, before: Inputs, inputs: Collection[int]) -> tuple[int, ...]:
    """Return the readings with these inputs as they were before."""
    lies = list(now)
    for at in inputs:
        lies[at] = before[at]
    return tuple(lies)


def spans(numbers: Sequence[int]) -> str:
    """Return ``3``, ``0 to 7``, or ``0, 9, 18``."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and last - first + 1 == len(numbers):
        return say("{first} to {last}", first=first, last=last)
    return ", ".join(map(str, numbers))


@lru_cache(maxsize=64)
def _mixed_words(where: Message, look: Message, *, select: bool) -> str:
    if select:
        return say("{line} does not move: {look}", line=hardware_words(where), look=hardware_words(look))
    return say("{fault}: {look}", fault=hardware_words(where), look=hardware_words(look))


def mixed_words(fault: Fault) -> str:
    """Return the sentence on a fault that mixes readings."""
    return _mixed_words(fault.where, fault.look, select=fault.name.startswith("select"))


def follow(fault: Fault, now: Inputs, before: Inputs) -> tuple[int, ...] | None:
    """Return how the board lies if a fault that mixes readings is there, with as few changes as possible; else None."""
    reads = fault.reads or {}
    lies = list(now)
    for at in reads:
        lies[at] = before[at]
    for at, shows in reads.items():
        if bool(shows.of(lies)) == bool(now[at]):
            continue
        if now[at]:
            if not shows.any_of:
                return None
            lies[min(shows.any_of)] = now[at]
        else:
            for one in shows.any_of:
                lies[one] = 0
    for at in fault.inputs:
        if bool(reads[at].of(lies) if at in reads else lies[at]) != bool(now[at]):
            return None
    return tuple(lies)


# -- what happens again and again --------------------------------------------------------------------------------------


class Habits:
    """Counts for each fault that mixes readings how often they changed as it predicts, and as hands seldom do.

    One change that contradicts it, and the count begins anew. Nothing counts within a moment of other nodes'
    changes: a line that is pushed leaves and arrives within some scans, and two of its stones within one.
    """

    def __init__(self, diagnosis: Diagnosis) -> None:
        """Start with no reading."""
        self._diagnosis = diagnosis
        self._times: dict[str, int] = {}
        self._lies: dict[str, tuple[int, ...]] = {}
        self._changed_at: dict[str, float] = {}
        """Node → when it has changed last."""
        self._waiting: list[tuple[Fault, tuple[int, ...]]] = []
        """The faults that have predicted the last change, and how the board lies then: counted when it stays so."""
        self.due = inf
        """When :meth:`count` has something to count."""
        self.proved: Fault | None = None
        """The fault that the readings have shown, until they contradict it."""

    def note(self, before: Inputs, now: Inputs, at: float, *, by_hands: bool = False) -> None:
        """Take note of a change of readings at a time; ``by_hands``: it is known that hands may have made it."""
        self.count(at)
        self._waiting.clear()
        changed = {at for at, (new, old) in enumerate(zip(now, before, strict=True)) if new != old}
        nodes = self._diagnosis.nodes_of
        touched = nodes(changed)
        busy = by_hands or any(at - then < MOMENT_S for node, then in self._changed_at.items() if node not in touched)
        self._changed_at |= dict.fromkeys(touched, at)
        for fault in {id(one): one for at in changed for one in self._diagnosis.mixed_at.get(at, ())}.values():
            inside = changed.intersection(fault.inputs)
            lay = self._lies.pop(fault.name, tuple(before))
            lies = follow(fault, now, lay)
            if lies is None:
                self._times.pop(fault.name, None)
                self.proved = None if self.proved is fault else self.proved
                continue
            moved = {at for at in fault.inputs if lies[at] != lay[at]}
            saved = len(nodes(inside)) - len(nodes(moved))
            # A node that changes alone is a hand's, also beside one where something lies.
            if saved > 0 and not busy and 1 < len(nodes(inside)) == len(touched) <= 2 * HANDS:
                self._waiting.append((fault, lies))
                self.due = at + MOMENT_S
            if fault.name in self._times:
                self._lies[fault.name] = lies

    def count(self, at: float) -> None:
        """Count what has happened a moment before this time, and nothing since."""
        if at < self.due:
            return
        self.due = inf
        for fault, lies in self._waiting:
            self._lies[fault.name] = lies
            self._times[fault.name] = self._times.get(fault.name, 0) + 1
            if self._times[fault.name] >= PROOF and self.proved is None:
                self.proved = fault
        self._waiting.clear()

    def blame(self, nodes: Collection[str], now: Inputs) -> None:
        """Take a fault for proved that has happened once, if it explains pieces on nodes where none belongs."""
        for fault in sorted(self._diagnosis.mixed, key=lambda one: -self._times.get(one.name, 0)):
            lies = self._lies.get(fault.name)
            if self.proved is not None or lies is None or follow(fault, now, lies) is None:
                continue
            if any(now[at] and not lies[at] and self._diagnosis.nodes[at] in nodes for at in fault.inputs):
                self.proved = fault
