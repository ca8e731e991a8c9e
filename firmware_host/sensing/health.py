"""Which scans are plausible, and which part is broken where one is not.

Scans, and the broken part behind an implausible one, are judged by readings and given times only. Hands change one or
two nodes from one scan to the next (all nine sensors of a well when a tile comes or goes), never many, and never move
every stone to the next input. The table does not get a scan that no hand can cause. If such scans last, the most likely
cause is named. If it is one part, its nodes are masked and play goes on with the others. Without a cause play stands
still: nobody is asked to put right what nobody has touched.

Every scan is judged anew, by the same ranking: each explanation (hands, or a fault that diagnosis.py predicts) says how
the board would lie now, and costs as many nodes as it leaves unexplained, compared with the board as it lay before.
Through a fault that board is followed as far as the fault shows it: hands that move stones meanwhile are nothing new
when the line is sound again. So a fault ends with the first scan that hands explain better, and nothing has to be
remembered but the board. The game's position is the witness where two boards are possible: hands may at any time have
put the stones where they should lie, and a line is called shifted only if the position says so, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from firmware_host.sensing.diagnosis import HANDS, Cause, Diagnosis, Habits, follow, mixed_words
from firmware_host.text.words import fill, say
from hw.ports import CODED, BoardDescription
from hw.registry import has_switch_pairs
from hw.wires import Fault

Expected = tuple[Collection[str], Callable[[str], Collection[int]]]
"""How a board may lie: its occupied nodes, and the marks that one of them may give (none where no poles are told)."""
POLE_MARKS = {"N": 1, "S": 2}
"""First letter of a sensed state → the mark of its readings."""

SWEPT = 3
"""Maximum number of nodes that change from one scan to the next when an arm sweeps the board."""
GAP_S = 0.25
"""After so long without a scan hands may have done anything."""
PATIENCE_S = 0.5
"""Time for which implausible scans are ignored; after it play pauses, or the steady readings are accepted."""
CHIP_S = 2.0
"""Time for which all inputs of a chip read the same before its nodes are masked."""
CALM_S = 0.3
"""Time of plausible scans before play continues after a pause."""
BOTH_S = 1.0
"""Time for which both switches of a node are closed before it is masked."""
SPARKS = 5
"""Maximum number of implausible spells within the window without a warning."""
SPARKS_WINDOW_S = 10.0

_BOTH = 3
Marks = tuple[int, ...]
"""State of each channel, without strengths: 0 nothing, 1 north (or a piece), 2 south, 3 both."""


@dataclass(frozen=True)
class BrokenSensors:
    """Nodes to mask, because their sensors are broken; ``reason`` says in words what is wrong, and what to do.

    ``fault`` names it for programs: the kind of fault and its first channel, ``chip:8``.
    """

    nodes: tuple[str, ...]
    reason: str
    fault: str


@dataclass(frozen=True)
class ScanJudgement:
    """The result for one scan.

    ``trusted``: the table may get the readings. ``trouble``: why play must pause, else None. ``broken`` (nodes to mask)
    and ``healed`` (masked nodes that work again) are reported once, and must be handled before the readings.
    """

    trusted: bool
    trouble: str | None = None
    broken: tuple[BrokenSensors, ...] = ()
    healed: tuple[str, ...] = ()


_GOOD = ScanJudgement(trusted=True)
_LEFT_OUT = ScanJudgement(trusted=False)


@dataclass(frozen=True)
class _Explanation:
    """One cause of a scan, with its key ("" for hands) and its sentence for people."""

    cost: int
    """Number of nodes whose change it leaves unexplained."""
    board: Marks
    """The state of the board, if this is the cause."""
    cause: str = ""
    trouble: str = ""
    masks: Cause | None = None
    """The fault without whose nodes play can go on."""
    is_sure: bool = False
    """Whether hands are no explanation, however few nodes have changed."""


@dataclass(frozen=True)
class _Masked:
    """Channels that are masked, and whether the readings still show the fault."""

    channels: tuple[int, ...]
    is_there: Callable[[Marks], bool]


class ScanHealth:
    """Judges every scan before any other use of it."""

    def __init__(
        self,
        board: BoardDescription,
        expected: Callable[[], Collection[str]] = tuple,
        poles: Callable[[str], Collection[int]] = lambda _: (),
        ends: Callable[[], Iterable[Expected]] = tuple,
        masked: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """``expected`` returns the occupied nodes of the position, which is always plausible.

        ``poles`` returns the marks that the position allows at one of them; none where its sensor tells no poles.
        ``ends`` returns the boards after steps that may be under way: a scan that shows one exactly is plausible, too,
        however much has changed since the last one. A line is pushed in half a second, and a scan may come late.
        ``masked`` returns the nodes whose sensors people do not believe.
        """
        self._nodes = {channel: node for channel, (node, _) in sorted(board.sensors().items())}
        self._known = set(self._nodes.values())
        self._coded = board.kind == CODED
        self._under_way = HANDS + any(node.well for node in board.nodes.values())
        """Maximum number of nodes that differ from the position during a turn: two, and a laid tile's."""
        self._kind = board.kind
        self._ignored = board.disabled_channels
        self._slack = board.bands.rest
        calibration = board.calibration
        rest = {c: calibration[node].rest if node in calibration else 128 for c, node in self._nodes.items()}
        self._rest = [rest[channel] for channel in sorted(rest)]
        self._diagnosis = Diagnosis(board)
        self._habits = Habits(self._diagnosis)
        self._moved: set[int] = set()
        """The inputs that have changed since the start."""
        self._last: Marks | None = None
        """The last scan that differed from the one before."""
        self._at = 0.0
        """Time of the last scan."""
        self._breaks = False
        """Whether more has changed since the last scan than hands change: what breaks does so at once."""
        self._was_broken = False
        """Whether a fault explained an earlier scan of this spell."""
        self._jump = 0
        """Most nodes that changed from one scan to the next in the present implausible spell."""
        self._pairs = has_switch_pairs(board)
        self._expected, self._poles, self._ends, self._masked = expected, poles, ends, masked
        self._readings: Sequence[int] | None = None
        self._board: Marks | None = None
        """The state of the board by the best explanation of each scan so far."""
        self._candidate: Marks = ()
        self._since: float | None = None
        """Time of the first scan of the present implausible spell."""
        self._steady = 0.0
        """Time since which the implausible readings have not changed, apart from changes by hands."""
        self._cause = ""
        self._calm: float | None = None
        """Time of the first plausible scan after a pause."""
        self._paused = False
        self._spells: deque[float] = deque()
        self._both: dict[int, float] = {}
        self._stuck: set[int] = set()
        """Channels that were reported because both switches were closed, until neither is."""
        self._dead: list[_Masked] = []

    def judge(self, readings: Sequence[int], at: float) -> ScanJudgement:
        """Return the judgement of one scan (one reading per channel) at a time in seconds."""
        gap, self._at = at - self._at, at
        resting = self._since is None and not self._both and not self._paused and at < self._habits.due
        if resting and readings == self._readings:
            return _GOOD  # The usual case at rest.
        self._readings = readings
        marks = self._marks(readings)
        step = self._step(marks, gap)
        if self._board is None:
            self._candidate = marks
            self._board = self._without_dead_parts(marks)
            if self._board == marks:
                return _GOOD
            step = len(marks)
        self._jump = max(self._jump if self._since is not None else 0, step)
        self._breaks = step > HANDS
        proved = self._habits.proved
        if proved is not None and not self._can_be_masked(proved.inputs):
            self._paused, self._calm = True, None
            return ScanJudgement(trusted=False, trouble=mixed_words(proved))
        best = self._best(marks, self._board)
        if best is not None and not best.cause:
            return self._plausible(marks, at)
        return self._implausible(best, marks, at)

    def _step(self, marks: Marks, gap: float) -> int:
        """Return how many nodes have changed since the last scan, 0 after a gap (s); note which, and how."""
        last, self._last = self._last, marks
        self._habits.count(self._at)
        if last is None or marks == last:
            return 0
        before, now = self._inputs(last), self._inputs(marks)
        self._moved |= {at for at, (one, other) in enumerate(zip(before, now, strict=True)) if one != other}
        changed = self._changed_nodes(marks, last)
        arrived = len(changed) > 1 and changed <= self._occupied(marks)
        by_hands = gap >= GAP_S or (arrived and any(changed.issubset(stones) for stones, _ in self._ends()))
        self._habits.note(before, now, self._at, by_hands=by_hands)
        return len(changed) if gap < GAP_S else 0

    @property
    def is_in_doubt(self) -> bool:
        """Return whether the last scan was implausible, or play stands still because of some."""
        return self._since is not None or self._paused

    def look_again(self, wrong: Collection[str]) -> None:
        """Judge the next scan anew, even if nothing has changed: what is expected may have.

        ``wrong`` are the nodes that people are asked to clear.
        """
        if wrong and self._last is not None:
            self._habits.blame(wrong, self._inputs(self._last))
        self._readings = None

    def _without_dead_parts(self, marks: Marks) -> Marks:
        """Return a first scan without the parts that show a stone everywhere, which is implausible."""
        nothing = (0,) * len(marks)
        causes = self._diagnosis.causes(self._inputs(marks), self._inputs(nothing))
        dead = {at for cause in causes if cause.parts or cause.name == "same" for at in cause.inputs}
        if not dead or self._is_expected(marks):
            return marks
        channels = self._diagnosis.channels(dead)
        return tuple(0 if channel in channels else mark for channel, mark in enumerate(marks))

    def silent(self, nodes: Collection[str]) -> str | None:
        """Return which part may be the cause that these nodes' sensors do not answer; None for single sensors."""
        now = self._inputs(self._last) if self._last is not None else ()
        return self._diagnosis.silent(nodes, self._moved, now)

    def warning(self, at: float) -> str | None:
        """Return a warning if scans were often ignored lately; else None."""
        while self._spells and self._spells[0] < at - SPARKS_WINDOW_S:
            self._spells.popleft()
        if len(self._spells) <= SPARKS:
            return None
        return say(
            "{count} times in the last {seconds} s the sensors reported changes that no hand can make. "
            "They were ignored; look for sparks (motors, lamps) and long cables near {part}.",
            count=len(self._spells),
            seconds=round(SPARKS_WINDOW_S),
            part=self._diagnosis.wire,
        )

    # -- explanations --------------------------------------------------------------------------------------------

    def _best(self, marks: Marks, board: Marks) -> _Explanation | None:
        """Return the cheapest explanation of a scan, given the board before it; None if there is none."""
        changed = self._changed_nodes(marks, board)
        shifted = self._always_shifted(marks, board)
        if shifted is not None:
            return shifted
        if not changed or (self.is_in_doubt and self._is_expected(marks)):
            return _Explanation(0, marks)
        found = [_Explanation(len(changed), marks)] if len(changed) <= HANDS else []
        found += [fault for fault in self._faults(marks, board, changed) if 2 * fault.cost < len(changed)]
        return min(found, key=lambda one: one.cost, default=None)

    def _faults(self, marks: Marks, board: Marks, changed: set[str]) -> Iterator[_Explanation]:
        """Yield the faults that may be the cause of a scan; of equally cheap ones the first is the likeliest."""
        dead = self._dead_channels()
        now = self._inputs([old if at in dead else new for at, (new, old) in enumerate(zip(marks, board, strict=True))])
        if self._breaks or self._cause:
            for cause in self._diagnosis.causes(now, self._inputs(board)):
                if not self._breaks and cause.name != self._cause:
                    continue
                lies = self._from_inputs(cause.lies)
                masks = cause if cause.parts or self._can_be_masked(cause.inputs) else None
                yield _Explanation(
                    len(self._changed_nodes(lies, board)),
                    lies, cause.name, cause.words, None if cause.name == "same" else masks,
                )  # fmt: skip
        if not self._diagnosis.is_chain or (self._coded and len(changed) <= HANDS):
            return  # A turn of a tile also moves its magnets to the next inputs.
        for before in self._before_shifts(marks, board):
            # Only the position tells which of the two boards came through a shifted line: the newer or the older.
            if self._cause == "shifted" or self._wrong(before) + HANDS <= self._wrong(marks):
                yield _Explanation(len(self._changed_nodes(before, board)), before, "shifted", self._shift_words())

    def _always_shifted(self, marks: Marks, board: Marks) -> _Explanation | None:
        """Return that the line has been shifted since before the first stone, if all stones lie one input further."""
        if not self._diagnosis.is_chain or self._coded or not any(marks) or len(self._stones()) < HANDS:
            return None
        if self._wrong(marks) < HANDS:
            return None
        found = (before for before in self._shifts(marks, board) if not self._wrong(before))
        return next((_Explanation(0, before, "shifted", self._shift_words(), is_sure=True) for before in found), None)

    def _shift_words(self) -> str:
        return say(
            "every stone seems to have moved to the next input. If all lie where the lights ask, {part} is shifted by "
            "one bit: check the clock's wire and ground, then switch the board off and on",
            part=self._diagnosis.wire,
        )

    def _can_be_masked(self, inputs: Collection[int]) -> bool:
        """Return whether play can go on without these inputs' nodes."""
        return 2 * len(self._diagnosis.nodes_of(inputs)) <= len(self._diagnosis.nodes_of(self._diagnosis.whole))

    def _before_shifts(self, marks: Marks, board: Marks) -> Iterator[Marks]:
        """Yield the two boards that a line shifted by one bit, either way, may show like this."""
        now, old = self._inputs(marks), self._inputs(board)
        appeared = any(new and not before for new, before in zip(now, old, strict=True))
        vanished = any(before and not new for new, before in zip(now, old, strict=True))
        if appeared and vanished:
            yield from self._shifts(marks, board)

    def _shifts(self, marks: Marks, board: Marks) -> Iterator[Marks]:
        now, old = self._inputs(marks), self._inputs(board)
        yield self._from_inputs([old[0], *now[:-1]])
        yield self._from_inputs([*now[1:], old[-1]])

    def _may_have_been_shifted(self, marks: Marks) -> bool:
        """Return whether the readings so far may have come through a shifted line; no position tells."""
        board = self._board or marks
        return not self._stones() and any(before == board for before in self._before_shifts(marks, board))

    def _is_expected(self, marks: Marks) -> bool:
        """Return whether the stones lie as the position says, or nearly."""
        wrong = self._wrong(marks)
        if not wrong or (wrong <= self._under_way and len(self._stones()) > HANDS):
            return True
        masked, occupied = set(self._masked()), self._occupied(marks)
        return any(
            self._known.intersection(stones) ^ occupied <= masked and not self._turned(marks, poles)
            for stones, poles in self._ends()
        )

    def _wrong(self, marks: Marks) -> int:
        """Return the number of nodes that are not occupied as the position says, or show another pole than it allows.

        On a full board a broken wire moves no piece, but turns many over.
        """
        stones = self._stones()
        turned = self._turned(marks, lambda node: self._poles(node) if node in stones else ())
        return turned + len((stones ^ self._occupied(marks)).difference(self._masked()))

    def _turned(self, marks: Marks, poles: Callable[[str], Collection[int]]) -> int:
        """Return how many inputs show another pole than ``poles`` allows at their node."""
        turned, masked = 0, self._masked()
        for channel, mark in enumerate(marks):
            node = self._nodes[channel]
            allowed = poles(node) if mark and mark != _BOTH and node not in masked else ()
            turned += bool(allowed) and mark not in allowed
        return turned

    def _occupied(self, marks: Marks) -> set[str]:
        return {self._nodes[channel] for channel, mark in enumerate(marks) if mark}

    def _stones(self) -> set[str]:
        return self._known.intersection(self._expected())

    # -- plausible -----------------------------------------------------------------------------------------------

    def _plausible(self, marks: Marks, at: float) -> ScanJudgement:
        self._since, self._cause = None, ""
        if self._paused:
            self._board = marks
            self._calm = at if self._calm is None else self._calm
            if at - self._calm < CALM_S:
                return _LEFT_OUT
        return self._take(marks, at)

    def _take(self, marks: Marks, at: float) -> ScanJudgement:
        self._board = marks
        self._since, self._calm, self._cause, self._paused = None, None, "", False
        broken = (*self._stuck_pairs(marks, at), *self._proved_faults())
        healed = tuple(self._working_again(marks))
        return ScanJudgement(trusted=True, broken=broken, healed=healed) if broken or healed else _GOOD

    def _stuck_pairs(self, marks: Marks, at: float) -> tuple[BrokenSensors, ...]:
        """Return the nodes with both switches closed for too long: one of the two is stuck."""
        dead = self._dead_channels()
        both = [channel for channel, mark in enumerate(marks) if mark == _BOTH and channel not in dead]
        self._both = {channel: self._both.get(channel, at) for channel in both}
        found = []
        for channel, since in self._both.items():
            if since <= at - BOTH_S:
                self._both[channel] = float("inf")
                self._stuck.add(channel)
                form = say("north's and south's switch closed at once (channel {channel}): one of them is stuck")
                reason = fill(form, channel=channel)
                found.append(BrokenSensors((self._nodes[channel],), reason, f"pair:{channel}"))
        return tuple(found)

    def _working_again(self, marks: Marks) -> list[str]:
        """Return the nodes of masked chips that work again, and of stuck pairs with no switch closed."""
        free = {channel for channel in self._stuck if marks[channel] == 0}
        self._stuck -= free
        alive = [dead for dead in self._dead if not dead.is_there(marks)]
        self._dead = [dead for dead in self._dead if dead not in alive]
        nodes = [node for dead in alive for node in self._nodes_of(dead.channels)]
        return [*nodes, *(self._nodes[channel] for channel in sorted(free))]

    def _shows_as(self, channels: tuple[int, ...], mark: int, marks: Marks) -> bool:
        """Return whether a dead part is still dead: all its channels read as when it was masked.

        If they all read the same, but otherwise than then, the position decides.
        """
        now = {marks[channel] for channel in channels}
        if len(now) > 1 or now == {mark}:
            return len(now) == 1
        nodes = set(self._nodes_of(channels))
        occupied = nodes if marks[channels[0]] else set()
        return len(occupied ^ (self._stones() & nodes)) > HANDS

    def _proved_faults(self) -> tuple[BrokenSensors, ...]:
        """Return the fault that the readings have shown again and again, once."""
        fault = self._habits.proved
        channels = self._diagnosis.channels(fault.inputs) if fault is not None else ()
        if fault is None or not self._can_be_masked(fault.inputs) or self._dead_channels().issuperset(channels):
            return ()
        self._dead.append(_Masked(channels, partial(self._is_mixed_by, fault)))
        kind = fault.name.split()[0]
        return (BrokenSensors(self._nodes_of(channels), mixed_words(fault), f"{kind}:{channels[0]}"),)

    def _is_mixed_by(self, fault: Fault, marks: Marks) -> bool:
        now = self._inputs(marks)
        return follow(fault, now, now) is not None

    # -- implausible ---------------------------------------------------------------------------------------------

    def _implausible(self, best: _Explanation | None, marks: Marks, at: float) -> ScanJudgement:
        """Leave a scan out whose best explanation is a fault or unknown, until the fault is named or there is none."""
        self._calm = None
        if self._since is None:
            self._since = self._steady = at
            self._was_broken = False
            self._spells.append(at)
        cause = best.cause if best is not None else ""
        if cause != self._cause or len(self._changed_nodes(marks, self._candidate)) > HANDS:
            self._steady = at
        self._candidate, self._cause = marks, cause
        steady = at - self._steady
        changed = len(self._changed_nodes(marks, self._board or ()))
        self._was_broken = self._was_broken or bool(cause)
        # What lies there when a fault has ended, hands may have put there meanwhile.
        by_hands = (changed <= HANDS and not (best is not None and best.is_sure)) or (
            best is None and (self._jump <= SWEPT or self._was_broken or self._may_have_been_shifted(marks))
        )
        if by_hands and steady >= PATIENCE_S:  # What lasts and needs no fault is real: a swept board, a quick slide.
            return self._take(marks, at)
        if best is not None:
            self._board = best.board
            if best.masks is not None and steady >= CHIP_S:
                return self._give_up(best.masks, marks, at)
        if at - self._since < PATIENCE_S:
            return _LEFT_OUT
        self._paused = True
        unknown = say(
            "many sensors changed at once, faster than hands: check {part} and the supply, or put the pieces back as "
            "they lay",
            part=self._diagnosis.wire,
        )
        return ScanJudgement(trusted=False, trouble=best.trouble if best is not None else unknown)

    def _give_up(self, cause: Cause, marks: Marks, at: float) -> ScanJudgement:
        channels = self._diagnosis.channels(cause.inputs)
        for part in cause.parts:
            own = self._diagnosis.channels(part)
            self._dead.append(_Masked(own, partial(self._shows_as, own, marks[own[0]])))
        if cause.fault is not None:
            self._dead.append(_Masked(channels, partial(self._is_mixed_by, cause.fault)))
        self._take(marks, at)
        broken = BrokenSensors(self._nodes_of(channels), cause.words, f"chip:{channels[0]}")
        return ScanJudgement(trusted=True, broken=(broken,))

    # -- nodes ---------------------------------------------------------------------------------------------------

    def _changed_nodes(self, one: Marks, other: Marks) -> set[str]:
        """Return the nodes whose channels differ, without those of masked chips: how these lie is not known."""
        dead = self._dead_channels()
        pairs = enumerate(zip(one, other, strict=True))
        return {self._nodes[channel] for channel, (new, old) in pairs if new != old and channel not in dead}

    def _dead_channels(self) -> set[int]:
        return {channel for dead in self._dead for channel in dead.channels}

    def _nodes_of(self, channels: Sequence[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._nodes[channel] for channel in channels))

    # -- readings ------------------------------------------------------------------------------------------------

    def _marks(self, readings: Sequence[int]) -> Marks:
        if self._ignored:  # Known to be broken: what they read tells nothing, neither of hands nor of a wire.
            return tuple(0 if channel in self._ignored else reading for channel, reading in enumerate(readings))
        if self._kind != "level":
            return tuple(readings)
        slack = self._slack
        felt = (reading - rest for reading, rest in zip(readings, self._rest, strict=True))
        return tuple((1 if field > 0 else 2) if abs(field) >= slack else 0 for field in felt)

    def _inputs(self, marks: Sequence[int]) -> Sequence[int]:
        """Return the states of the inputs in the order of reading."""
        return [bit for mark in marks for bit in (mark & 1, mark >> 1)] if self._pairs else marks

    def _from_inputs(self, inputs: Sequence[int]) -> Marks:
        if not self._pairs:
            return tuple(inputs)
        return tuple(north + 2 * south for north, south in zip(inputs[::2], inputs[1::2], strict=True))


# -- Messages about a well that can't be read: the sensor at fault, and what to check ----------------------------------
