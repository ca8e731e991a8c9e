"""The mapping wizard's records, and the wiring that follows from them: pixel ↔ channel ↔ node. Plain data, no time.

A map needs two rounds. In the round of *lights* a stone is put at one lit pixel after another: pixel ↔ channel. In the
round of *names* a stone is put on one node after another, in wells over each of nine sensors (``b3/4``): node ↔
channel. No name has to be typed, and a sensor that answers to two lights or two names is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hw.ports import RING, BoardDescription, sensor_name

ROUNDS = {"both": ("light", "name"), "channels": ("name",), "pixels": ("light",)}
"""What to learn → the necessary rounds."""


Channels = int | tuple[int, ...]
"""A node's channel, or the nine of a well: the ring clockwise from north, then the middle."""


@dataclass(frozen=True)
class Step:
    """One stone: where a pixel is lit (round ``light``), or on a named node or sensor (round ``name``)."""

    round: str
    pixel: int = -1
    node: str = ""

    @property
    def key(self) -> str:
        """Return the step's name in saved records."""
        return f"pixel {self.pixel}" if self.round == "light" else f"node {self.node}"


@dataclass(frozen=True)
class Record:
    """The result of a step: a channel, or None and the reason; ``told`` is the node named by a person, if any."""

    channel: int | None
    why: str = ""
    told: str = ""


@dataclass(frozen=True)
class Wiring:
    """The wiring that follows from all records."""

    nodes: Mapping[str, tuple[Channels, int]]
    """Node → (channel or nine channels, pixel); empty while ``open`` has entries."""
    notes: tuple[str, ...] = ()
    """Unproven results, and faults of the board."""
    open: tuple[str, ...] = ()
    """Missing results, one line each."""


@dataclass
class Learned:
    """The records of all finished steps, in order."""

    board: BoardDescription
    what: str = "both"
    records: dict[str, Record] = field(default_factory=dict)
    pixels: Sequence[int] | None = None
    """The pixels to light; None for all."""

    def steps(self) -> list[Step]:
        """Return all steps in their order."""
        found: list[Step] = []
        pixels = range(self.board.lights.length) if self.pixels is None else self.pixels
        for part in ROUNDS[self.what]:
            if part == "light":
                found += [Step("light", pixel=pixel) for pixel in pixels]
            else:
                found += [Step("name", node=sensor) for sensor in self.board.sensor_names()]
        return found

    def next(self) -> Step | None:
        """Return the first step without a record; nodes that a person named at a light are skipped. None at the end."""
        told = {f"node {self._alone(record.told)}" for record in self.records.values() if record.told}
        return next((step for step in self.steps() if step.key not in self.records and step.key not in told), None)

    def earlier(self, step: Step, channel: int) -> str | None:
        """Return the key of another step of the same round with this channel; None if there is none."""
        begins = "pixel " if step.round == "light" else "node "
        for key, record in self.records.items():
            if record.channel == channel and key.startswith(begins) and key != step.key:
                return key
        return None

    def forget_failures(self) -> int:
        """Remove the records without a channel, so that their steps are repeated; return their number."""
        failed = [key for key, record in self.records.items() if record.channel is None and not record.told]
        for key in failed:
            del self.records[key]
        return len(failed)

    # -- what follows --------------------------------------------------------------------------------------------

    def wiring(self) -> Wiring:
        """Return the wiring that the records prove; a single missing pixel follows by elimination."""
        notes = [f"{key}: {record.why}" for key, record in self.records.items() if record.why]
        channels = self._channels(notes)
        unproven = [sensor for sensor in self.board.sensor_names() if sensor not in channels]
        free = [channel for channel in range(self.board.channels) if channel not in channels.values()]
        if shared := _shared(channels):
            return Wiring({}, tuple(notes), tuple(shared))
        # A sensor that never answers gets any of the remaining channels.
        channels |= dict(zip(unproven, free, strict=True))
        if unproven:
            notes.append(f"no sensor answered at {', '.join(unproven)}: they get {_listed(free)}, unproven")
        pixels = self._pixels(channels)
        unlit = [node for node in self.board.nodes if node not in pixels]
        spare = [pixel for pixel in range(self.board.lights.length) if pixel not in pixels.values()]
        if len(unlit) == 1 and len(spare) == 1:
            notes.append(f"{unlit[0]}: pixel {spare[0]} is the only one left")
            pixels[unlit[0]] = spare[0]
        elif unlit:
            return Wiring({}, tuple(notes), tuple(f"{node}: its pixel is not known" for node in unlit))
        return Wiring({node: (self._own(node, channels), pixels[node]) for node in self.board.nodes}, tuple(notes))

    def _own(self, node: str, channels: Mapping[str, int]) -> Channels:
        """Return a node's channel, or its nine channels."""
        if not self.board.nodes[node].ring:
            return channels[node]
        return tuple(channels[sensor_name(node, place)] for place in range(RING + 1))

    def _alone(self, node: str) -> str:
        """Return the name of the sensor that detects a stone in the middle of a node."""
        return sensor_name(node, RING if self.board.nodes[node].ring else None)

    def _channels(self, notes: list[str]) -> dict[str, int]:
        if self.what == "pixels":
            return dict(self.board.sensor_names())
        found: dict[str, int] = {}
        for key, record in self.records.items():
            part, _, name = key.partition(" ")
            if record.channel is not None and (part == "node" or record.told):
                node = name if part == "node" else self._alone(record.told)
                if node in found and found[node] != record.channel:
                    notes.append(f"{node}: channels {found[node]} and {record.channel} both answered there")
                found[node] = record.channel
        return found

    def _pixels(self, channels: Mapping[str, int]) -> dict[str, int]:
        if self.what == "channels":
            return {node: wiring.pixel for node, wiring in self.board.nodes.items()}
        nodes = {channel: sensor.partition("/")[0] for sensor, channel in channels.items()}
        found = {}
        for key, record in self.records.items():
            part, _, number = key.partition(" ")
            if part != "pixel":
                continue
            node = record.told or (nodes.get(record.channel) if record.channel is not None else None)
            if node:
                found[node] = int(number)
        return found

    # -- keeping -------------------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Any]:
        """Return all records, ready for JSON."""
        steps = [[key, record.channel, record.why, record.told] for key, record in self.records.items()]
        return {"board": self.board.name, "what": self.what, "records": steps}

    def take_up(self, kept: object) -> None:
        """Restore the result of :meth:`kept`. Raise ValueError naming the part that does not fit this board."""
        if not isinstance(kept, dict) or kept.get("board") != self.board.name or kept.get("what") not in ROUNDS:
            raise ValueError(f"expected what was learned of board {self.board.name!r}")
        if kept["what"] != "channels" and not self.board.lights.wired:
            raise ValueError("it was begun with lights, and this board has none")
        self.what = kept["what"]
        known = {step.key for step in self.steps()}
        records: dict[str, Record] = {}
        for entry in kept.get("records", ()):
            if not _is_record(entry, known, self.board.channels):
                raise ValueError(f"expected [step, channel, why, told] of a step of this board, got {entry!r:.80}")
            records[entry[0]] = Record(*entry[1:])
        self.records = records


def _is_record(entry: object, keys: set[str], channels: int) -> bool:
    if not isinstance(entry, list) or len(entry) != 4:
        return False
    key, channel, why, told = entry
    whole = isinstance(channel, int) and not isinstance(channel, bool) and 0 <= channel < channels
    return key in keys and (channel is None or whole) and isinstance(why, str) and isinstance(told, str)


def _shared(channels: Mapping[str, int]) -> list[str]:
    owners: dict[int, list[str]] = {}
    for node, channel in channels.items():
        owners.setdefault(channel, []).append(node)
    return [f"{' and '.join(nodes)} share channel {channel}" for channel, nodes in owners.items() if len(nodes) > 1]


def _listed(numbers: list[int]) -> str:
    return f"channel{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
