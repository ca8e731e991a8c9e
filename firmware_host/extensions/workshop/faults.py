"""What explains that sensors of a board that is tried stone by stone fail, answer together, or answer for others.

Play asks what has broken (:mod:`firmware_host.sensing.diagnosis`); a board that was just built may also be soldered in
another order than its file says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

from firmware_host.sensing.diagnosis import PROOF, Diagnosis, mixed_words
from firmware_host.text.words import say
from hw.ports import Message
from hw.wires import Fault, Shows, Wired, dead_parts


class BuildersDiagnosis(Diagnosis):
    """The faults of a board's wires and parts, and of its soldering."""

    def failing(self, channels: Collection[int], reads: Mapping[int, int] | None = None) -> tuple[str, frozenset[int]]:
        """Return what explains that all these channels fail: words and its channels; ("", none) if nothing does.

        The largest part counts whose channels all fail. ``reads`` tells what they read, where that is something.
        """
        bad, reads = set(channels), reads or {}
        now = [int(at // self._share in reads) for at in self.whole]
        if len(bad) > 1 and bad.issuperset(self.channels(self.whole)):
            words = say("no sensor answers: {part} is open or shorted, or nothing feeds the sensors", part=self.wire)
            return (self._same_words(1) if reads else words), frozenset(bad)
        for one in reversed(self.dead):
            own = self.channels(one.inputs)
            if len(own) > 1 and bad.issuperset(own):
                return self.dead_words([one], now), frozenset(own)
        return "", frozenset()

    def exchange_words(self, seen: Mapping[int, int]) -> str:
        """Return which exchange of wires makes other channels answer; empty if none does.

        ``seen`` maps channels to those that answered for a stone there.
        """
        moved = {channel: other for channel, other in seen.items() if channel != other}
        if len(moved) < PROOF:
            return ""
        for fault in exchanges(self._wired):
            shows: dict[int, int] = {}
            for at, shown in (fault.reads or {}).items():
                for one in shown.any_of:
                    shows[one // self._share] = at // self._share
            if all(shows.get(channel, channel) == other for channel, other in seen.items()):
                return mixed_words(fault)
        return ""

    def together(self, channels: Collection[int]) -> str:
        """Return which fault makes these channels answer for one stone; empty if none does."""
        answering = {at for at in self.whole if at // self._share in channels}
        for fault in self.mixed:
            for at in answering:
                shown = {one for one, state in enumerate(fault.predicts(_only(at, len(self.whole)))) if state}
                if len(channels) > 1 and shown <= answering and self.channels(shown) == tuple(sorted(channels)):
                    return mixed_words(fault)
        return ""


def _only(at: int, count: int) -> list[int]:
    return [int(one == at) for one in range(count)]


def exchanges(wired: Wired) -> Iterator[Fault]:
    """Yield wires that are soldered in another order than the board file says: each input shows another's switch."""
    sensors = range(len(wired.sensors))
    parts = [one for one in dead_parts(wired) if "behind" not in one.where]
    for one, other in combinations(parts, 2):
        if len(one.inputs) > 1 and not set(one.inputs) & set(other.inputs):
            where = Message("{one} and {other} are exchanged", one=one.where, other=other.where)
            yield _exchange(where, {**dict(zip(one.inputs, other.inputs, strict=False)),
                                    **dict(zip(other.inputs, one.inputs, strict=False))})  # fmt: skip
    for one in parts:
        backwards = dict(zip(one.inputs, reversed(one.inputs), strict=True))
        yield _exchange(Message("the inputs of {part} are soldered in reverse", part=one.where), backwards)
    for low, high in combinations(range(4), 2) if wired.selectable_channels else ():
        moved = {}
        for by_channel in wired.selectable_channels.values():
            for channel, at in by_channel.items():
                swapped = (
                    channel & ~(1 << low | 1 << high) | (channel >> low & 1) << high | (channel >> high & 1) << low
                )
                if swapped in by_channel:
                    moved[at] = by_channel[swapped]
        where = Message("the select lines {one} and {other} are exchanged", one=f"S{low}", other=f"S{high}")
        yield _exchange(where, moved)
    for step in (1, -1):
        where = Message("every sensor is read one input further than the board file says")
        yield _exchange(where, {at: at + step for at in sensors if at + step in sensors})


def _exchange(where: Message, shown: Mapping[int, int]) -> Fault:
    reads = {at: Shows(frozenset((other,))) for at, other in shown.items() if at != other}
    return Fault(f"order {where}", where, Message("exchange them, or map the board"), tuple(reads), reads)
