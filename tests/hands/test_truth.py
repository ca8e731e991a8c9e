"""Sentences about boards that hands have disturbed are true, and a form that claims nothing is found."""

from __future__ import annotations

from itertools import chain

import pytest

from firmware_host.text.words import say
from tests.hands.disorder import FAMILIES
from tests.hands.followers import Disturbed, plan
from tests.hands.truth import Board, claims, said, tell
from tests.sampling import few
from tests.sentences import find


@pytest.mark.parametrize("family", few(FAMILIES, 5))
def test_what_is_said_of_a_disturbed_board_is_true(family: str) -> None:
    assert list(chain.from_iterable(tell(*case) for case in plan(family, 9))) == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_said_of_many_disturbed_boards_is_true(family: str) -> None:
    assert list(chain.from_iterable(tell(*case) for case in plan(family, 400, 1000))) == []


def test_an_untrue_sentence_is_found() -> None:
    board = Disturbed("phalanx", "2", "presence", 3)
    (missing,) = find("is missing on")
    lying, empty = (next(n for n, stack in board.world.stacks.items() if bool(stack) is lies) for lies in (True, False))
    for node in (lying, empty):
        ((form, values),) = said(say(missing, piece="", node=node), Board(board))
        assert not claims()[form](Board(board), values), "nothing is missing anywhere"
    board.lift(lying)
    assert claims()[missing](Board(board), {"node": lying})
