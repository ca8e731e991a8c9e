"""Whatever hands and fingers try with one piece: what is legal has nothing against it, all else has a reason.

What is legal is told by the steps that the table hands to the tracker, and by the placements that may be sealed: the
reasons are worked out another way, from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.capabilities import Attempt, HasReasons
from firmware_host.games.positions import next_steps
from firmware_host.games.registry import GAMES, game
from firmware_host.text.words import Text
from tests.sampling import cases, is_sample
from tests.sentences import sentence

WAYS = [(name, mode) for name in ("coil", "octiles", "phalanx", "spokes") for mode in GAMES[name].modes]
MOST = 600
"""So many illegal attempts are looked at in one position."""

Stages = tuple[str, ...]


def moments(name: str, mode: str, rng: Random, most: int) -> tuple[Any, Any, Stages]:
    """Return a game, a position of a random game of it, and stages that lie there."""
    played = game(name)
    position = played.start(mode)
    for _ in range(rng.randrange(most)):
        chosen = {seat: played.random_action(position, seat, rng) for seat in played.actions(position)}
        after = played.apply(position, chosen)
        if after.status.over:
            break
        position = after.position
    partial = [] if played.simultaneous(position) else [one for one in next_steps(played, position) if one.partial]
    done = (rng.choice(partial).action,) if partial and rng.random() < 0.6 else ()
    return played, position, done


def legal(played: Any, position: Any, done: Stages) -> set[Attempt]:
    """Return every attempt that is a part of something legal, with and without its piece."""
    if played.simultaneous(position):
        (seat, actions), *_ = played.actions(position).items()
        moves = [move for action in actions for _, move in played.placements(position, {seat: action})]
    else:
        moves = [move for step in next_steps(played, position, done) for move in step.moves]
    found = set()
    for move in moves:
        for piece in (None, *move.pieces):
            found |= {Attempt(move.source, move.target, piece), Attempt(move.source, move.target, None)}
            if move.source is not None:
                found |= {Attempt(move.source, None, piece), Attempt(move.source, None, None)}
    return {one for one in found if one.source is not None or one.target is not None} - {
        one for one in found if one.source == one.target
    }


def tried(played: Any, position: Any) -> Iterator[Attempt]:
    """Return everything that can be tried: pieces from the supply on all nodes, what lies from node to node."""
    nodes = list(played.layout().nodes)
    lying = played.occupancy(position)
    for node in nodes:
        yield Attempt(None, node)
        yield from (Attempt(None, node, piece) for piece in played.pieces)
        yield Attempt(node, None)
        for target in nodes:
            if target != node:
                yield Attempt(node, target)
                if node in lying:
                    yield Attempt(node, target, lying[node][-1])


def covered(played: Any, done: Stages) -> set[str]:
    """Return the wells that a stage has laid a tile in: it may be lifted again, and laid elsewhere."""
    return {done[0].partition("r")[0]} if done else set()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), cases(WAYS, *dict(WAYS).items()))
@settings(max_examples=2 if is_sample() else 15, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_nothing_speaks_against_what_is_legal_and_all_else_has_a_reason(name: str, mode: str, seed: int) -> None:
    rng = Random(seed)
    played, position, done = moments(name, mode, rng, 60)
    assert isinstance(played, HasReasons)
    can = legal(played, position, done)
    for attempt in can:
        assert played.why_not(position, attempt, done) is None, (played.text(position), done, attempt)
    again = covered(played, done)
    all_tried = [one for one in tried(played, position) if one not in can and one.source not in again]
    for attempt in rng.sample(all_tried, min(MOST, len(all_tried))):
        reason = played.why_not(position, attempt, done)
        where = (played.text(position), done, attempt)
        if reason is None:
            # What is seen is a piece that nobody can tell from the one that goes there.
            assert Attempt(attempt.source, attempt.target) in can, where
            assert attempt.source is not None, where
            continue
        assert isinstance(reason, Text), where
        first = reason.split()[0].strip(":,")
        assert first[0].islower() or first.isdigit() or first in played.layout().nodes, where
        assert not reason.endswith("."), where
        assert "{" not in reason, where


def reasons(
    name: str, text: str, attempts: Sequence[tuple[str | None, str | None, str | None]], *done: str
) -> list[str]:
    played: Any = game(name)
    position = played.parse(text)
    return [str(played.why_not(position, Attempt(*attempt), done)) for attempt in attempts]


def test_spokes_says_which_rule_a_placement_breaks() -> None:
    place = "w/b.../......../................/................ 2 2 2 place -"
    assert reasons("spokes", place, [(None, "5", None), (None, "A1", "w"), ("A1", "B2", None), (None, "B2", "w")]) == [
        sentence("is a home: new", node=5),
        "A1 is not empty",
        sentence("no stone is moved while"),
        "None",
    ]


def test_spokes_says_which_rule_a_step_breaks() -> None:
    # White on A1 and B1 (they push), black on B3; C1 and C5 behind; a block on D9; a lone white stone on D5.
    text = "w/w.b./......../....w...x......./................ 2 2 2 resolve -"
    tries: list[tuple[str | None, str | None, str | None]] = [
        (None, "C1", "w"), ("D9", None, None), ("D5", None, None), ("C3", None, None), ("B1", "D1", None),
        ("B1", "B2", None), ("A1", "B2", None), ("A1", "B1", None),
    ]  # fmt: skip
    assert reasons("spokes", text, tries) == [
        sentence("stones are added at the"),
        sentence("stays where it is: a", node="D9"),
        sentence("no single stone lies beside", node="D5"),
        "there is no stone on C3",
        sentence("a stone moves along", target="D1", source="B1"),
        "it can't turn aside: A1 pushes it straight on to C1, which is empty",
        sentence("no stone of its colour", source="A1", target="B2"),
        sentence("of the same colour: they", target="B1"),
    ]


def test_phalanx_says_which_rule_is_broken() -> None:
    start = "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1"
    tries: list[tuple[str | None, str | None, str | None]] = [
        ("B8", None, None), (None, "E5", None), (None, "A9", None), ("G3", "A9", None), ("G3", "E5", None),
        ("G3", "H3", None), ("E5", None, None), (None, "G4", "w"), (None, "G4", "b"), ("G3", "J3", None),
    ]  # fmt: skip
    assert reasons("phalanx", start, tries) == [
        "the hoplite on B8 is White's",
        sentence("it would stand alone: no", node="E5"),
        sentence("is a goal: nobody goes", node="A9"),
        sentence("is a goal: nobody goes", node="A9"),
        sentence("it would stand alone, next", node="E5"),
        "H3 is not empty",
        "there is no hoplite on E5",
        sentence("the hoplite on {node} is white, and it is Black's turn", node="G4"),
        "None",
        "None",
    ]
    push = "9/9/9/3bbww2/9/9/9/9/9 b 3 1"
    assert reasons("phalanx", push, [("E6", "F6", None)]) == [sentence("a line only pushes", own=2, other=2)]


def test_coil_says_which_rule_is_broken() -> None:
    played: Any = game("coil")
    position = played.start("2")
    black = played.apply(position, {1: "g7"}).position
    main = played.apply(black, {2: "pass"}).position
    for position, attempt, why in (
        (black, Attempt("g7", "a1"), "stones are never moved"),
        (black, Attempt(None, "g7"), "g7 is not empty"),
        (black, Attempt(None, "a1", "w"), sentence("all are black until somebody passes", node="a1")),
        (main, Attempt(None, "a1", "b"), sentence("the stone on {node} is black, and it is White's turn", node="a1")),
        (main, Attempt(None, "a1", "w"), "None"),
    ):
        assert str(played.why_not(position, attempt)) == why


def test_octiles_says_which_rule_is_broken() -> None:
    played: Any = game("octiles")
    position = played.start("2")
    top = position.stack[0]
    other = position.stack[1]

    def why(attempt: Attempt, *done: str) -> str:
        return str(played.why_not(position, attempt, done))

    assert why(Attempt(None, "a2", f"{other}r0")) == sentence("top of the stack: that", top=top)
    assert why(Attempt(None, "c3")) == sentence("no line leads from a runner", side="blue", well="c3")
    assert why(Attempt(None, "B3")) == f"B3 takes no tile: tile {top} is laid in a well"
    assert why(Attempt("A1", None)) == sentence("is laid first, then a", tile=top)
    assert why(Attempt("F2", None)) == sentence("is yellow, and it is", node="F2", side="blue")
    assert why(Attempt("a3", None)) == "there is no tile in a3"
    laid = next_steps(played, position)[0].action
    assert why(Attempt(None, "a3"), laid) == sentence("the tile is laid: now")
    runner = next_steps(played, position, (laid,))[0].moves[0].source
    assert why(Attempt(runner, "F2"), laid) == "F2 is taken"
    assert why(Attempt(runner, "A6"), laid) == sentence("no runner stops there", node="A6", side="blue")
    assert why(Attempt(runner, "c3"), laid) == sentence("runners stop on stops and")
