"""The engine's verbs ``levels``, ``think`` and ``play``: ranked choices, an action of a level, the same for a seed."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from firmware_host.games import registry
from firmware_host.games.thinking import Budget, Choice, Thought, think_in_time
from firmware_host.services import engine
from tests.games.nim import Nim
from tests.sampling import together

OCTILES = {"game": "octiles", "position": registry.GAMES["octiles"].text(registry.GAMES["octiles"].start("2"))}


@pytest.fixture(autouse=True)
def _nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GAMES", {**registry.GAMES, "nim": Nim()})


def ask(**request: Any) -> Any:
    return json.loads(engine.answer_line(json.dumps({"game": "nim", **request})))


def test_levels_are_listed_with_their_words() -> None:
    found = ask(do="levels")["levels"]
    assert [(level["level"], level["name"], level["nodes"]) for level in found] == [
        (1, "Beginner", 4),
        (2, "Experienced", 16),
        (3, "Expert", 1000),
    ]


def test_think_ranks_the_choices_and_says_why() -> None:
    answer = ask(do="think", position="11 1")
    assert answer["choices"][0]["action"] == "take3"
    assert [choice["value"] for choice in answer["choices"]] == [1.0, 0.0, 0.0]
    assert answer["choices"][0]["reasons"] == ["It leaves a multiple of four."]
    assert (answer["proved"], answer["in_time"]) == (True, True)
    assert 0 < answer["nodes"] <= 1000


def test_play_is_the_action_of_a_level_and_follows_from_the_seed() -> None:
    played = ask(do="play", position="10 2")
    assert played["action"] == "take2"
    chosen = ask(do="choose", position="10 2")
    assert (chosen["action"], chosen["thought"]) == ("take2", {"nodes": played["nodes"], "value": played["value"]})
    assert ask(do="play", position="2 1", level=1)["action"] == "take2"
    weak = [ask(do="play", position="12 1", level=1, seed=seed)["action"] for seed in range(30)]
    assert weak == [ask(do="play", position="12 1", level=1, seed=seed)["action"] for seed in range(30)]
    assert set(weak) == {"take1", "take2", "take3"}


def test_a_budget_counts_instead_of_a_levels() -> None:
    assert ask(do="think", position="11 1", nodes=3)["nodes"] < ask(do="think", position="11 1")["nodes"]
    assert ask(do="think", position="11 1", depth=1)["choices"][0]["value"] == 0.5


def test_no_time_at_all_still_gives_an_action_and_says_so() -> None:
    answer = ask(do="play", position="11 1", seconds=0)
    assert (answer["ok"], answer["in_time"]) == (True, False)


class Planner(Nim):
    """A search that takes a tick of a clock for each node, and notes how many it was given."""

    def __init__(self, ticks: int, room: int = 10**9) -> None:
        """A search for more than ``room`` nodes runs out of memory."""
        self.given: list[int] = []
        self.passed, self._ticks, self._room = 0, ticks, room

    def think(self, position: Any, seat: int, budget: Budget, rng: Random) -> Thought:
        self.given.append(budget.nodes)
        self.passed += budget.nodes
        if budget.nodes > self._room:
            raise MemoryError
        return Thought((Choice("take1", 0.5), Choice("take2", rng.random() / 2)), budget.nodes)

    def used(self) -> float:
        return self.passed / self._ticks

    def answer(self, nodes: int) -> Thought:
        return think_in_time(self, None, 1, Budget(nodes), Random(7), self.used)


def test_far_more_nodes_than_there_is_time_for_are_given_little_by_little() -> None:
    """A search plans by its nodes: with all of them at once the clock would end it at the beginning of its plan."""
    usual = Nim().strengths[-1].budget.nodes
    for ticks, given, answered in (
        (200 * usual, [usual, 4 * usual, 16 * usual, 64 * usual], 64 * usual),
        (usual, [usual], usual),
        (2 * usual, [usual], usual),
    ):
        planner = Planner(ticks)
        thought = planner.answer(10**9)
        assert planner.given == given
        assert planner.used() <= 1
        assert (thought.nodes, thought.hurried) == (answered, True)
        assert thought.choices[1].value == Random(7).random() / 2, "each search has the same random numbers"
    planner = Planner(10**9)
    assert (planner.answer(30 * usual).hurried, planner.given) == (False, [usual, 4 * usual, 16 * usual, 30 * usual])
    planner = Planner(2 * usual)
    assert (planner.answer(4 * usual).hurried, planner.given) == (False, [4 * usual]), "the same on every machine"
    planner = Planner(10**9, room=5 * usual)
    thought = planner.answer(10**9)
    assert (planner.given[-1], thought.nodes, thought.hurried) == (16 * usual, 4 * usual, True), "memory ends it, too"


def test_a_search_that_the_clock_has_kept_from_more_says_so() -> None:
    assert ask(do="think", position="10 1", nodes=10**9, seconds=60)["in_time"] is True, "proved"
    answer = json.loads(
        engine.answer_line(json.dumps({**OCTILES, "do": "play", "nodes": 10**9, "seconds": 0.3, "seed": 1}))
    )
    assert (answer["ok"], answer["in_time"]) == (True, False)


@together(
    ("fields", "code", "words"),
    [
        ({"position": "11 1", "level": 4}, "bad_request", "level: expected a whole number from 1 to 3"),
        ({"position": "11 1", "level": 0}, "bad_request", "level: expected a whole number from 1 to 3"),
        ({"position": "11 1", "seat": 2}, "bad_request", "seat: expected a whole number from 1 to 1"),
        ({"position": "11 2", "seat": 1}, "bad_action", "seat: expected a seat that acts now, 2, got 1"),
        ({"position": "0 1"}, "game_over", "the game is over"),
        ({"position": "11 1", "nodes": 0}, "bad_request", "nodes: expected a whole number from 1"),
        ({"position": "11 1", "seconds": "long"}, "bad_request", "seconds: expected"),
        ({"position": "13 1"}, "bad_position", "stones"),
        ({"position": "11 1", "levle": 1}, "bad_request", "levle"),
    ],
)
@together("do", ["think", "play"])
def test_what_is_wrong_is_named(do: str, fields: dict[str, Any], code: str, words: str) -> None:
    error = ask(do=do, **fields)["error"]
    assert error["code"] == code
    assert words in error["message"]


def test_where_several_seats_act_together_the_seat_is_asked_for() -> None:
    start = "./..../......../................/................ 2 1 1 place -"
    error = ask(do="play", game="spokes", position=start)["error"]
    assert error["code"] == "bad_request"
