"""Clocks in records: what stood and how long was thought, and lies about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export, show_text, verify_lines
from firmware_host.games.clocks import ClockSetting
from firmware_host.replay.scenes import film, film_view, moment_view
from firmware_host.table.ledger import random_placement
from firmware_host.table.subjects.proposals import ActionUndone
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.evening import Evening
from tests.archive.records.recorder import Events, first, forged, refusal

STRICT = ClockSetting(main=20, increment=2, strict=True)


def journalled(folder: Path, evening: Evening) -> Journal:
    journal = Journal(folder / "journal.sqlite")
    for number, (kind, data) in enumerate(evening.entries):
        journal.append("g1", kind, data, f"2026-11-21T10:00:{number:02}.000+00:00")
    return journal


def lines_of(folder: Path, evening: Evening) -> tuple[str, ...]:
    journal = journalled(folder, evening)
    lines = tuple(export(journal, "g1"))
    journal.close()
    return lines


def half_sealed(setting: ClockSetting | None = STRICT) -> Evening:
    """Return an evening in which seat 1 has sealed and, with strict clocks, seat 2's time is up."""
    evening = Evening("spokes", kind="level")
    if setting:
        evening.say(ClocksChosen(at=0, setting=setting))
    evening.sit_and_start("Ann", "Bob")
    evening.wait(4)
    evening.commit(1, "wC2")
    evening.wait(21)
    return evening


def played() -> Evening:
    """Return one in which Bob's placement was drawn; it is taken back, and both seal by themselves; Bob resigns."""
    evening = half_sealed()
    evening.open(1, "wC2")
    evening.put_down_all()
    evening.say(ActionUndone(at=evening.at))
    for node in list(evening.stones):
        evening.take_off(node)
    evening.wait(1)
    evening.wait(3)
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.put_down_all()
    evening.wait(5)
    evening.do(evening.table.watch.tracker.steps[0].action)
    evening.say(Resigned(at=evening.at, seat=2))
    return evening


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    return lines_of(tmp_path_factory.mktemp("record"), played())


def test_a_record_tells_how_time_was_kept_and_what_stood(record: tuple[str, ...]) -> None:
    head, *events = map(json.loads, record)
    assert (head["record"], head["clocks"]) == (2, STRICT.to_dict())
    assert all("clock" in event["data"] for event in events)
    assert "time" not in [event["kind"] for event in events], "what was kept in between is not told"
    reveals = [event["data"]["clock"] for event in events if event["kind"] == "reveal"]
    assert [round(clock["used"]["1"] / 1000) for clock in reveals] == [4, 4], "given back, and thought again"
    assert "in order" in str(verify_lines(record))


def test_a_record_without_clocks_has_the_form_of_before(tmp_path: Path) -> None:
    head, *events = map(json.loads, lines_of(tmp_path, half_sealed(None)))
    assert head["record"] == 1
    assert "clocks" not in head
    assert not any("clock" in event["data"] for event in events)


def test_a_seed_is_told_only_after_the_reveal(tmp_path: Path, record: tuple[str, ...]) -> None:
    sealed = half_sealed()
    flag = next(data for kind, data in sealed.entries if kind == "flag")
    before = lines_of(tmp_path, sealed)
    assert flag["seed"] not in "".join(before)
    assert random_placement(sealed.table.ledger, 2, flag["seed"]).nonce not in "".join(before)
    assert verify_lines(before)
    (told,) = [event["data"] for event in map(json.loads, record) if event.get("kind") == "flag"]
    assert told["seed"] == flag["seed"]


def test_it_is_told_in_words(tmp_path: Path) -> None:
    journal = journalled(tmp_path, played())
    text = show_text(journal, "g1")
    journal.close()
    assert "Clocks: 0:20 for each player, 2 s more after each turn, strict." in text
    assert "Bob's time is up: a placement is drawn by lot." in text
    assert "Ann places white on C2 (0:04)." in text


def test_a_replay_shows_clocks_and_thinking_times(record: tuple[str, ...]) -> None:
    shown = film(record)
    assert film_view(shown)["clocks_words"] == "0:20 for each player, 2 s more after each turn, strict"
    reveal = moment_view(shown, 1)["clocks"]
    assert [round(clock["thought"] / 1000) for clock in reveal] == [4, 4]
    assert round(reveal[0]["left"] / 1000) == 20 - 4 + 2
    step = moment_view(shown, 2)["clocks"]
    (thought,) = [clock["thought"] for clock in step if clock["thought"]]
    assert 5000 <= thought < 8000, "five seconds, and the time from the last stone to the lift"


Lie = Callable[[Events], None]


def less_time(events: Events) -> None:
    events[-2]["data"]["clock"]["used"]["1"] = 0


def not_given_back(events: Events) -> None:
    events[first(events, "correction")]["data"]["clock"]["left"]["1"] += 1


def another_draw(events: Events) -> None:
    events[first(events, "flag")]["data"]["seed"] = "0" * 32


def another_seat(events: Events) -> None:
    events[first(events, "seal")]["data"]["clock"]["used"]["3"] = 1


def gentle(events: Events) -> None:
    del events[first(events, "flag")]["data"]["stint"]


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (less_time, "has thought for less time than before"),
        (not_given_back, "not what stood at the moment"),
        (another_draw, "drawn by lot was"),
        (another_seat, "expected the seats [1, 2]"),
        (gentle, "stint: expected where clocks are strict"),
    ],
)
def test_lies(record: tuple[str, ...], lie: Lie, words: str) -> None:
    assert words in refusal(lambda: verify_lines(forged(lambda _head, events: lie(events), record)))


def test_a_clock_in_a_record_without_clocks_is_refused(tmp_path: Path) -> None:
    def with_clock(_head: object, events: Events) -> None:
        events[0]["data"]["clock"] = {"used": {"1": 0, "2": 0}}

    lines = lines_of(tmp_path, half_sealed(None))
    assert "data.clock: there is no such field here" in refusal(lambda: verify_lines(forged(with_clock, lines)))


def test_any_placement_drawn_is_legal() -> None:
    ledger = half_sealed(None).table.ledger
    for number in range(50):
        drawn = random_placement(ledger, 2, f"{Random(number).getrandbits(128):032x}")
        ledger.game.check(ledger.now.position, 2, drawn.action)
