"""What the search hears of a game's past: enough to know a position as the table does."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from firmware_host.analysis.questions import ActionQuestion, text_and_moves
from firmware_host.games.game import Game, Transition
from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import GAMES, game
from firmware_host.services.engine import answer_line, position_now
from firmware_host.table.ledger import Moment
from tests.sampling import together

PHALANX = game("phalanx")
MODES = [(name, mode) for name in sorted(GAMES) for mode in game(name).modes]


def moments(one: Game[Any], mode: str, seed: int) -> list[Moment]:
    """Return those of a random game that has not ended; of several players the first to move resigns on the way."""
    rng = Random(seed)
    found = [moment(one, Transition(starting(one, mode, {SEED: seed}), one.status(one.start(mode)), {}), "start")]
    for number in range(25):
        position: Any = found[-1].position
        actors = one.actions(position)
        if number == 10 and len(one.teams(mode)) > 2:
            seat = min(actors)
            found.append(moment(one, one.resign(position, seat), "resign", seat))
            continue
        chosen = {seat: one.random_action(position, seat, rng) for seat in actors}
        after = one.apply(position, chosen)
        if after.status.over:
            break
        found.append(moment(one, after, "action", None, chosen))
    return found


def moment(
    one: Game[Any], after: Transition[Any], kind: str, seat: int | None = None, chosen: dict[int, str] | None = None
) -> Moment:
    placed = one.occupancy(after.position)
    return Moment(after.position, after.status, placed, after.removed, kind, seat, chosen or {})


@together(("name", "mode"), MODES)
@together("seed", range(3))
def test_the_search_knows_the_position_as_the_table_does(name: str, mode: str, seed: int) -> None:
    one = game(name)
    found = moments(one, mode, seed)
    question = ActionQuestion.at(one, found, 1, 1, 0)
    assert repr(position_now(question.request())[1]) == repr(found[-1].position)
    assert len(question.moves) < len(found)


def test_of_a_resolution_its_own_moves_are_enough() -> None:
    spokes = game("spokes")
    found = [moment(spokes, Transition(spokes.start("2"), spokes.status(spokes.start("2")), {}), "start")]
    for kind, chosen in (
        ("reveal", {1: "wC2", 2: "wD4"}),
        ("reveal", {1: "wC1", 2: "wD3"}),
        ("action", {2: "C1-C2-C3"}),
    ):
        after = spokes.apply(found[-1].position, chosen)
        found.append(moment(spokes, after, kind, None, chosen))
    position, moves = text_and_moves(spokes, found)
    assert (position, moves) == (spokes.text(found[2].position), (((2, "C1-C2-C3"),),))


def test_a_draw_that_depends_on_what_was_before_is_seen() -> None:
    """Two empty turns in a row are a draw (Phalanx, R6)."""
    start = PHALANX.text(PHALANX.start("2"))
    answer = ask(do="apply", position=start, moves=[{"1": "end"}], action="end")
    assert answer["status"] == {"over": True, "winners": [], "reason": "draw"}


def test_a_computer_sees_the_draw_to_which_an_action_leads() -> None:
    start = PHALANX.start("2")
    after = PHALANX.text(PHALANX.apply(start, {1: "end"}).position)
    known = ask(do="think", position=PHALANX.text(start), moves=[{"1": "end"}], nodes=2_000)
    unknown = ask(do="think", position=after, nodes=2_000)
    values = [{one["action"]: one["value"] for one in answer["choices"]} for answer in (known, unknown)]
    assert values[0]["end"] == 0.5 != values[1]["end"]


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("end", 'moves: expected a list of objects seat → action, got "end"'),
        ([{"1": "end"}, {"2": "+Z9"}], "moves: number 2: "),
        ([{"1": "end"}, {"1": "end"}], "moves: number 2: actions: expected seats 2, got '1'"),
        ([["end"]], 'moves: number 1: actions: expected an object seat → action, got ["end"]'),
        ([{"3": None}], 'moves: number 1: seat: expected one of 1, 2, got "3"'),
        ([{"1": None}, {"2": "end"}], "moves: number 2: the game is over"),
    ],
)
def test_moves_that_are_none_are_named(moves: object, words: str) -> None:
    error = ask(do="status", position=PHALANX.text(PHALANX.start("2")), moves=moves)["error"]
    assert words in error["message"]


def ask(**request: Any) -> Any:
    return json.loads(answer_line(json.dumps({"game": "phalanx", **request})))
