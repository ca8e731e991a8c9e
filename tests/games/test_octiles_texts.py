"""The texts of Octiles both ways, what is refused and why, and how tiles are dealt."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.capabilities import HasStartOptions
from firmware_host.games.game import BadAction, BadPosition, GameError
from firmware_host.games.octiles import board, notation, rules
from firmware_host.games.octiles.rules import Position
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import GOOD, OCTILES, STACK, ask, greedy_action, positions
from tests.sampling import is_sample, together
from tests.sentences import sentence

thorough = settings(max_examples=150, deadline=None)

# -- texts -----------------------------------------------------------------------------------------------------------


@thorough
@given(positions())
def test_texts_of_positions_lead_both_ways(now: Position) -> None:
    text = OCTILES.text(now)
    assert text == slow.write(slow.read(text))
    again = OCTILES.parse(text)
    assert OCTILES.text(again) == text
    assert again.key == now.key
    assert OCTILES.parse(text) == again
    assert hash(OCTILES.parse(text)) == hash(again)


@thorough
@given(st.integers(0, 17 * 8 * 36 * 36 - 1), st.integers(0, 17 * 8 * 36 * 36 - 1))
def test_texts_of_actions_lead_both_ways_and_sort_as_their_codes(one: int, other: int) -> None:
    turn = rules.decode(one)
    assert rules.code(turn) == one
    assert notation.parse(notation.text(one)) == turn
    assert (one < other) == (notation.text(one) < notation.text(other))
    well, eighths, source, target = turn
    assert notation.text(one) == f"{board.WELLS[well]}r{eighths}:{board.NODES[source]}-{board.NODES[target]}"


@together(
    ("old", "new", "field"),
    [
        (" 2 1", " 2", "position: expected 5 fields"),
        (" 2 1", " 2 1 1", "position: expected 5 fields"),
        (" 2 1", "  2 1", "position: expected 5 fields"),
        (" 2 1", " 5 1", "mode: expected one of 2, 3, 4, got '5'"),
        (" 2 1", " 2 3", "seat: expected a number from 1 to 2, got '3'"),
        (" 2 1", " 2 01", "seat: expected"),
        ("b3:12r5", "b3:12r8", "wells: expected"),
        ("b3:12r5", "b3:012r5", "wells: expected"),
        ("b3:12r5", "b3:19r5", "wells: expected"),
        ("b3:12r5", "b1:12r5", "wells: expected"),
        ("b3:12r5", "b3:12", "wells: expected"),
        ("b3:12r5", "b3:١٢r5", "wells: expected"),
        ("b3:12r5,", "b3:12r5,,", "wells: expected"),
        ("b3:12r5,c1:4r0", "", "wells: expected"),
        ("b3:12r5,c1:4r0", "c1:4r0,b3:12r5", "wells: expected each well once, sorted by name, got b3 after c1"),
        ("b3:12r5,c1:4r0", "b3:12r5,b3:4r0", "wells: expected each well once"),
        ("b3:12r5,c1:4r0", "b3:12r5,c1:12r0", "stack: expected every tile once"),
        (
            "b3:12r5,c1:4r0",
            "b3:12r5",
            "stack: expected every tile once on wells or in the stack, got tile 4 nowhere",
        ),
        (" 1,2,3", " 1,2,2,3", "stack: expected every tile once on wells or in the stack, got tile 2 2 times"),
        (" 1,2,3", " 1,2,03", "stack: expected tile numbers from 1 to 18 joined by ',', got '03'"),
        (" 1,2,3", " 1,2,,3", "stack: expected tile numbers"),
        (" 1,2,3", " 1,2,3,19", "stack: expected tile numbers"),
        ("blue:", "red:", "runners: expected blue: and its nodes"),
        ("blue:A1", "blue,A1", "runners: expected blue:"),
        (";yellow:E5,F2,F3,F4,F5", "", "runners: expected blue, yellow joined by ';' in mode 2, got 1 sides"),
        ("A4,B3", "A4", "runners: blue: expected 5 nodes in mode 2, got 4"),
        ("A4,B3", "A4,B3,B4", "runners: blue: expected 5 nodes in mode 2, got 6"),
        ("A4,B3", "A4,B7", "runners: blue: expected nodes such as B3 or F2, got 'B7'"),
        ("A4,B3", "A4,b3", "runners: blue: expected nodes"),
        ("A4,B3", "B3,A4", "runners: blue: expected the nodes sorted"),
        ("A4,B3", "A4,E5", "runners: yellow: expected one runner a node, got E5 again"),
        ("A4,B3", "A4,A4", "runners: blue: expected one runner a node"),
        ("A4,B3", "A4,A6", "runners: blue: expected stops and pads of its home and goal, got A6"),
        ("yellow:E5,F2,F3,F4,F5", "yellow:", "runners: yellow: expected nodes"),
        (
            "blue:A1,A2,A3,A4,B3;yellow:E5,F2,F3,F4,F5",
            "blue:B2,B3,B4,B5,C2;yellow:A1,A2,A3,A4,A5",
            "seat: expected 2, as all runners of yellow are on their goal, got 1",
        ),
    ],
)
def test_positions_that_cannot_be_are_refused_by_field(old: str, new: str, field: str) -> None:
    assert OCTILES.text(OCTILES.parse(GOOD)) == GOOD
    assert old in GOOD
    with pytest.raises(BadPosition) as refused:
        OCTILES.parse(GOOD.replace(old, new))
    assert str(refused.value).startswith(field)


@pytest.mark.slow
@settings(max_examples=100 if is_sample() else 300, deadline=None)
@given(
    st.text(max_size=60) | st.builds(lambda at, sign: GOOD[:at] + sign + GOOD[at + 1 :], st.integers(0, 120), st.text())
)
def test_any_text_is_a_position_or_is_refused(text: str) -> None:
    try:
        position = OCTILES.parse(text)
    except BadPosition:
        return
    assert OCTILES.text(position) == text


@together(
    ("action", "why"),
    [
        ("", "action: expected one such as b3r5:B3-D4 or pass"),
        ("b3r8:B3-D4", "action: expected"),
        ("b3r5:B3-D4 ", "action: expected"),
        ("b1r5:B3-D4", "action: expected"),
        ("b3r5:F6-G4", "action: expected"),
        ("pass", sentence("a turn, as one is legal", turn="")),
        ("b3r5:B4-D4", "action: there is no runner on B4"),
        ("b3r5:F2-D4", f"action: {sentence('is yellow, and it is', node='F2', side='blue')}"),
        ("b3r5:B3-A5", f"action: {sentence('no runner stops there', node='A5', side='blue')}"),
        ("b3r5:B3-C6", "action: C6 is a pad"),
        ("b3r5:B3-E5", "action: E5 is taken"),
        ("b3r5:A1-A1", "action: A1 is a pad"),
        ("e4r5:B3-D4", "action: no line leads from B3 to D4 across the tile on e4"),
    ],
)
def test_actions_that_are_not_legal_are_refused_with_the_reason(action: str, why: str) -> None:
    with pytest.raises(BadAction) as refused:
        OCTILES.check(OCTILES.parse(GOOD), 1, action)
    assert str(refused.value).startswith(why)


def test_a_runner_on_its_goal_never_moves_again() -> None:
    now = OCTILES.parse(GOOD.replace("A3,A4,B3", "A3,A4,F6").replace("2 1", "2 1"))
    with pytest.raises(BadAction, match=sentence("has reached its goal and", node="F6")):
        OCTILES.check(now, 1, "e4r0:F6-E4")


def test_words() -> None:
    assert OCTILES.words("b3r5:B3-D4") == "tile on b3, turned by 5 eighths; runner from B3 to D4"
    assert (
        OCTILES.words("b3r1:B3-B3")
        == f"tile on b3, turned by 1 eighth; {sentence('runner round a loop back', node='B3')}"
    )
    assert OCTILES.words("b3r0:B3-D4") == "tile on b3, not turned; runner from B3 to D4"
    assert OCTILES.words("pass") == sentence("pass, as no turn is")


# -- the deal --------------------------------------------------------------------------------------------------------


def test_a_recorded_seed_is_a_recorded_deal() -> None:
    """These must never change: records hold nothing but the seed."""
    assert isinstance(OCTILES, HasStartOptions)
    assert OCTILES.text(OCTILES.start_with("2", {"seed": 5})) == (
        "- blue:A1,A2,A3,A4,A5;yellow:F2,F3,F4,F5,F6 16,14,2,6,17,7,12,5,13,1,15,9,10,3,18,8,11,4 2 1"
    )
    assert ask(do="start", mode="2", seed=5)["position"] == OCTILES.text(OCTILES.start_with("2", {"seed": 5}))
    assert ask(do="start", mode="4")["position"] == OCTILES.text(OCTILES.start_with("4", {"seed": 0}))
    assert OCTILES.start("3") == OCTILES.start_with("3", {"seed": 0})


def test_seeds_deal_differently_and_evenly() -> None:
    starts = [OCTILES.start_with("3", {"seed": seed}) for seed in range(-1000, 1000)]
    assert len({start.key for start in starts}) == 2000
    for number in range(16):
        tops = Counter(start.stack[number] for start in starts)
        assert len(tops) == 18
        assert max(tops.values()) < 2 * 2000 / 18
    assert {start.faces[board.WELL["c1"]] % 8 for start in starts} == set(range(8))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from("234"), st.integers(0, 2**60))
def test_a_game_replays_exactly_from_seed_and_actions(mode: str, seed: int) -> None:
    rng = Random(seed)
    now, actions, texts = OCTILES.start_with(mode, {"seed": seed}), [], []
    while not OCTILES.status(now).over:
        actions.append(greedy_action(now, now.seat, rng))
        now = OCTILES.apply(now, {now.seat: actions[-1]}).position
        texts.append(OCTILES.text(now))
    again = OCTILES.start_with(mode, {"seed": seed})
    for action, text in zip(actions, texts, strict=True):
        again = OCTILES.apply(again, {again.seat: action}).position
        assert OCTILES.text(again) == text
    assert again == now
    assert hash(again) == hash(now)


def test_the_three_player_game_lays_the_top_two_tiles() -> None:
    answer = ask(do="start", mode="3", stack=STACK, turned=[3, 0])
    assert answer["position"] == (
        "c1:16r3,d1:11r0 blue:A1,A2,A3,A4,A5;red:A6,B6,C6,D6,E6;yellow:F2,F3,F4,F5,F6 "
        "14,7,17,6,8,10,9,15,3,2,1,18,4,5,13,12 3 1"
    )


@together(
    ("mode", "options", "why"),
    [
        ("2", {"stack": STACK[:17]}, "stack: expected a list of all tiles"),
        ("2", {"stack": [*STACK[:17], 16]}, "stack: expected a list of all tiles"),
        ("2", {"stack": [True if tile == 1 else tile for tile in STACK]}, "stack: expected"),
        ("2", {"stack": [float(tile) for tile in STACK]}, "stack: expected"),
        ("2", {"stack": "16,11"}, "stack: expected"),
        ("2", {"stack": STACK, "seed": 4}, "seed: expected seed or stack, not both"),
        ("2", {"stack": STACK, "turned": [1, 2]}, "turned: only mode 3 lays tiles before play, not mode 2"),
        ("3", {"stack": STACK}, "turned: expected a list of 2 turnings from 0 to 7, but it is missing"),
        ("3", {"stack": STACK, "turned": [1, 8]}, "turned: expected a list of 2 turnings from 0 to 7, got"),
        ("3", {"stack": STACK, "turned": [1]}, "turned: expected"),
        ("3", {"stack": STACK, "turned": [1, True]}, "turned: expected"),
        ("3", {"turned": [1, 2]}, "turned: expected stack with it"),
        ("2", {"size": 3}, "size: Octiles does not know this field"),
        ("2", {"seed": "x"}, "seed: expected a whole number"),
        ("5", {}, "mode: expected one of 2, 3, 4"),
    ],
)
def test_deals_that_cannot_be_are_refused(mode: str, options: dict[str, Any], why: str) -> None:
    answer = ask(do="start", mode=mode, **options)
    assert (answer["ok"], answer["error"]["code"]) == (False, "bad_request")
    assert answer["error"]["message"].startswith(why)
    if "size" not in options:
        with pytest.raises(GameError):
            OCTILES.start_with(mode, options)


def test_games_without_chance_take_a_seed_and_no_deal() -> None:
    assert ask(do="start", game="coil", seed=7)["ok"]
    assert ask(do="start", game="phalanx", seed=7)["ok"]
    refused = ask(do="start", game="spokes", seed=7, stack=STACK)["error"]
    assert refused["message"].startswith("stack: Spokes does not know this field")
