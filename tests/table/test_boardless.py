"""Where a simulated hand moves everybody's pieces nobody has a board: no sentence speaks of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from firmware_host.table.subjects.boardless import HandsLent
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.sentences import sentence

SPEAKS_OF_A_BOARD = re.compile(r"\b(boards?|sensors?|lights?|lit|lamps?|pulses?|tap|hands?|take|put)\b", re.IGNORECASE)
OF_THE_GAME = ("game", "log", "standing", "result", "steps", "actions", "tasks", "levels", "layout", "tints", "pieces")
"""What is about the game's own board, which the phone draws (its rules, actions and results), and a hand's tasks."""


def said(view: Any) -> Iterator[str]:
    """Yield all texts of a view that are sentences."""
    if isinstance(view, str):
        if " " in view:
            yield view
    elif isinstance(view, dict):
        for one in view.values():
            yield from said(one)
    elif isinstance(view, list | tuple):
        for one in view:
            yield from said(one)


def check(evening: Evening) -> int:
    """Check all that reaches a phone now; return how many sentences it has."""
    shown = {name: part for name, part in evening.view().items() if name not in OF_THE_GAME}
    found = list(said(shown))
    assert [words for words in found if SPEAKS_OF_A_BOARD.search(words)] == []
    return len(found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("spokes", "level"), ("phalanx", "level"), ("phalanx", "presence"), ("coil", "presence"), ("octiles", "coded")],
)
def test_no_sentence_of_a_played_game_speaks_of_a_board(name: str, kind: str) -> None:
    evening = Evening(name, kind=kind)
    evening.say(HandsLent(at=evening.at, everybody=True))
    check(evening)
    evening.sit_and_start("Ada", "Ben")
    rng, checked = Random(1), 0
    for _ in range(14):
        checked += check(evening)
        if evening.phase in {"setup", "clearing"}:
            evening.set_up() if evening.phase == "setup" else evening.follow()
            continue
        if evening.phase == "over":
            break
        table, position = evening.table, evening.table.ledger.now.position
        if evening.phase == "sealing":
            offered = table.game.actions(position)
            evening.seal_all({seat: rng.choice(list(offered[seat])) for seat in offered})
            checked += check(evening)
            evening.put_down_all()
        elif evening.phase == "resolving":
            seat = table.actor or 0
            action = rng.choice(sorted(table.game.actions(position)[seat]))
            evening.say(ActionChosen(at=evening.at, seat=seat, action=action))
            checked += check(evening)
            for _ in range(9):
                if evening.view()["wanted"] is None:
                    break
                evening.follow()
                checked += check(evening)
    assert checked > 20


def test_the_player_who_chooses_is_told_so_and_the_host_may_bring_a_board_back() -> None:
    evening = Evening("phalanx").sit_and_start("Ada", "Ben")
    evening.set_up()
    usual = evening.view()["message"]
    evening.say(HandsLent(at=evening.at, everybody=True))
    assert evening.view()["own_messages"] == {"1": sentence("Your turn: choose what")}
    assert evening.view()["message"] == sentence("chooses on the phone", name="Ada")
    evening.say(HandsLent(at=evening.at, everybody=False))
    assert evening.view()["message"] == usual
