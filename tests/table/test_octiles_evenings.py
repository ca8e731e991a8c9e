"""Whole games of Octiles by hand, in both layouts, for two, three and four players; errors made and mended."""

from __future__ import annotations

import pytest

from firmware_host.table.subjects.resolving import Resigned
from tests.sampling import cases, few
from tests.sentences import is_in, sentence
from tests.table.octiles_errors import ERRORS
from tests.table.octiles_evenings import KINDS, Error, Octiles

pytestmark = pytest.mark.slow

GAMES = [(kind, mode) for kind in KINDS for mode in ("2", "3", "4")]


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "mode"), cases(GAMES, ("coded", "2")))
def test_a_whole_game_without_errors(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=int(mode))
    while not hands.over:
        hands.turn()
    assert (hands.asked == 0) == (kind == "coded")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), cases(GAMES, ("coded", "2")))
def test_a_whole_game_with_errors(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=10 + int(mode))
    while not hands.over and len(hands.meant) < 40:
        hands.turn(*hands.random.sample(ERRORS, hands.random.choice((0, 0, 1, 2))))
    assert len(hands.meant) > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "error"),
    few(cases([(kind, error) for kind in KINDS for error in ERRORS]), 7),
    ids=lambda value: getattr(value, "name", value),
)
def test_an_error_made_and_mended(kind: str, error: Error) -> None:
    hands = Octiles(kind, "2", seed=5)
    for _ in range(9):
        if not hands.over:
            hands.turn(error)


@pytest.mark.parametrize(("kind", "mode"), cases(GAMES, ("presence", "4")))
def test_two_hands_at_once(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=3)
    for _ in range(15):
        steps = hands.carried()
        if hands.over or not steps:
            break
        hands.at_once(hands.random.choice(steps))


@pytest.mark.parametrize(("kind", "mode"), cases(GAMES))
def test_the_next_player_is_quick(kind: str, mode: str) -> None:
    """The next tile is laid as soon as the runner stands: nobody waits until the turn counts."""
    hands = Octiles(kind, mode, seed=8)
    hands.quickly(15)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), cases(GAMES, ("coded", "3")))
def test_a_turn_is_taken_back_by_hand_and_played_otherwise(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=4)
    for _ in range(12):
        if hands.over:
            break
        hands.turn()
        step, _ = hands.last()
        if not hands.over and step.moves[-1].source != step.moves[-1].target:
            hands.undo_by_hand(step)
            hands.turn()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "mode"), cases([(kind, mode) for kind in KINDS for mode in ("2", "3")], ("presence", "2"))
)
def test_a_turn_is_taken_back_by_agreement(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=6)
    for _ in range(12):
        if hands.over:
            break
        hands.turn()
        tidy = hands.evening.view()["tidying"]
        step, before = hands.last()
        hands.evening.agree_on("take-back")
        hands.meant.pop()
        words = hands.evening.view()["tidying"]
        laid = step.moves[-2]
        assert sentence("goes back on top of", tile=laid.pieces[0].partition("r")[0]) in words
        if tidy:
            assert f"{hands.evening.game.pieces[before[str(laid.target)][0]]} lies in {laid.target} again" in words
        hands.mend()
        if kind == "coded":
            assert {node: tuple(stack) for node, stack in hands.evening.stones.items()} == before
        hands.evening.stones = {node: list(stack) for node, stack in before.items()}
        hands.turn()


@pytest.mark.slow
@pytest.mark.parametrize("kind", cases(KINDS, "coded"))
def test_a_player_resigns_in_any_stage_and_the_others_play_on(kind: str) -> None:
    for stage in range(4):
        hands = Octiles(kind, "4", seed=stage)
        for _ in range(3 + stage):
            hands.turn()
        leaver, step = hands.seat, hands.random.choice(hands.carried())
        if stage > 0:
            hands.lay(step.moves[:-1], step.action)
        if stage > 1:
            hands.evening.lift(str(step.moves[-1].source))
        if stage > 2:
            hands.evening.put(str(step.moves[-1].source))
        hands.evening.say(Resigned(at=hands.evening.at, seat=leaver))
        assert (hands.evening.phase, hands.stage) == ("resolving", [])
        if stage == 2:
            hands.evening.put(str(step.moves[-1].source))
        for move in reversed(step.moves[:-1] if stage else ()):  # What he has begun is put back.
            if move.source is None:
                hands.away(str(move.target))
            else:
                hands.evening.put(move.source, move.pieces[0])
        hands.wait(2.2)
        for _ in range(6):
            hands.turn()
        assert leaver not in {moment.seat for moment in hands.evening.table.ledger.moments[-5:]}


NO_TURN = "c5:18r1 blue:A5,F2,F3,F4,F6;yellow:B2,C4,D4,D5,E3 7,10,8,2,16,17,6,13,4,5,14,12,11,1,3,15,9 2 1"
"""The last runner stands where its only well leads to nothing that is free."""


@pytest.mark.parametrize("kind", KINDS)
def test_who_has_no_legal_turn_passes_on_the_phone(kind: str) -> None:
    hands = Octiles(kind, "2", seed=1, position=NO_TURN)
    assert hands.evening.view()["message"] == f"Ada: {sentence('no turn is possible with tile {tile}: pass', tile=7)}."
    assert [step["action"] for step in hands.evening.view()["steps"]] == ["pass"]
    assert hands.evening.lights() == {}
    hands.play("pass")
    assert hands.seat == 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_vacate_rule_is_said_in_words(kind: str) -> None:
    hands = Octiles(kind, "2", seed=2)
    words = "off the home side"
    assert is_in(words, hands.evening.view()["message"])
    hands.turn()
    hands.turn()
    assert not is_in(words, hands.evening.view()["message"])
