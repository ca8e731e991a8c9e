"""Sensors that are not believed any more: who masks them, until when, and which may be stuck.

The program masks the sensors of a part that it has found broken; people mask one that they see to be wrong. A step that
touches a masked node always needs an answer on a phone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from firmware_host.games.drawing import Node
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, BETWEEN_GAMES, Event, Seat, Word, event, post
from firmware_host.table.ledger import Ledger
from firmware_host.table.pieces import noun
from firmware_host.table.state import SILENT, Table
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.table.subjects.boardless import without_board
from firmware_host.table.watch import Tracker
from firmware_host.text.words import fill, say

MAX_BY_PLAYERS = 3
"""Maximum number of sensors that players may have ignored: more is the host's decision, as the board sees little."""
BY_PEOPLE = {"player": say("a player says so"), "host": say("the host says so")}
"""Who wants a sensor ignored."""
OLD_BY_PEOPLE = {"a player says so": "player", "the host says so": "host"}
"""The same as journals of earlier versions have it."""


@post("/api/mask", "Ignore a node's sensor from now on", "node")
@post("/api/host/mask", "Ignore a node's sensor from now on", "node")
@event(ANY, line="mask seat node")
class SensorMasked(Event):
    """A node's sensor is ignored from now on. ``seat`` None: the host or the program decided it.

    The program gives the ``fault`` that it has found, a short text for programs, and the ``reason`` in words; what
    people decide has no further reason. The number of sensors that players may have ignored is limited.
    """

    node: Word
    reason: str = ""
    seat: Seat | None = None
    fault: str | None = None

    def happen(self, change: Change) -> None:
        """Ignore a sensor. Raise TableError if players have had too many ignored already."""
        table, masked = change.table, KEPT.of(change.table.ledger)
        if self.node not in table.watch.tracker.sensed:
            raise TableError("bad_node", say("node: {node} is not on this board", node=repr(self.node[:20])))
        if self.node in masked:
            return
        by_players = sum(mask.reason == "player" for mask in masked.values())
        if self.seat is not None and by_players >= MAX_BY_PLAYERS:
            words = say("players can have {most} sensors ignored at a time; the host can add more", most=MAX_BY_PLAYERS)
            raise TableError("too_many", words)
        if self.seat is None and self.fault is not None:
            change.enter("mask", {"node": self.node, "reason": self.fault, "words": self.reason})
        else:
            change.enter("mask", {"node": self.node, "reason": "host" if self.seat is None else "player"})
        _tell_watch(table)


@post("/api/unmask", "Use a node's sensor again", "node")
@post("/api/host/unmask", "Use a node's sensor again", "node")
@event(ANY, line="unmask seat node")
class SensorUnmasked(Event):
    """A node's sensor is used again."""

    node: Word
    seat: Seat | None = None

    def happen(self, change: Change) -> None:
        table = change.table
        if self.node not in KEPT.of(table.ledger):
            raise TableError("bad_node", say("node: the sensor of {node} is not masked", node=repr(self.node[:20])))
        change.enter("unmask", {"node": self.node})
        _tell_watch(table)


@dataclass(frozen=True)
class Mask:
    """Why a sensor is ignored: for programs (``player``, ``host``, or the fault that was found), and in words.

    Journals of earlier versions have words alone: what people decided is known by its sentence, and a fault's words
    stand for its code.
    """

    reason: str
    words: str

    @property
    def is_fault(self) -> bool:
        """Return whether the program has found a fault: its kind and first channel, as ``chip:8``."""
        return ":" in self.reason and self.reason != self.words


KEPT: SubjectState[Mapping[str, Mask]] = SubjectState({})


class Suspect(TypedDict):
    node: Node
    words: str


class SensorsView(TypedDict):
    kind: str
    masked: Mapping[str, str]
    suspects: Sequence[Suspect]


class SensorsPart(TypedDict):
    sensors: SensorsView


def _view(table: Table) -> SensorsPart:
    masked = {node: mask.words for node, mask in KEPT.of(table.ledger).items()}
    return {
        "sensors": {"kind": table.kind, "masked": masked, "suspects": [] if without_board(table) else _suspects(table)}
    }


def _suspects(table: Table) -> list[Suspect]:
    """Return the nodes whose sensor may be stuck, or drops out, with a question in words: only people can decide.

    None while a notice tells what they have in common.
    """
    tracker, channels = table.watch.tracker, table.channels
    seen, unsteady, exchanged = tracker.sensed, tracker.unsteady(), tracker.exchanged()

    def words(node: str) -> str:
        shown = noun(table.game, [node]).a if seen[node] else say("nothing")
        if node in unsteady:
            return fill(_UNSTEADY, node=node)
        other = exchanged.get(node, node)
        if other != node and {node, other} <= channels.keys():
            return fill(_EXCHANGED, node=node, other=other, channel=channels[node], beside=channels[other])
        if node in tracker.turned_nodes():
            return fill(_TURNED, node=node)
        stuck = _SUSPECT_ON_CHANNEL if node in channels else _SUSPECT
        return fill(stuck, node=node, shown=shown, channel=channels.get(node))

    return [
        {"node": node, "words": words(node)}
        for node in table.watch.suspects
        if table.phase not in BETWEEN_GAMES and table.board_lost is None and not table.paused
        if SILENT not in table.notices
    ]


_UNSTEADY = say(
    "The sensor of {node} drops out now and then: centre the piece. If that does not help, play on without the sensor."
)
_SUSPECT = say("The sensor of {node} shows {shown}. If that is wrong, it is stuck: play on without it.")
_SUSPECT_ON_CHANNEL = say(
    "The sensor of {node} (channel {channel}) shows {shown}. If that is wrong, it is stuck: play on without it."
)
_TURNED = say(
    "The sensor of {node} shows the pole of the other colour. If the right piece lies there, turn its magnet over, or "
    "exchange its two switches; or play on without the sensor."
)
_ALL_TURNED = say(
    "Every piece shows the pole of the other colour. If they lie right, turn the magnets of all pieces over, or "
    "exchange the two switches of all sensors (linear ones: calibrate them anew)."
)
_OR_EXCHANGED = say("{words} Or the two sensors are exchanged.")
_EXCHANGED = say(
    "The sensors of {node} and {other} (channels {channel} and {beside}) each show what the other should. If the "
    "pieces lie right, the wires of the two sensors are exchanged: exchange them back, or play on without both."
)


def turned_words(tracker: Tracker) -> str | None:
    """Return what is wrong if all pieces show the other pole. Two may also lie over each other's sensor."""
    shown = {*tracker.differing, *(node for node, sensed in tracker.sensed.items() if sensed)} - tracker.masked
    words = fill(_OR_EXCHANGED, words=_ALL_TURNED) if tracker.exchanged() else _ALL_TURNED
    return words if len(shown) > 1 and shown == tracker.turned_nodes() else None


def _tell_watch(table: Table) -> None:
    table.watch.mask(KEPT.of(table.ledger), table.at)


def _fold_mask(ledger: Ledger, data: Mapping[str, Any]) -> None:
    node, reason = data["node"], OLD_BY_PEOPLE.get(data["reason"], data["reason"])
    mask = Mask(reason, BY_PEOPLE.get(reason) or data.get("words", reason))
    KEPT.put(ledger, {**KEPT.of(ledger), node: mask})
    ledger.tell(say("The sensor of {node} is ignored from now on: {reason}.", node=node, reason=mask.words))


def _fold_unmask(ledger: Ledger, data: Mapping[str, Any]) -> None:
    KEPT.put(ledger, {node: why for node, why in KEPT.of(ledger).items() if node != data["node"]})
    ledger.tell(say("The sensor of {node} is used again.", node=data["node"]))


SUBJECT = Subject(
    entries={"mask": _fold_mask, "unmask": _fold_unmask},
    restored=_tell_watch,
    view=_view,
)
