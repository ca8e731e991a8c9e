"""Records of every game: a whole one verifies and is told, and nothing in one can be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import RecordError, export, list_text, show_text, verify_lines
from firmware_host.games.capabilities import HasOptions
from firmware_host.games.positions import is_dealt
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from tests.archive.records.recorder import (
    Events,
    Recorder,
    a_beginning,
    a_decided_record,
    a_drawn_record,
    drop,
    forged,
    head,
    line_of,
    refusal,
    set_data,
)
from tests.sampling import cases
from tests.sentences import sentence

BONUS = "second_player_bonus"


def ways_to_play() -> list[tuple[str, Mapping[str, bool]]]:
    """Return every installed game, and under each option of its rules."""
    found: list[tuple[str, Mapping[str, bool]]] = [(name, {}) for name in GAMES]
    for name, game in GAMES.items():
        if isinstance(game, HasOptions):
            found += [(name, {option: True}) for option in game.options]
    return found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.sampled_from(ways_to_play()))
def test_a_whole_random_game_is_recorded_exported_verified_and_told(
    seed: int, way: tuple[str, Mapping[str, bool]]
) -> None:
    name, rules = way
    game = find_game(name, rules)
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, f"{name}-0a1b", game.modes[0], seed=seed, game=name, rules=rules)
        recorder.finish(corrected=True, most=300)
        lines = list(export(journal, recorder.id))
        summary = journal.games()[0]
        told, listed = show_text(journal, recorder.id), list_text(journal)
        journal.close()
    report = verify_lines(lines)
    status = recorder.status
    assert json.loads(lines[0])["rules"] == dict(rules)
    assert report.turns >= summary.turns > 0
    assert report.game == summary.title
    assert report.game.startswith(game.title)
    assert (status.reason or "") in report.state
    assert (summary.state, summary.reason, summary.winners) == ("finished", status.reason, status.winners)
    assert f"The end: {game.endings[status.reason or '']}" in told
    assert (" - won" in told or ": won" in told) == bool(status.winners)
    assert game.title in listed
    for option in rules:
        assert option in str(report)
        assert option in listed
        assert f"Rule {option}: " in told


# -- nothing can be changed --------------------------------------------------------------------------------------------

BEGINNINGS = [("phalanx", {}), ("phalanx", {BONUS: True}), ("coil", {})]


def others(value: Any, events: Events, field: str) -> list[Any]:
    """Return values of the same kind that the record holds elsewhere, and some that it does not."""
    held = [event["data"][field] for event in events if field in event["data"]]
    made: list[Any] = {int: [0, 1, 2, 3], str: ["end", "pass"], list: [["A1"], [1], [2]]}.get(type(value), [])
    kinds = [other for other in [*held[:3], *held[-3:], *made] if other != value and type(other) is type(value)]
    return [other for place, other in enumerate(kinds) if other not in kinds[:place]]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "rules"), cases(BEGINNINGS, BEGINNINGS[1]))
def test_each_single_field_that_is_changed_is_refused(name: str, rules: Mapping[str, bool]) -> None:
    record = a_beginning(name, **rules)
    assert verify_lines(record).events == len(record) - 1
    events = [json.loads(line) for line in record[1:]]
    tried = 0
    for place, event in enumerate(events):
        for field, value in event["data"].items():
            for other in others(value, events, field):
                if field == "by":
                    continue  # Whether hands or words took something back is nothing that the rules could know.
                tried += 1

                def change(_header: dict[str, Any], changed: Events, where=(place, field, other)) -> None:  # type: ignore[no-untyped-def]
                    changed[where[0]]["data"][where[1]] = where[2]

                with pytest.raises(RecordError) as caught:
                    verify_lines(forged(change, record))
                late = event["kind"] == "resign" and other == 2  # Only the result shows who had not resigned.
                assert caught.value.line == place + 2 + late, (place, field, other)
    assert tried > 150


@pytest.mark.parametrize(("name", "rules"), BEGINNINGS)
def test_an_action_left_out_is_refused(name: str, rules: Mapping[str, bool]) -> None:
    record = a_beginning(name, **rules)
    for skip in (0, 5, 15):
        said = refusal(lambda skip=skip: verify_lines(forged(drop("action", skip), record)))
        assert said.startswith(f"line {line_of('action', skip, record)}: ")


def test_other_rules_than_those_played_by_are_refused() -> None:
    with_bonus, without = a_beginning("phalanx", **{BONUS: True}), a_beginning("phalanx")
    assert "Phalanx with second_player_bonus" in str(verify_lines(with_bonus))
    assert "recorded" in refusal(lambda: verify_lines(forged(head(rules={}), with_bonus)))
    assert "recorded" in refusal(lambda: verify_lines(forged(head(rules={BONUS: True}), without)))
    for rules, words in (
        ({"wrap": True}, "line 1: rules: Phalanx has no option 'wrap'; it has second_player_bonus"),
        ({BONUS: False}, "line 1: rules: expected an object: option → true"),
        ({BONUS: 1}, "line 1: rules: expected an object: option → true"),
        ([BONUS], "line 1: rules: expected an object: option → true"),
    ):
        assert words in refusal(lambda rules=rules: verify_lines(forged(head(rules=rules), without)))


def test_the_seed_that_a_game_was_dealt_from_belongs_to_it() -> None:
    dealt = [name for name, game in GAMES.items() if is_dealt(game)]
    for name in dealt:
        record = a_beginning(name, actions=6)
        assert verify_lines(record).events == len(record) - 1
        assert "line 2: position: the one recorded is not that of the rules" in refusal(
            lambda record=record: verify_lines(forged(set_data("start", seed=2), record))
        )

        def without(_header: dict[str, Any], events: Events) -> None:
            del events[0]["data"]["seed"]

        said = refusal(lambda record=record: verify_lines(forged(without, record)))
        assert "line 2: seed: expected that from which the game was dealt" in said
        for wrong in (2**32, "0" * 31, "A" * 32):
            lines = forged(set_data("start", seed=wrong), record)
            assert "line 2: data.seed: expected" in refusal(lambda lines=lines: verify_lines(lines))
    assert dealt
    said = refusal(lambda: verify_lines(forged(set_data("start", seed=1), a_beginning("coil"))))
    assert "line 2: seed: nothing is dealt in Coil, found 1" in said


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if is_dealt(game)])
def test_the_seal_of_the_deal_is_checked(name: str) -> None:
    record = a_beginning(name, actions=6)
    assert "dealt as it was sealed" in str(verify_lines(record))
    other = forged(set_data("start", deal="0" * 64), record)
    assert "line 2: deal: not the seal of this seed and this position" in refusal(lambda: verify_lines(other))

    def without(_header: dict[str, Any], events: Events) -> None:
        del events[0]["data"]["deal"]

    unsealed = forged(without, record)
    assert "line 2: deal: expected the seal of the deal, found nothing" in refusal(lambda: verify_lines(unsealed))


def test_where_nothing_is_dealt_nothing_is_sealed() -> None:
    coil = forged(set_data("start", deal="0" * 64), a_beginning("coil"))
    assert "line 2: deal: nothing is dealt in Coil" in refusal(lambda: verify_lines(coil))


# -- a game that is decided --------------------------------------------------------------------------------------------


def test_a_draw_on_which_all_agree_is_verified_and_nothing_follows_it() -> None:
    assert str(verify_lines(a_drawn_record())).endswith("; a draw (agreed)")
    again = forged(lambda _, events: events.append(dict(events[-2])), a_drawn_record())
    with pytest.raises(RecordError, match="the game has ended"):
        verify_lines(again)


def test_a_game_that_is_called_decided_verifies_and_is_told(journal: Journal) -> None:
    assert "(decided)" in str(verify_lines(a_decided_record()))
    recorder = Recorder(journal, "coil-0a1b2c3d", seed=11, game="coil")
    recorder.play_until_decided()
    recorder.settle()
    told = show_text(journal, "coil-0a1b2c3d").splitlines()
    assert f"  All players agree: {sentence('no coil is possible.')}" in told
    assert told[-2] == f"The end: {sentence('no coil is possible in')}"
    assert told[-1] == f"  {('Ada', 'Grace')[recorder.status.winners[0] - 1]}: won"


DECISION_LIES = {
    "the wrong winner": (lambda won: set_data("decided", winner=3 - won), "by the rules"),
    "nobody": (lambda won: set_data("decided", winner=0), "winner: 0 recorded"),
    "position": (lambda won: set_data("decided", position="x"), "recorded"),
    "too early": (
        lambda won: lambda _header, events: events.insert(20, {**events[-2], "at": events[0]["at"]}),
        "by the rules it is not",
    ),
}


@pytest.mark.parametrize("lie", DECISION_LIES)
def test_a_decision_that_is_none_is_refused(lie: str) -> None:
    record = a_decided_record()
    won = json.loads(record[-2])["data"]["winner"]
    change, words = DECISION_LIES[lie]
    said = refusal(lambda: verify_lines(forged(change(won), record)))
    assert words in said
    assert said.startswith(f"line {22 if lie == 'too early' else line_of('decided', record=record)}: ")


def test_games_that_are_never_decided_refuse_it() -> None:
    def change(_header: dict[str, Any], events: Events) -> None:
        events.insert(3, {"at": events[0]["at"], "kind": "decided", "data": {"winner": 1, "position": "x"}})

    assert "line 5: the game is called decided" in refusal(lambda: verify_lines(forged(change, a_beginning("phalanx"))))
