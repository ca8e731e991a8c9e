"""What explains that sensors of a board that is tried stone by stone fail, answer together, or answer for others.

Play asks what has broken (:mod:`firmware_host.sensing.diagnosis`); a board that was just built may also be soldered in
another order than its file says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from firmware_host.sensing.diagnosis import PROOF, Diagnosis, mixed_words, spans
from firmware_host.text.words import Text, say
from hw.ports import ABSENT, BoardDescription, Message, StripWiring
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


# -- lights ------------------------------------------------------------------------------------------------------------
# Each pixel passes on the data of those behind it: where one is cut off, all up to the end of its strip stay dark. So
# failures are compared with the order of the pixels as well as with that of the sensors.


@dataclass(frozen=True)
class DarkRun:
    """Pixels up to the end of one strip, none of which has led to an answer."""

    strip: StripWiring
    pixels: tuple[int, ...]
    before: int | None
    """The last pixel of the strip that has led to an answer; None where the whole strip has not."""

    @property
    def words(self) -> Text:
        """Return where its data stop, and what to look at."""
        first, pin = self.pixels[0], self.strip.pin
        if self.before is None:
            return say(
                "no light on the whole strip on {pin} (pixels {pixels}): look at its data wire from {pin} to DIN of "
                "its first pixel, at its ground, and measure 5 V there.",
                pin=pin, pixels=spans(self.pixels),
            )  # fmt: skip
        return say(
            "no light from pixel {first} on (the strip on {pin}): look at DOUT of pixel {before}, at DIN of pixel "
            "{first} and at the wires between them, and measure 5 V there.",
            first=first, pin=pin, before=self.before,
        )  # fmt: skip

    def or_else(self, sensors: str) -> Text:
        """Return its words and, for the case that these pixels are lit, those that blame sensors, if there are any."""
        if not sensors:
            return self.words
        return say("{strip} If these pixels are lit: {sensors}", strip=self.words, sensors=sensors)


def strips_of(board: BoardDescription) -> Iterator[tuple[StripWiring, range]]:
    """Yield each strip of a board that has lights, with its pixels."""
    first = 0
    for strip in board.lights.strips:
        pixels = range(first, first + strip.length)
        first = pixels.stop
        if strip.over != ABSENT:
            yield strip, pixels


def dark_run(board: BoardDescription, pixel: int) -> DarkRun | None:
    """Return the whole strip of a pixel, as if it were dark; None where the pixel is none."""
    for strip, pixels in strips_of(board):
        if pixel in pixels:
            return DarkRun(strip, tuple(pixels), None)
    return None


def dark_runs(board: BoardDescription, answered: Mapping[int, bool]) -> Iterator[DarkRun]:
    """Yield for each strip the pixels up to its end that have led to no answer, if the last one has not.

    ``answered`` tells of the pixels that were tried whether something answered.
    """
    under = {wiring.pixel for wiring in board.nodes.values()}
    for strip, pixels in strips_of(board):
        tried = [pixel for pixel in pixels if pixel in under]
        if not tried or tried[-1] not in answered:
            continue
        led = [pixel for pixel in tried if answered.get(pixel, True)]
        dark = tuple(pixel for pixel in tried if not led or pixel > led[-1])
        if dark:
            yield DarkRun(strip, dark, led[-1] if led else None)
