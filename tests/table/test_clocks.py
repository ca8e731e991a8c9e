"""Clocks in random evenings: what ran is the time in which somebody thought, whatever happens in between."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from firmware_host.games.clocks import ClockSetting
from firmware_host.table import events as ev
from firmware_host.table.subjects.proposals import ActionUndone, GamePaused, GameResumed, can_propose
from firmware_host.table.subjects.resolving import BoardBack, BoardLost
from firmware_host.table.subjects.timekeeping import KEPT_MS
from lodestone.evening import Evening
from tests.sampling import is_sample
from tests.table.hosted_evenings import KINDS, Played

MOVES_ON = {"start", "reveal", "action", "loop", "decided", "resign"}
"""Kinds of entry after which a game has one moment more."""
MAX_MS = 1000
"""The longest step of these evenings from one event to the next."""


def thinks(evening: Evening) -> set[int]:
    """Return who thinks now, as the rules of the clocks have it, from what stands on the table alone."""
    table = evening.table
    watch, ledger = table.watch, table.ledger
    if table.paused or table.board_lost or watch.asking or (watch.problem and watch.problem.kind == "repair"):
        return set()
    if table.phase == "sealing" and ledger.round is not None:
        return set(ledger.round.seats) - set(ledger.round.commitments)
    lies = watch.verdict.kind == "settling"
    return {table.actor or 0} if table.phase == "resolving" and not lies and not table.is_late(table.actor) else set()


class Account(Evening):
    """An evening with a second account of all time, made of events and entries."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.used: dict[int, int] = {}
        self.stood: list[dict[int, int]] = []
        """What was used when each moment of the game came about."""
        self.until = 0
        self.thinking: set[int] = set()
        self.thought = self.given_back = self.lost = 0

    def say(self, event: ev.Event) -> None:
        if not self.used and self.table.ledger.clocks is not None:  # After a restart.
            self.used, self.until = dict(self.table.ledger.clocks.used), round(event.at * 1000)
        now = round(event.at * 1000)
        for seat in self.thinking:
            self.used[seat] += now - self.until
            self.thought += now - self.until
        self.until = now
        written = len(self.entries)
        super().say(event)
        for kind, data in self.entries[written:]:
            if kind == "start":
                self.used = dict.fromkeys(self.table.ledger.all_seats, 0)
            if kind == "correction":
                del self.stood[data["to"] + 1 :]
                self.given_back += sum(self.used.values()) - sum(self.stood[-1].values())
                self.used = dict(self.stood[-1])
            elif kind in MOVES_ON:
                self.stood.append(dict(self.used))
        self.thinking = thinks(self) if self.table.ledger.started else set()
        clocks = self.table.ledger.clocks
        assert (dict(clocks.used) if clocks else {}) == self.used, event

    def wait(self, seconds: float) -> None:
        """Let time pass; a long time in longer steps."""
        end = self.at + seconds
        while seconds > 3 and self.at < end - 2:
            self.at += MAX_MS / 1000
            self.say(ev.Tick(at=self.at))
        super().wait(end - self.at)

    def killed(self) -> Account:
        """Return the evening after a power cut: what was not written down is lost."""
        again = self.restarted()
        assert isinstance(again, Account)
        kept = next((data["clock"]["used"] for _, data in reversed(self.entries) if "clock" in data), {})
        again.used = {int(seat): used for seat, used in kept.items()}
        again.stood = [dict(one) for one in self.stood]
        lost = sum(self.used.values()) - sum(again.used.values())
        assert 0 <= lost <= len(self.used) * (KEPT_MS + MAX_MS)
        again.thought, again.given_back, again.lost = self.thought, self.given_back, self.lost + lost
        clocks = again.table.ledger.clocks
        assert clocks is not None
        assert dict(clocks.used) == again.used
        again.until = round(again.at * 1000)
        return again


SETTINGS = st.builds(
    ClockSetting,
    main=st.sampled_from([None, 1, 5, 30, 600]),
    increment=st.sampled_from([0, 2, 10]),
    delay=st.sampled_from([0, 3]),
    strict=st.booleans(),
    odds=st.sampled_from([{}, {1: 300}, {2: 7}]),
)
DEEDS = ("wait", "hold", "lose", "back", "kill", "meddle", "propose")


def cut_in(played: Played, deed: str, rng: Random) -> None:
    """Let something happen that is no part of the game."""
    evening = played.evening
    assert isinstance(evening, Account)
    if deed == "wait":
        evening.wait(rng.choice((0.3, 2.0, 8.0, 40.0)))
    elif deed == "kill":
        played.evening = evening.killed()
    elif evening.phase == "over":
        return
    elif deed == "hold":
        played.say(GamePaused)
        evening.wait(5)
        played.say(GameResumed)
    elif deed == "lose":
        played.say(BoardLost, reason="test")
        evening.wait(3)
        played.say(BoardBack)
    elif deed == "meddle":
        played.meddle(rng)
    elif can_propose(evening.table, "take-back") is None:
        if deed == "back":
            played.say(ActionUndone)
        else:
            evening.agree_on("take-back")


@pytest.mark.slow
@pytest.mark.parametrize("game", KINDS)
@settings(max_examples=3 if is_sample() else 250, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10_000),
    setting=SETTINGS,
    cuts=st.dictionaries(st.integers(0, 60), st.sampled_from(DEEDS), max_size=6),
)
def test_what_ran_is_the_time_in_which_somebody_thought(
    game: str, seed: int, setting: ClockSetting, cuts: dict[int, str]
) -> None:
    played, rng = Played(game, seed, clocks=setting, kind=Account), Random(seed)
    for number, _ in enumerate(played.deeds(6)):
        if number in cuts:
            cut_in(played, cuts[number], rng)
        if number > 120:
            break
    evening = played.evening
    assert isinstance(evening, Account)
    clocks = evening.table.ledger.clocks
    assert clocks is not None
    assert sum(clocks.used.values()) == evening.thought - evening.given_back - evening.lost
    free = setting.delay or setting.increment or any(clocks.outs.values())
    for seat, left in clocks.left.items():
        main = setting.main_of(seat)
        assert main is not None
        assert free or left == main * 1000 - clocks.used[seat]
    again = evening.restarted().table.ledger
    assert (again.moments, again.resigned, again.late) == (
        evening.table.ledger.moments,
        evening.table.ledger.resigned,
        evening.table.ledger.late,
    )
