"""Who may have hints, what is written down of one, and what the lights show of it."""

from __future__ import annotations

import pytest

from firmware_host.games.thinking import Choice
from firmware_host.table.subjects import hints
from firmware_host.table.subjects.hints import HintsAllowed, HintTaken
from firmware_host.table.subjects.proposals import GamePaused
from firmware_host.table.table import restore
from firmware_host.text.words import say
from lodestone.evening import Evening
from tests.sentences import sentence

RESOLVING = "./..../....ww../..........ww..../................ 2 2 2 resolve -"


def take(evening: Evening, seat: int, level: int) -> HintTaken:
    return HintTaken(at=evening.at, seat=seat, level=level)


@pytest.fixture
def sealing() -> Evening:
    return Evening().sit_and_start("Ann", "Bob")


@pytest.fixture
def resolving() -> Evening:
    return Evening().begin_at(RESOLVING)


def test_everybody_may_ask_unless_the_host_says_otherwise(sealing: Evening) -> None:
    assert [seat["hints"] for seat in sealing.view()["seats"]] == [True, True]
    sealing.say(HintsAllowed(at=sealing.at, on=False, seat=2))
    assert [seat["hints"] for seat in sealing.view()["seats"]] == [True, False]
    assert sealing.refused(take(sealing, 2, 1)) == "no_hints"
    sealing.say(take(sealing, 1, 1))
    sealing.say(HintsAllowed(at=sealing.at, on=False))
    assert sealing.entries[-3:] == [
        ("hints", {"seat": 2, "on": False}),
        ("hint", {"seat": 1, "told": 1}),
        ("hints", {"seat": 1, "on": False}),
    ], "what is so already is not written down again"
    assert sealing.refused(HintsAllowed(at=sealing.at, on=True, seat=9)) == "bad_seat"
    sealing.say(HintsAllowed(at=sealing.at, on=True))
    assert [seat["hints"] for seat in sealing.view()["seats"]] == [True, True]


def test_it_is_written_down_once_for_each_thing_that_is_told(resolving: Evening) -> None:
    before = len(resolving.entries)
    for level in (1, 1, 2, 2, 1, 3, 3):
        resolving.say(take(resolving, 2, level))
    assert [data["told"] for _, data in resolving.entries[before:]] == [1, 2, 3]
    assert [seat["hinted"] for seat in resolving.view()["seats"]] == [0, 1], "one moment, one hint"
    assert [line["text"] for line in resolving.view()["log"]].count("P2 asks for a hint.") == 1
    resolving.do("D12-D11-D10")
    resolving.say(take(resolving, 2, 1))
    assert resolving.view()["seats"][1]["hinted"] == 2, "another moment, another one"


def test_only_the_player_who_chooses_now_can_ask(sealing: Evening, resolving: Evening) -> None:
    assert resolving.refused(take(resolving, 1, 1)) == "not_your_turn"
    assert resolving.refused(take(resolving, 9, 1)) == "bad_seat"
    sealing.commit(1, "wC2")
    assert sealing.refused(take(sealing, 1, 1)) == "not_your_turn", "it is sealed: nothing can be chosen any more"
    sealing.say(take(sealing, 2, 1))
    computers = Evening().sit_and_start("Ann", "Bob", computers=(2,))
    assert computers.refused(take(computers, 2, 1)) == "bad_seat"


@pytest.mark.parametrize("level", [-1, 0, 4])
def test_a_hint_tells_one_two_or_three_things(sealing: Evening, level: int) -> None:
    assert sealing.refused(take(sealing, 1, level)) == "bad_hint"


def test_nothing_that_is_sealed_is_ever_shown_by_light(sealing: Evening) -> None:
    before = sealing.lights()
    assert sealing.refused(take(sealing, 1, 3)) == "bad_hint"
    for level in (1, 2):
        sealing.say(take(sealing, 1, level))
        assert sealing.lights() == before
    assert sealing.view()["wanted"] is None


def test_a_hint_chooses_nothing(resolving: Evening) -> None:
    """Neither lights nor hands follow it."""
    before = resolving.view()
    resolving.say(take(resolving, 2, 3))
    after = resolving.view()
    assert [after[name] for name in ("wanted", "lights", "arrows", "tasks")] == [None, before["lights"], [], []]


def test_it_is_held_like_all_that_players_do(resolving: Evening) -> None:
    resolving.say(GamePaused(at=resolving.at))
    assert resolving.refused(take(resolving, 2, 1)) == "paused"


def test_a_restart_keeps_who_may_ask_and_who_did(sealing: Evening) -> None:
    sealing.say(HintsAllowed(at=sealing.at, on=False, seat=2))
    sealing.say(take(sealing, 1, 2))
    again = type(sealing.table)(sealing.game, "g1", "2", kind="presence")
    restore(again, sealing.entries, 0.0)
    assert hints.KEPT.of(again.ledger) == hints.HintState(frozenset({2}), {1: 2}, {1: 1})


def test_what_is_told_grows_with_each_tap() -> None:
    evening = Evening().begin_at(RESOLVING)
    position = evening.table.ledger.now.position
    choices = [
        Choice("D12-D11-D10", 0.7, line=("C5-C6-C7",)),
        Choice("C5-C6-C7", 0.6),
        Choice("C6-C5-C4", 0.55),
        Choice("D11-D12-D13", 0.5),
    ]
    first = hints.hint_view(evening.game, position, 2, choices, 1)
    assert (first["words"], first["nodes"]) == ("Look at the stone on D11.", ["D11"])
    assert (first["choices"], first["drawn"], first["ways"]) == ([], True, [])
    second = hints.hint_view(evening.game, position, 2, choices, 2)
    assert [one["words"] for one in second["choices"]] == [
        "D12 pushes D11 to D10",
        "C5 pushes C6 to C7",
        "C6 pushes C5 to C4",
    ]
    assert second["choices"][0]["leads"] == "You are ahead then. Then perhaps: C5 pushes C6 to C7."
    assert second["nodes"] == ["D11", "D10"]
    assert second["ways"] == []
    third = hints.hint_view(evening.game, position, 2, choices, 3)
    assert (third["ways"], third["puts"]) == ([["D11", "D10"]], [])
    worse = hints.hint_view(evening.game, position, 2, [choices[0], Choice("C5-C6-C7", 0.2)], 2)
    assert len(worse["choices"]) == 1, "what loses so much is no hint"


def test_what_follows_an_action_is_told_in_whole_sentences() -> None:
    """Some searches begin the line with the action itself."""
    evening = Evening().begin_at(RESOLVING)
    reasons = (say("This wins at once."), say("This closes a coil."))
    choice = Choice("D12-D11-D10", 0.1, line=("C5-C6-C7",), reasons=reasons)
    leads = hints.leads(evening.game, choice)
    assert leads == "You are in trouble then. This wins at once. This closes a coil. Then perhaps: C5 pushes C6 to C7."
    alone = Choice("D12-D11-D10", 0.5)
    assert hints.leads(evening.game, alone) == "It stays about even."


def test_a_placement_is_told_without_its_node_first(sealing: Evening) -> None:
    position = sealing.table.ledger.now.position
    first = hints.hint_view(sealing.game, position, 1, [Choice("wD12", 0.5, 0.4)], 1)
    assert (first["words"], first["nodes"], first["drawn"]) == (
        sentence("Look at where you could", piece="a white stone"),
        [],
        False,
    )
    second = hints.hint_view(sealing.game, position, 1, [Choice("wD12", 0.5, 0.4)], 2)
    assert second["nodes"] == ["D12"]
    assert hints.hint_view(sealing.game, position, 1, [Choice("wD12", 0.5, 0.4)], 3)["puts"] == []


def test_the_first_tap_names_the_good_places_for_a_new_stone_and_no_others() -> None:
    """In Coil every action puts a stone. A stone beside a good place loses, so no neighbourhood is a hint."""
    evening = Evening("coil").sit_and_start("Ann", "Bob")
    position = evening.table.ledger.now.position
    choices = [Choice("g7", 0.6), Choice("d9", 0.56), Choice("a1", 0.4), Choice("m7", 0.6)]
    first = hints.hint_view(evening.game, position, 1, choices, 1)
    assert (first["nodes"], first["choices"]) == (["d9", "g7"], []), "worse by much, or the fourth: not named"
    assert all(node in first["words"] for node in first["nodes"])
    second = hints.hint_view(evening.game, position, 1, choices, 2)
    assert second["nodes"] == ["g7"]
    for best, worse in ((0.04, 0.01), (0.99, 0.96)):
        few = hints.hint_view(evening.game, position, 1, [Choice("g7", best), Choice("d9", worse)], 1)
        assert few["nodes"] == ["g7"], "its odds are three times those of the other one, however close the scores are"
    alone = hints.hint_view(evening.game, position, 1, [Choice("g7", 0.6), Choice("pass", 0.59)], 1)
    assert alone["nodes"] == ["g7"]


@pytest.mark.parametrize(("name", "action"), [("coil", "pass"), ("phalanx", "end")])
def test_the_first_tap_says_what_is_done_without_a_piece(name: str, action: str) -> None:
    evening = Evening(name).sit_and_start("Ann", "Bob")
    hint = hints.hint_view(evening.game, evening.table.ledger.now.position, 1, [Choice(action, 0.6)], 1)
    assert evening.game.words(action) in hint["words"]
    assert hint["nodes"] == []


def test_a_tile_and_its_runner_are_drawn_together() -> None:
    evening = Evening("octiles").sit_and_start("Ann", "Bob")
    third = hints.hint_view(evening.game, evening.table.ledger.now.position, 1, [Choice("a2r0:A2-B2", 0.5)], 3)
    assert [put["node"] for put in third["puts"]] == ["a2"]
    assert third["puts"][0]["piece"].endswith("r0")
    assert third["ways"] == [["A2", "a2", "B2"]]
