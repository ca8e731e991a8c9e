"""The plausibility of scans, and the broken part behind an implausible one; judged by readings and given times only.

Hands change one or two nodes from one scan to the next (all nine sensors of a well when a tile comes or goes), never
many, and never move every stone to the next input. The table does not get a scan that no hand can cause. If such scans
last, the most likely cause is named. If it is one chip, the nodes of that chip are masked and play goes on with the
others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from firmware_host.sensing.fault_groups import Group, groups, switch_inputs, wire_words
from firmware_host.text.words import fill, say
from hw.ports import CODED, BoardDescription

HANDS = 2
"""Maximum number of nodes that change from one scan to the next."""
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
class Broken:
    """Nodes to mask, because their sensors are broken; ``reason`` also says what to do."""

    nodes: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Judgement:
    """The result for one scan.

    ``trusted``: the table may get the readings. ``trouble``: why play must pause, else None. ``broken`` (nodes to mask)
    and ``healed`` (masked nodes that work again) are reported once, and must be handled before the readings.
    """

    trusted: bool
    trouble: str | None = None
    broken: tuple[Broken, ...] = ()
    healed: tuple[str, ...] = ()


_GOOD = Judgement(trusted=True)
_LEFT_OUT = Judgement(trusted=False)


class ScanHealth:
    """Judges every scan before any other use of it."""

    def __init__(self, board: BoardDescription, expected: Callable[[], Collection[str]] = tuple) -> None:
        """``expected`` returns the occupied nodes of the position, which is always plausible."""
        self._nodes = {channel: node for channel, (node, _) in sorted(board.sensors().items())}
        self._coded = board.kind == CODED
        self._under_way = HANDS + any(node.well for node in board.nodes.values())
        """Maximum number of nodes that differ from the position during a turn: two, and a laid tile's."""
        self._kind = board.kind
        self._slack = board.bands.rest
        calibration = board.calibration
        rest = {c: calibration[node].rest if node in calibration else 128 for c, node in self._nodes.items()}
        self._rest = [rest[channel] for channel in sorted(rest)]
        self._groups = groups(board)
        self._pairs = switch_inputs(board)
        self._words = wire_words(board)
        self._expected = expected
        self._readings: Sequence[int] | None = None
        self._trusted: Marks | None = None
        self._candidate: Marks = ()
        self._since: float | None = None
        """Time of the first scan of the present implausible spell."""
        self._steady = 0.0
        """Time since which the implausible readings have not changed, apart from changes by hands."""
        self._cause = ""
        self._calm: float | None = None
        """Time of the first plausible scan after a pause."""
        self._paused = False
        self._shifted = False
        """Whether the present spell is due to a shifted line."""
        self._spells: deque[float] = deque()
        self._both: dict[int, float] = {}
        self._stuck: set[int] = set()
        """Channels that were reported because both switches were closed, until neither is."""
        self._dead: list[Group] = []

    def judge(self, readings: Sequence[int], at: float) -> Judgement:
        """Return the judgement of one scan (one reading per channel) at a time in seconds."""
        if readings == self._readings and self._since is None and not self._both and not self._paused:
            return _GOOD  # The usual case at rest.
        self._readings = readings
        marks = self._marks(readings)
        if self._trusted is None:
            self._trusted = self._candidate = marks
            if not self._all_the_same(marks) or not marks[0]:
                return _GOOD
            self._trusted = (0,) * len(marks)  # A first scan with a stone everywhere is implausible.
        if self._is_plausible(marks):
            return self._plausible(marks, at)
        return self._implausible(marks, at)

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
            part=self._words,
        )

    # -- plausible -----------------------------------------------------------------------------------------------

    def _is_plausible(self, marks: Marks) -> bool:
        trusted = self._trusted or ()
        changed = self._touched(marks, trusted)
        if not changed:
            return True
        if len(changed) <= HANDS and not self._is_shifted(marks, hands=False):
            return True
        if self._since is None and not self._paused:
            return False
        stones = set(self._expected()) & set(self._nodes.values())
        wrong = stones ^ {self._nodes[channel] for channel, mark in enumerate(marks) if mark}
        return not wrong or (len(stones) > HANDS and len(wrong) <= self._under_way)

    def _plausible(self, marks: Marks, at: float) -> Judgement:
        self._since, self._shifted = None, False
        if self._paused:
            self._trusted = marks
            self._calm = at if self._calm is None else self._calm
            if at - self._calm < CALM_S:
                return _LEFT_OUT
            self._paused = False
        self._calm = None
        return self._take(marks, at)

    def _take(self, marks: Marks, at: float) -> Judgement:
        self._trusted = marks
        self._since, self._shifted = None, False
        broken = self._stuck_pairs(marks, at)
        healed = tuple(self._healed(marks))
        return Judgement(trusted=True, broken=broken, healed=healed) if broken or healed else _GOOD

    def _stuck_pairs(self, marks: Marks, at: float) -> tuple[Broken, ...]:
        """Return the nodes with both switches closed for too long: one of the two is stuck."""
        dead = {channel for group in self._dead for channel in group.channels}
        both = [channel for channel, mark in enumerate(marks) if mark == _BOTH and channel not in dead]
        self._both = {channel: self._both.get(channel, at) for channel in both}
        found = []
        for channel, since in self._both.items():
            if since <= at - BOTH_S:
                self._both[channel] = float("inf")
                self._stuck.add(channel)
                form = say("north's and south's switch closed at once (channel {channel}): one of them is stuck")
                reason = fill(form, channel=channel)
                found.append(Broken((self._nodes[channel],), reason))
        return tuple(found)

    def _healed(self, marks: Marks) -> list[str]:
        """Return the nodes of masked chips whose channels differ again, and of stuck pairs with no switch closed."""
        free = {channel for channel in self._stuck if marks[channel] == 0}
        self._stuck -= free
        alive = [group for group in self._dead if not self._all_the_same([marks[c] for c in group.channels])]
        self._dead = [group for group in self._dead if group not in alive]
        return [*(node for group in alive for node in self._nodes_of(group)), *(self._nodes[c] for c in sorted(free))]

    # -- implausible ---------------------------------------------------------------------------------------------

    def _implausible(self, marks: Marks, at: float) -> Judgement:
        self._calm = None
        if self._since is None:
            self._since = self._steady = at
            self._cause = ""
            self._spells.append(at)
        group, cause, trouble = self._diagnose(marks)
        if cause != self._cause or len(self._touched(marks, self._candidate)) > HANDS:
            self._steady = at
        self._candidate, self._cause = marks, cause
        steady, lasting = at - self._steady, at - self._since >= PATIENCE_S
        if not cause and steady >= PATIENCE_S:  # Steady readings without a cause are real: a swept board.
            return self._accept(marks, at)
        if group is not None and steady >= CHIP_S:
            return self._give_up(group, marks, at)
        if not lasting:
            return _LEFT_OUT
        self._shifted = cause == "shifted"  # Stays shifted, even when hands move stones now.
        self._paused = True
        return Judgement(trusted=False, trouble=trouble)

    def _diagnose(self, marks: Marks) -> tuple[Group | None, str, str]:
        """Return the dead part (or None), a key for the cause ("" if unknown), and a sentence for people."""
        if self._all_the_same(marks):
            nothing = say("every sensor reads nothing: {part} is open or shorted; repair it, or put the stones back")
            stones = say("every sensor reads a stone: {part} is open or shorted; repair it, or put the stones back")
            return None, "same", fill(stones if marks[0] else nothing, part=self._words)
        if self._shifted or self._is_shifted(marks, hands=True):
            trouble = say(
                "every stone seems to have moved to the next input: {part} is shifted by one bit; "
                "check the clock's wire and ground, then switch the board off and on",
                part=self._words,
            )
            return None, "shifted", trouble
        group = self._dead_group(marks)
        if group is not None:
            return group, group.name, _chip_words(group, marks)
        return None, "", say("many sensors change at once: check {part} and the supply", part=self._words)

    def _accept(self, marks: Marks, at: float) -> Judgement:
        self._paused = False
        return self._take(marks, at)

    def _give_up(self, group: Group, marks: Marks, at: float) -> Judgement:
        self._accept(marks, at)
        self._dead.append(group)
        return Judgement(trusted=True, broken=(Broken(self._nodes_of(group), _chip_words(group, marks)),))

    def _dead_group(self, marks: Marks) -> Group | None:
        """Return the smallest part whose channels all read the same and that explains all changes; else None."""
        changed = set(_differing(marks, self._trusted or ()))
        fits = [
            group
            for group in self._groups
            if self._count(changed - set(group.channels)) <= HANDS < self._count(changed & set(group.channels))
            and self._all_the_same([marks[channel] for channel in group.channels])
        ]
        return min(fits, key=lambda group: len(group.channels), default=None)

    def _is_shifted(self, marks: Marks, *, hands: bool) -> bool:
        """Return whether every input shows its neighbour's earlier state; ``hands`` allows for moved stones."""
        if self._coded and len(self._touched(marks, self._trusted or ())) <= HANDS:
            return False  # A turn of a tile also moves its magnets to the next inputs.
        now, before = self._inputs(marks), self._inputs(self._trusted or ())
        appeared = any(new and not old for new, old in zip(now, before, strict=True))
        vanished = any(old and not new for new, old in zip(now, before, strict=True))
        if not appeared or not vanished:
            return False
        direct = len(_differing(now, before))
        left_over = min(len(_differing(now[:-1], before[1:])), len(_differing(now[1:], before[:-1])))
        return 2 * left_over < direct if hands else left_over <= min(1, direct - 2)

    # -- nodes ---------------------------------------------------------------------------------------------------

    def _touched(self, one: Marks, other: Marks) -> set[str]:
        """Return the nodes whose channels differ."""
        return {self._nodes[channel] for channel in _differing(one, other)}

    def _count(self, channels: Collection[int]) -> int:
        """Return the number of nodes with these channels."""
        return len({self._nodes[channel] for channel in channels})

    def _nodes_of(self, group: Group) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._nodes[channel] for channel in group.channels))

    # -- readings ------------------------------------------------------------------------------------------------

    def _marks(self, readings: Sequence[int]) -> Marks:
        if self._kind != "level":
            return tuple(readings)
        slack = self._slack
        felt = (reading - rest for reading, rest in zip(readings, self._rest, strict=True))
        return tuple((1 if field > 0 else 2) if abs(field) >= slack else 0 for field in felt)

    def _inputs(self, marks: Marks) -> Sequence[int]:
        """Return the states of the inputs in the order of reading."""
        return [bit for mark in marks for bit in (mark & 1, mark >> 1)] if self._pairs else marks

    @staticmethod
    def _all_the_same(marks: Sequence[int]) -> bool:
        return len(set(marks)) == 1


def _chip_words(group: Group, marks: Marks) -> str:
    first, last = group.channels[0], group.channels[-1]
    nothing = say("{part} reads nothing everywhere (channels {first} to {last}): check its joints, supply and wires")
    stones = say("{part} reads a stone everywhere (channels {first} to {last}): check its joints, supply and wires")
    return fill(stones if marks[first] else nothing, part=group.name, first=first, last=last)


def _differing(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [at for at, (new, old) in enumerate(zip(one, other, strict=True)) if new != old]
