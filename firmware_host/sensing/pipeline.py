"""From scans to events for the table: implausible readings are ignored, and faults of sensors are reported.

A scan is one reading of all sensors at nearly the same time, some sixty times a second. It passes three questions:

1. *Can hands have done this?* (health.py) A chip, a cable or a supply that fails changes many nodes at once,
   in patterns that follow the wiring and that no hand can make. Such sensors are masked: the table no longer believes
   them. A scan that can't be trusted as a whole is dropped, and the game waits.
2. *Does the reading stand?* (debounce.py) Contacts bounce for some milliseconds (Ganssle, "A Guide to
   Debouncing", 2004: mostly below 6 ms), and a magnet that comes near crosses the threshold more than once. A state
   counts after three equal scans. Analogue sensors have a threshold for each number of stones, with a distance
   between coming and going (a Schmitt trigger).
3. *Is it still well?* A contact that changes more often than hands can is flapping, and masked until it rests.

A masked part is watched on. When it has worked for a moment its nodes are read anew before they are believed, so that
the table never acts on what was seen before the fault. A board that does not answer is opened again, twice a second.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Occupancy, Stack
from firmware_host.sensing.debounce import Debouncer, Unread
from firmware_host.sensing.health import POLE_MARKS, BrokenSensors, Expected, ScanHealth, ScanJudgement
from firmware_host.table import events as ev
from firmware_host.table.state import SILENT, Table
from firmware_host.table.subjects import masks
from firmware_host.table.subjects.masks import SensorMasked, SensorUnmasked
from firmware_host.table.subjects.resolving import BoardBack, BoardChanged, BoardLost, Noticed, SensorChanged
from firmware_host.text.words import hardware_words, list_of, lost_words, say
from hw.ports import CODED, BoardDescription, HardwareError, NodeWiring, OpenBoard, complaint_of
from hw.tile_codes import MIDDLE, Suspicion, TileCodes, split_sensed

_log = logging.getLogger(__name__)

FAILING_S = 0.1
"""So long no scan at all must have succeeded before play pauses, seconds: on a long bus single messages are lost."""
REOPEN_S = 0.5
"""Pause before the next attempt to scan lost sensors."""
HEAL_S = 0.3
"""Time for which a part must work again before its sensors are used; until then their sensed states are old."""
CHECK_S = 1.0
"""Period of the checks for flapping contacts and ignored scans."""
FAILED_S, FAILED_SHARE = 10.0, 0.2
"""People are told when more than this share of the scans of this time has failed: single ones cost nothing."""
REST_S = 10.0
"""Time for which a contact must not flap before it is used again, seconds."""
FLAPPING = "flapping"
"""The kind of fault of a contact that changes more often than hands can change it."""
SHOWN_AT_REST = frozenset({"chip", "pair"})
"""The kinds of faults that a board at rest shows; wires that touch show only while pieces come and go."""
SMOOTH = 0.05
"""Weight of the newest interval between scans in the moving average."""


class ScanRate:
    """How often the sensors are scanned."""

    def __init__(self) -> None:
        """Begin before the first scan."""
        self._at: float | None = None
        self._gap: float | None = None

    def note(self, at: float) -> None:
        """Take note of a scan."""
        gap = None if self._at is None else at - self._at
        self._at = at
        self._gap = gap if gap is None or self._gap is None else self._gap + SMOOTH * (gap - self._gap)

    def per_s(self) -> float | None:
        """Return the number of scans a second, None before the second one."""
        return round(1 / self._gap, 1) if self._gap else None


class SensorPipeline:
    """Scans, judges and debounces the sensors. ``table`` returns the present table, None before the first one."""

    def __init__(self, board: OpenBoard, table: Callable[[], Table | None]) -> None:
        """Start with every node empty and no faults."""
        self.rate = ScanRate()
        self._board = board
        self._table = table
        self._debouncer = Debouncer(board.description)
        self._health = ScanHealth(
            board.description, self._expected_nodes, self._expected_poles, self._ends, self._masked_nodes
        )
        self._lost_until: float | None = None
        self._failing: tuple[float, str] | None = None
        """The time of the first scan that has failed since the last good one, and why: later ones may tell less."""
        self._failed: deque[float] = deque()
        """When scans of late have failed."""
        self._why_failed = ""
        self._paused_for: str | None = None
        self._warned: str | None = None
        self._said: dict[str, str] = {}
        """Subject → notice that is shown about a single well or its sensor."""
        self._codes = TileCodes({name: tile.ring for name, tile in board.description.tiles.items() if tile.ring})
        self._next_check = 0.0
        self._gone: dict[str, BrokenSensors] = {}
        """Masked node → the broken part."""
        self._well: dict[str, None] = {}
        """Those of them whose part works again; they are unmasked at ``_well_at``."""
        self._well_at = 0.0
        self._restless: dict[str, float] = {}
        """Node that is masked because it flaps → when that was seen last."""

    def look(self, at: float) -> Iterator[ev.Event]:
        """Scan once and yield events. The caller handles each event before it takes the next one.

        A driver that fails in an unexpected way is a board that does not answer: play pauses, and says so.
        """
        if self._lost_until is not None and at < self._lost_until:
            return
        self.rate.note(at)
        try:
            readings = self._board.sensors.scan()
        except Exception as error:  # noqa: BLE001 - a driver of another package may raise anything
            if isinstance(error, HardwareError):
                now = lost_words(error)
            elif (now := f"{type(error).__name__}: {error}") != self._why_failed:
                _log.exception("The sensors' driver has failed in an unexpected way.")
            since, why = self._failing or (at, now)
            self._failing = since, why
            self._failed.append(at)
            self._why_failed = why
            if at >= since + FAILING_S:
                self._lost_until = at + REOPEN_S
                self._failed.clear()  # A pause says it.
                yield from self._pause(why if self._paused_for is None else now, at)
            return
        self._lost_until = self._failing = None
        judged = self._health.judge(readings, at)
        if judged.trouble is not None:
            yield from self._pause(judged.trouble, at)
        if judged.trusted:
            yield from self._masks(judged, at)
            yield from _changes(tuple(self._debouncer.feed(readings, at)), at)
            if self._paused_for is not None:
                self._paused_for = None
                yield BoardBack(at=at)
        if at >= self._next_check:
            self._next_check = at + CHECK_S
            yield from self._check(at)
            table = self._table()
            watch = table.watch if table is not None and table.ledger.started else None
            asked = watch.problem.nodes if watch is not None and watch.problem is not None else ()
            self._health.look_again([node for node in asked if watch is not None and not watch.target.get(node)])

    def standing(self, at: float) -> Iterator[ev.Event]:
        """Yield the events for a new table: present faults, and the pieces on the board."""
        if self._paused_for is not None:
            yield BoardLost(at=at, reason=self._paused_for)
        if self._warned is not None:
            yield Noticed(at=at, what="scans", text=self._warned)
        for what, text in self._said.items():
            yield Noticed(at=at, what=what, text=text)
        for node, broken in self._gone.items():
            yield from self._mask(replace(broken, nodes=(node,)), at)
        yield from _changes(tuple((node, sensed) for node, sensed in self._debouncer.stable.items() if sensed), at)

    def _pause(self, reason: str, at: float) -> Iterator[ev.Event]:
        if reason != self._paused_for:
            self._paused_for = reason
            yield BoardLost(at=at, reason=reason)

    def _masks(self, judged: ScanJudgement, at: float) -> Iterator[ev.Event]:
        for broken in judged.broken:
            self._gone |= dict.fromkeys(broken.nodes, broken)
            for node in broken.nodes:  # It worked for a moment only.
                self._well.pop(node, None)
            yield from self._mask(broken, at)
        if judged.healed:
            self._well_at = at + HEAL_S
            self._well |= dict.fromkeys(judged.healed)
        if self._well and at >= self._well_at:
            yield from self._unmask(at)

    def _unmask(self, at: float) -> Iterator[ev.Event]:
        """Unmask the nodes that work again, now that their sensed states are current."""
        table = self._table()
        for node in self._well:
            broken = self._gone.pop(node, None)
            mask = masks.KEPT.of(table.ledger).get(node) if table is not None else None
            if broken is not None and mask is not None and mask.reason in {broken.fault, broken.reason}:
                yield SensorUnmasked(at=at, node=node)
        self._well = {}

    def _mask(self, broken: BrokenSensors, at: float) -> Iterator[ev.Event]:
        table = self._table()
        for node in broken.nodes:
            if table is not None and node not in masks.KEPT.of(table.ledger):
                yield SensorMasked(at=at, node=node, reason=broken.reason, fault=broken.fault)

    def _check(self, at: float) -> Iterator[ev.Event]:
        for node in self._debouncer.readmit_sensors():
            yield from self._say(f"sensor {node}", None, at)
        for node, channels in self._debouncer.flapping(at):
            self._restless[node] = at
            yield from self._flaps(node, channels, at)
        yield from self._end_masks(at)
        yield from self._narrow(at)
        yield from self._unread(at)
        yield from self._silence(at)
        complaint = complaint_of(self._board.sensors)
        yield from self._say("parts", None if complaint is None else hardware_words(complaint), at)
        yield from self._say("failed", self._failed_words(at), at)
        warning = self._health.warning(at)
        if warning != self._warned and self._table() is not None:
            # The number in it changes all the time, so only its beginning and end are reported.
            if warning is None or self._warned is None:
                yield Noticed(at=at, what="scans", text=warning)
            self._warned = warning

    def _flaps(self, node: str, channels: Sequence[int], at: float) -> Iterator[ev.Event]:
        """Ignore a flapping sensor if it is the only bad one of a well's nine; else mask its node."""
        board = self._board.description
        place = board.sensors()[channels[0]][1]
        if place is None or len(channels) > 1 or self._debouncer.ignored[node] - {place}:
            yield from self._mask(
                BrokenSensors((node,), flapping_words(board, channels), f"{FLAPPING}:{channels[0]}"), at
            )
        elif place not in self._debouncer.ignored[node]:
            self._debouncer.ignore_sensor(node, place)
            yield from self._say(f"sensor {node}", without_words(board, channels[0]), at)

    def _end_masks(self, at: float) -> Iterator[ev.Event]:
        """Unmask contacts that have come to rest, and parts that an earlier run of the program has found broken.

        Of these only the masks are known. The position is the witness: where all sensors of such a part show what it
        says, and one of them a piece, the part works (of a single sensor its rest tells as much).
        """
        table = self._table()
        if table is None or not table.ledger.started or self._health.is_in_doubt:
            return
        parts: dict[str, list[str]] = {}
        for node, mask in masks.KEPT.of(table.ledger).items():
            if mask.is_fault and node not in self._gone and node in self._debouncer.stable:
                parts.setdefault(mask.reason, []).append(node)
        for fault, nodes in parts.items():
            kind = fault.partition(":")[0]
            if kind == FLAPPING:
                works = at >= self._restless.setdefault(nodes[0], at) + REST_S
            else:
                works = kind in SHOWN_AT_REST and self._show_position(table, nodes)
            for node in nodes if works else ():
                self._restless.pop(node, None)
                yield SensorUnmasked(at=at, node=node)

    def _show_position(self, table: Table, nodes: Sequence[str]) -> bool:
        """Return whether the sensors of a part show what the position says, and are not all silent."""
        seen, fits = self._debouncer.stable, table.watch.tracker.model.fits
        shown = len(nodes) == 1 or any(seen[node] for node in nodes)
        return shown and all(fits(node, table.watch.target.get(node), seen[node]) for node in nodes)

    def _narrow(self, at: float) -> Iterator[ev.Event]:
        """For a masked well with exactly one wrong sensor, ignore that sensor and use the others again."""
        table = self._table()
        masked = masks.KEPT.of(table.ledger) if table is not None else {}
        board = self._board.description
        for found in self._debouncer.unread():
            node, mask, faults = found.node, masked.get(found.node), self._faults(found)
            if mask is None or node in self._gone or len(faults) != 1:
                continue
            self._debouncer.ignore_sensor(node, faults[0].place)
            self._gone[node] = BrokenSensors((node,), mask.words, mask.reason)
            self._well[node], self._well_at = None, at + HEAL_S
            yield from self._say(
                f"sensor {node}", without_words(board, board.nodes[node].channels[faults[0].place]), at
            )

    def _failed_words(self, at: float) -> str | None:
        """Return that many scans have failed of late, though never so many in a row that play pauses."""
        while self._failed and self._failed[0] < at - FAILED_S:
            self._failed.popleft()
        if len(self._failed) <= FAILED_SHARE * FAILED_S * self._board.description.scan_hz:
            return None
        # Without the number of scans, which changes all the time.
        return say(
            "Many scans of the sensors fail, the last one: {reason}. "
            "Play goes on; look for loose wires and long cables.",
            reason=self._why_failed,
        )

    def _silence(self, at: float) -> Iterator[ev.Event]:
        """Yield the notice of what several sensors have in common that do not answer, and its end."""
        table = self._table()
        watch = table.watch if table is not None and table.ledger.started else None
        quiet = [node for node in watch.suspects if not self._debouncer.stable[node]] if watch is not None else []
        text = self._health.silent(quiet) if quiet else None
        if text is None and watch is not None and at >= watch.tracker.last_event + watch.timings.suspect:
            text = masks.turned_words(watch.tracker)
        yield from self._say(SILENT, text, at)

    def _unread(self, at: float) -> Iterator[ev.Event]:
        """Yield notices of wells that can't be read, with the reason, and of those that can be read again."""
        table = self._table()
        masked = masks.KEPT.of(table.ledger) if table is not None else {}
        words = {
            f"well {found.node}": unread_words(self._board.description, found, self._faults(found))
            for found in self._debouncer.unread()
            if found.since <= at - UNREAD_S and found.node not in masked
        }
        for what in [what for what in self._said if what.startswith("well ") and what not in words]:
            yield from self._say(what, None, at)
        for what, text in words.items():
            yield from self._say(what, text, at)

    def _faults(self, found: Unread) -> list[Suspicion]:
        """Return the single sensors that may be the fault of an unread well; empty if one is ignored already."""
        table = self._table()
        if self._debouncer.ignored[found.node] or table is None or not table.ledger.started:
            return []
        coming = _next_tile(table)
        return faults_of(self._codes, found, table.watch.target.get(found.node, ()), coming)

    def _say(self, what: str, text: str | None, at: float) -> Iterator[ev.Event]:
        if text == self._said.get(what) or self._table() is None:
            return
        self._said.pop(what, None)
        if text is not None:
            self._said[what] = text
        yield Noticed(at=at, what=what, text=text)

    def _expected_nodes(self) -> Collection[str]:
        """Return the nodes that are occupied when the board is as the table wants it now."""
        table = self._table()
        return tuple(table.watch.target) if table is not None and table.ledger.started else ()

    def _expected_poles(self, node: str) -> Collection[int]:
        """Return the marks that the wanted stack may give at a node; none where the sensors tell no poles."""
        table = self._table()
        return () if table is None else self._poles(table, table.watch.target, node)

    def _poles(self, table: Table, board: Occupancy, node: str) -> Collection[int]:
        if self._board.description.kind not in {"polarity", "level"}:
            return ()
        states = table.watch.tracker.model.sensed_states(node, board.get(node))
        return {POLE_MARKS[state[0]] for state in states if state[:1] in POLE_MARKS}

    def _ends(self) -> Iterator[Expected]:
        """Yield the boards after each step that hands may make now, and after the step back."""
        table = self._table()
        if table is None or not table.ledger.started or self._board.description.kind == CODED:
            return
        for one in table.watch.tracker.hypotheses.near:
            yield one.step.after.keys(), partial(self._poles, table, one.step.after)

    def _masked_nodes(self) -> Collection[str]:
        """Return the nodes whose sensors people do not believe; of a broken part's its fault tells how they read."""
        table = self._table()
        kept = masks.KEPT.of(table.ledger) if table is not None else {}
        return [node for node, mask in kept.items() if not mask.is_fault]


def _changes(sensed_states: tuple[tuple[str, str], ...], at: float) -> Iterator[ev.Event]:
    """Yield one event for all changes of one scan."""
    if len(sensed_states) == 1:
        node, sensed = sensed_states[0]
        yield SensorChanged(at=at, node=node, sensed=sensed)
    elif sensed_states:
        yield BoardChanged(at=at, sensed_states=sensed_states)


def _next_tile(table: Table) -> str:
    """Return the tile that is laid next; empty if the game has none or fails to name it."""
    tiles, ledger = capabilities_of(table.game).tiles, table.ledger
    try:
        return tiles.supply(ledger.now.position).piece if tiles and not ledger.over else ""
    except Exception:  # noqa: BLE001 - a game that fails must not end the reading of sensors
        _log.exception("The next tile is not known.")
        return ""


UNREAD_S = 2.0
"""Time for which a well must be unreadable before a message; hands at work take less."""


def flapping_words(board: BoardDescription, channels: Sequence[int]) -> str:
    """Return the reason for masking a node with flapping contacts."""
    if board.sensors()[channels[0]][1] is None:
        return say("flapping (channel {channel}): look for a loose wire or joint", channel=channels[0])
    which = list_of(sensor_words(board, channel) for channel in channels)
    return say("flapping: {sensors}: look for a loose wire or joint", sensors=which)


def without_words(board: BoardDescription, channel: int) -> str:
    """Return the message about an ignored sensor."""
    return say(
        "{sensor} is ignored, as the other eight show what it should read: "
        "look for a loose wire or joint, or a magnet that is lost.",
        sensor=sensor_words(board, channel),
    )


def sensor_words(board: BoardDescription, channel: int) -> str:
    """Return a sensor's name with its channel: ``b3, ring sensor 4 (channel 87)``."""
    node, place = board.sensors()[channel]
    if place is None:
        return say("{node} (channel {channel})", node=node, channel=channel)
    if place == MIDDLE:
        return say("{node}, middle sensor (channel {channel})", node=node, channel=channel)
    return say("{node}, ring sensor {place} (channel {channel})", node=node, place=place, channel=channel)


def faults_of(codes: TileCodes, found: Unread, expected: Stack, coming: str = "") -> list[Suspicion]:
    """Return every single wrong sensor that would explain the readings.

    The tile in question is the last one that was read there, because a tile can't be exchanged without an empty well in
    between. Else it is the expected tile (or none), or the next tile to be laid (``coming``), in any turning.
    """
    if found.before:
        return [one for one in codes.explain(found.bits) if one.sensed == found.before]
    sensed = expected[-1] if len(expected) == 1 else ""
    known = len(expected) < 2 and (not sensed or split_sensed(sensed) is not None)
    return [
        one
        for one in codes.explain(found.bits)
        if (known and one.sensed == sensed) or (coming and one.sensed and _name(one.sensed) == coming)
    ]


def unread_words(board: BoardDescription, found: Unread, faults: Sequence[Suspicion]) -> str:
    """Return the message about a node that shows no whole tile; ``faults`` is the result of :func:`faults_of`.

    It blames a single sensor only if no other one can be wrong.
    """
    node = board.nodes[found.node]
    return say("{node} can't make out the tile: {why}", node=found.node, why=_unread(board, node, found, faults))


def _unread(board: BoardDescription, node: NodeWiring, found: Unread, faults: Sequence[Suspicion]) -> str:
    if sum(found.bits) == found.bits[MIDDLE]:
        which = sensor_words(board, node.channels[MIDDLE])
        return say(
            "only {sensor} detects something. A round piece does not belong there; or the sensor is stuck.",
            sensor=which,
        )
    if len(faults) == 1:
        return _fault_words(faults[0], sensor_words(board, node.channels[faults[0].place]))
    if faults:
        may_be = [sensor_words(board, node.channels[fault.place]) for fault in faults]
        which = reduce(lambda first, last: say("{first}, or {last}", first=first, last=last), may_be)
        return say("{sensors} may be wrong. Check that the tile lies flat and has all its magnets.", sensors=which)
    if all(found.bits[:MIDDLE]):
        channels = [str(channel) for channel in node.ring[:MIDDLE]]
        return say(
            "its whole ring detects something. Check what reads the channels {channels}.", channels=", ".join(channels)
        )
    return say(
        "{count} of nine sensors detect something. Check that one tile lies there alone, flat and whole.",
        count=sum(found.bits),
    )


def _fault_words(fault: Suspicion, which: str) -> str:
    if not fault.sensed:
        return say(
            "only {sensor} detects something. Check whether something lies there; or the sensor is stuck.", sensor=which
        )
    if fault.reads:
        return say(
            "{sensor} detects something where tile {tile} has no magnet. "
            "Check that it lies flat and alone; or the sensor is stuck.",
            sensor=which,
            tile=_name(fault.sensed),
        )
    return say(
        "{sensor} detects nothing where tile {tile} has a magnet. "
        "Check that it lies flat and has all its magnets; or the sensor is dead.",
        sensor=which,
        tile=_name(fault.sensed),
    )


def _name(sensed: str) -> str:
    tile = split_sensed(sensed)
    return tile[0] if tile is not None else sensed
