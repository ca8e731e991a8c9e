"""What hands do against the rules is told by the rule, and what to do then."""

from __future__ import annotations

import pytest

from firmware_host.games import registry
from firmware_host.games.capabilities import Attempt, HasReasons
from firmware_host.table.errors import TableError
from firmware_host.table.pieces import why_not
from firmware_host.text.words import capital
from lodestone.evening import Evening
from tests.games.test_plain import GAME as PINCERS
from tests.sentences import sentence

PHALANX = "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1"
SPOKES = "./..../....w.../...........ww.../................ 2 2 2 resolve -"


def at(game: str, text: str, kind: str = "presence") -> Evening:
    return Evening(game, "2", kind).begin_at(text)


TILES = (
    "a2:9r3,a3:11r6,b2:6r4,b3:10r3,b4:18r1,c2:1r5,c4:7r6,d2:2r6,d3:5r2,d4:14r1,e3:15r4,e4:16r3"
    " blue:A1,A2,B2,C3,E3;yellow:C5,D3,D4,E2,F5 8,13,4,3,12,17 2 1"
)


def says(evening: Evening) -> str:
    return str(evening.view()["message"])


def test_a_piece_that_is_not_ones_own_is_named_as_what_it_is() -> None:
    evening = at("phalanx", PHALANX)
    evening.lift("B8")
    evening.wait(0.2)
    assert says(evening) == "The hoplite on B8 is White's. Put the hoplite back on B8."
    evening.put("B8")
    evening.wait(0.5)
    assert evening.view()["problem"] is None


def test_an_illegal_landing_is_told_by_the_rule_and_stays_told_while_it_is_mended() -> None:
    evening = at("phalanx", PHALANX)
    evening.carry("G3", "E5")
    evening.wait(1.5)
    alone = f"{capital(sentence('it would stand alone, next', node='E5'))}"
    assert evening.lights()["E5"] == "wrong"
    assert says(evening) == f"{alone}. {capital(sentence('put it on a lit', node='G3'))}."
    evening.wait(4)
    assert says(evening) == f"{alone}. Move the hoplite from E5 back to G3."
    evening.carry("E5", "J3")
    evening.wait(1)
    assert evening.done() == ["G3-J3"]


def test_a_piece_too_many_is_taken_off_again() -> None:
    evening = at("phalanx", PHALANX)
    evening.put("A9", "b")
    evening.wait(1.5)
    assert says(evening) == f"{sentence('is a goal: nobody goes', node='A9')}. Take it off again."


def test_a_runner_that_moves_while_a_tile_is_out_is_told_that_the_tile_comes_first() -> None:
    evening = at("octiles", TILES, "coded")
    evening.lift("d2")
    evening.hand = []
    evening.carry("B2", "D2")
    evening.wait(1.5)
    assert says(evening).startswith(f"{capital(sentence('is laid first, then a', tile=8))}; ")


@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
def test_a_stone_that_nothing_moves_says_so(kind: str) -> None:
    evening = at("spokes", SPOKES, kind)
    evening.lift("C5")
    evening.wait(0.2)
    nobody = f"{capital(sentence('no single stone lies beside', node='C5'))}"
    assert says(evening) == f"{nobody}. Put the stone back on C5."


def test_a_colour_that_is_not_put_down_now_is_named_where_sensors_see_it() -> None:
    evening = Evening("coil", "2", "polarity").sit_and_start("Ada", "Bob")
    evening.put("g7", "w")
    evening.wait(1.5)
    assert says(evening) == f"{capital(sentence('all are black until somebody passes', node='g7'))}. Take it off again."


def test_while_all_choose_a_stone_that_is_lifted_belongs_where_it_was() -> None:
    evening = at("spokes", "w/..../......../................/................ 2 2 2 place -")
    evening.lift("A1")
    evening.wait(0.2)
    assert evening.view()["problem"]["text"] == (
        f"{capital(sentence('no stone is moved while'))}. Put the stone back on A1."
    )


def test_a_game_that_gives_no_reasons_is_told_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not isinstance(PINCERS, HasReasons)
    monkeypatch.setattr(registry, "GAMES", {**registry.GAMES, "pincers": PINCERS})
    evening = at("pincers", "b......w 2")
    evening.lift("h")
    evening.wait(0.2)
    assert says(evening) == "The stone can't be moved now. Put the stone back on h."
    evening.put("h")
    evening.wait(0.5)
    evening.carry("a", "d")
    evening.wait(1.5)
    assert says(evening) == f"No stone belongs on d now. {capital(sentence('put it on a lit', node='a'))}."
    assert why_not(evening.table, Attempt("h", None)) is None


def test_what_is_not_on_the_board_is_refused() -> None:
    table = at("phalanx", PHALANX).table
    for attempt, code in ((Attempt("Z9", None), "bad_node"), (Attempt(None, "E5", "q"), "bad_action")):
        with pytest.raises(TableError) as refused:
            why_not(table, attempt)
        assert refused.value.code == code
