"""Clocks: how long each seat has thought, and how long it may still think.

Pure: time comes in as whole milliseconds, so that sums are exact. :mod:`firmware_host.table.subjects.timekeeping`
decides which clock runs when; this module computes the effect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firmware_host.text.words import Text, join_sentences, say, say_many

MAX_MAIN_S = 24 * 3600
MAX_EXTRA_S = 600
"""The longest increment and the longest delay, seconds."""
LAST_MS = 10_000
"""The last seconds, milliseconds: the board and screen readers count them down."""
MAX_TURNS = 2
"""Maximum number of turns played for a seat whose time is up; with the next one it resigns."""

Stint = tuple[int, str]
"""What a seat thinks about: the number of the turn, and ``seal`` or ``act``."""


@dataclass(frozen=True)
class ClockSetting:
    """How time is kept in a game; all in seconds.

    ``main`` is the main time of each seat, None: no limit, time is only shown. ``increment`` is added after each seal
    and each turn, ``delay`` passes first each time. ``odds``: main times of seats that differ from it. ``strict``: the
    end of time has consequences; else it is only announced.
    """

    main: int | None
    increment: int = 0
    delay: int = 0
    strict: bool = False
    odds: Mapping[int, int] = field(default_factory=dict)

    def main_of(self, seat: int) -> int | None:
        """Return the main time of a seat, seconds; None for no limit."""
        return None if self.main is None else self.odds.get(seat, self.main)

    def to_dict(self) -> dict[str, Any]:
        """Return the setting as the data of a journal's entry and of a record's header."""
        return {
            "main": self.main,
            "increment": self.increment,
            "delay": self.delay,
            "strict": self.strict,
            "odds": {str(seat): seconds for seat, seconds in sorted(self.odds.items())},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClockSetting:
        """Read the data that :meth:`told` returns. Raise ValueError naming the wrong field and what was expected."""
        odds = {int(seat): seconds for seat, seconds in data["odds"].items()}
        setting = cls(data["main"], data["increment"], data["delay"], data["strict"], odds)
        mains = [*odds.values(), *([] if setting.main is None else [setting.main])]
        for name, value, least, most in (
            *(("main", one, 1, MAX_MAIN_S) for one in mains),
            ("increment", setting.increment, 0, MAX_EXTRA_S),
            ("delay", setting.delay, 0, MAX_EXTRA_S),
        ):
            if not least <= value <= most:
                words = say(
                    "{field}: expected {least} to {most} seconds, got {given}",
                    field=name,
                    least=least,
                    most=most,
                    given=value,
                )
                raise ValueError(words)
        return setting

    @property
    def words(self) -> str:
        """Return a one-line description of the time control."""
        if self.main is None:
            return say("thinking time is shown, without a limit")
        parts: list[Text] = [say("{time} for each player", time=clock_face(self.main * 1000))]
        if self.increment:
            parts.append(say("{seconds} s more after each turn", seconds=self.increment))
        if self.delay:
            parts.append(say("the first {seconds} s of each turn are free", seconds=self.delay))
        if self.odds:
            parts.append(say_many("one player has another time", "{count} players have other times", len(self.odds)))
        parts.append(say("strict") if self.strict else say("gentle"))
        return join_sentences(parts)


@dataclass(frozen=True)
class Out:
    """A turn in which the time of a seat was up: ``stint``, and the seed of what is played for it."""

    stint: Stint
    seed: str


@dataclass(frozen=True)
class Clocks:
    """The clocks of a game, milliseconds by seat.

    ``used`` is the time thought; ``left`` the time that remains, below 0 where a clock that is not strict has run on,
    empty without a limit; ``delay`` the rest of the delay in the present stint. ``stints`` is each due seat's stint.
    ``flagged`` are seats that were notified that their time is up; ``outs`` the turns that are played for a seat.
    """

    setting: ClockSetting
    left: Mapping[int, int]
    used: Mapping[int, int]
    delay: Mapping[int, int]
    stints: Mapping[int, Stint] = field(default_factory=dict)
    flagged: frozenset[int] = frozenset()
    outs: Mapping[int, tuple[Out, ...]] = field(default_factory=dict)

    @classmethod
    def fresh(cls, setting: ClockSetting, seats: Iterable[int]) -> Clocks:
        """Return the clocks of a game that begins."""
        mains = {seat: setting.main_of(seat) for seat in seats}
        left = {seat: main * 1000 for seat, main in mains.items() if main is not None}
        return cls(setting, left, dict.fromkeys(mains, 0), dict.fromkeys(mains, 0))

    def run(self, seats: Collection[int], passed: int) -> Clocks:
        """Return the clocks after those of some seats have run for ``passed`` milliseconds."""
        free = {seat: min(self.delay[seat], passed) if seat in seats else 0 for seat in self.delay}
        return replace(
            self,
            used={seat: used + passed * (seat in seats) for seat, used in self.used.items()},
            delay={seat: delay - free[seat] for seat, delay in self.delay.items()},
            left={seat: left - (passed - free[seat]) * (seat in seats) for seat, left in self.left.items()},
        )

    def turned_to(self, stints: Mapping[int, Stint]) -> Clocks:
        """Return the clocks when seats begin these stints: each stint that has ended earns the increment."""
        if stints == self.stints:
            return self
        done = {seat for seat, stint in self.stints.items() if stints.get(seat) != stint}
        new = {seat for seat, stint in stints.items() if self.stints.get(seat) != stint}
        setting = self.setting
        return replace(
            self,
            stints=dict(stints),
            left={seat: left + 1000 * setting.increment * (seat in done) for seat, left in self.left.items()},
            delay={seat: 1000 * setting.delay if seat in new else delay for seat, delay in self.delay.items()},
        )

    def is_up(self, seat: int) -> bool:
        """Return whether no time is left."""
        return self.left.get(seat, 1) <= 0

    def last(self, seat: int) -> bool:
        """Return whether the last seconds of a seat run."""
        return 0 < self.left.get(seat, 0) <= LAST_MS and not self.delay[seat]

    def out(self, seat: int, stint: Stint) -> Out | None:
        """Return the turn that is played for a seat, the last of several; None if the seat plays it itself."""
        return next((one for one in reversed(self.outs.get(seat, ())) if one.stint == stint), None)

    def may_be_played_for(self, seat: int, turn: int) -> bool:
        """Return whether a turn may be played for a seat: at most :data:`MAX_TURNS` other turns have been."""
        return len({one.stint[0] for one in self.outs.get(seat, ())} - {turn}) < MAX_TURNS

    def flag(self, seat: int) -> Clocks:
        """Return the clocks after a seat was notified that its time is up."""
        return replace(self, flagged=self.flagged | {seat})

    def with_out(self, seat: int, out: Out) -> Clocks:
        """Return the clocks after a turn has gone to the table; a negative time left is set back to 0."""
        outs = {**self.outs, seat: (*self.outs.get(seat, ()), out)}
        return replace(self.flag(seat), outs=outs, left={**self.left, seat: max(0, self.left.get(seat, 0))})

    def with_last(self, seats: Collection[int]) -> Clocks:
        """Return the clocks where these seats have at least their last seconds if no time is left."""
        late = {seat: LAST_MS for seat in seats if self.is_up(seat)}
        return replace(self, left={**self.left, **late})

    def to_dict(self) -> dict[str, Any]:
        """Return the clocks as the data of a journal's entry: milliseconds by seat."""
        standing = {"left": self.left, "used": self.used, "delay": self.delay if self.setting.delay else {}}
        return {name: {str(seat): value for seat, value in sorted(of.items())} for name, of in standing.items() if of}

    def with_times(self, data: Mapping[str, Any]) -> Clocks:
        """Return the clocks as an entry gives them. Raise ValueError if its seats are not these seats."""
        for name, of in data.items():
            if {int(seat) for seat in of} != set(self.used):
                raise ValueError(f"clock.{name}: expected the seats {sorted(self.used)}, found {sorted(of)}")
        of = {name: {int(seat): value for seat, value in by_seat.items()} for name, by_seat in data.items()}
        return replace(
            self,
            left=of.get("left", self.left),
            used=of.get("used", self.used),
            delay=of.get("delay", self.delay),
        )


def standings_after(
    before: Sequence[Clocks], now: Clocks, moments: int, due: Mapping[int, Stint], data: Mapping[str, Any]
) -> tuple[Clocks, tuple[Clocks, ...]]:
    """Return the clocks after an entry, and those at each moment that is in force.

    Moments that are taken back give their time back. ``due`` are the stints of the seats that think from now on.
    ``data`` is the entry's; read from a journal or a record it contains the clocks.
    """
    if moments < len(before):
        return before[moments - 1], tuple(before[:moments])
    now = now.turned_to(due)
    if "clock" in data:
        now = now.with_times(data["clock"])
    return now, (*before, *[now] * (moments - len(before)))


def thinking_times(standings: Sequence[Clocks], moment: int) -> dict[int, int]:
    """Return how long each seat has thought before a moment, milliseconds; seats that have not thought are left out."""
    if not 1 <= moment < len(standings):
        return {}
    before, now = standings[moment - 1], standings[moment]
    return {seat: used - before.used[seat] for seat, used in now.used.items() if used > before.used[seat]}


def clock_face(milliseconds: int) -> str:
    """Return a time as a clock shows it: ``9:05``, ``1:02:00``; minus sign below 0; seconds are rounded up."""
    seconds = -(-abs(milliseconds) // 1000) if milliseconds > 0 else abs(milliseconds) // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    face = f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
    return f"−{face}" if milliseconds <= -1000 else face
