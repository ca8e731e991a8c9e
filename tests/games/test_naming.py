"""What pieces are called: those that say all their forms, and those that are only a name."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.games import naming
from firmware_host.games.game import BadAction
from firmware_host.games.registry import GAMES
from firmware_host.text.words import Text, say_in

GERMAN = {
    ("accusative", "a white stone"): "einen weißen Stein",
    ("nominative", "the white stone"): "der weiße Stein",
    ("piece", "white"): "weiß",
    ("accusative", "a {piece}"): "ein Stück ({piece})",
    ("", "{piece} on {node}"): "{piece} auf {node}",
}


class German:
    """A language that declines."""

    def find(self, form: str, context: str = "") -> str:
        return GERMAN.get((context, form), form)

    def find_many(self, one: str, many: str, count: int) -> str:
        return one if count == 1 else many


def test_a_piece_is_its_name_and_more() -> None:
    assert naming.WHITE == "white"
    assert json.dumps({"w": naming.WHITE}) == '{"w": "white"}'
    assert naming.WHITE.in_language(German()) == "weiß"
    assert naming.forms(naming.WHITE).a == "a white stone"
    assert naming.WHITE.forms.a.in_language(German()) == "einen weißen Stein"
    assert naming.WHITE.forms.subject.in_language(German()) == "der weiße Stein"
    assert f"puts a {naming.WHITE} stone" == "puts a white stone", "games may go on to write their own sentences"


def test_what_is_only_a_name_is_told_around_it() -> None:
    assert naming.forms("red").a == "a red stone"
    assert naming.forms("yellow king").a == "a yellow king"
    assert naming.forms("yellow king").the == naming.forms("yellow king").subject == "the yellow king"
    assert naming.forms("yellow king").a.in_language(German()) == "ein Stück (yellow king)"


def test_tints() -> None:
    made = naming.Piece(say_in("piece", "white"), naming.WHITE.forms, tint="green")
    assert naming.tint(made) == "green", "what a piece says of itself counts, not its name"
    assert naming.tints({"a": "red", "b": "blue king", "c": "king", "d": "crimson"}) == {
        "a": "red",
        "b": "blue",
        "c": naming.PLAIN,
        "d": naming.PLAIN,
    }


def test_what_is_put_somewhere_is_said_once() -> None:
    said = naming.put_on(naming.WHITE, "D12")
    assert said == "white on D12"
    assert isinstance(said, Text)
    assert said.in_language(German()) == "weiß auf D12"
    assert naming.put_on(naming.WHITE, "D12") is said


def test_all_games_say_their_pieces_in_all_forms() -> None:
    for name in ("spokes", "phalanx", "coil", "octiles"):
        for piece in GAMES[name].pieces.values():
            assert isinstance(piece, naming.Piece), (name, piece)
            for form in (piece.forms.a, piece.forms.the, piece.forms.subject):
                assert str(piece) in form


@pytest.mark.parametrize("name", sorted(GAMES))
@pytest.mark.parametrize(
    "text", ["", "++", "+", "a-b", "a/b/c", "A1+", "--", "A1-A2-", "A99+A1", "wZ9", "\ud800", "x" * 999, "A1-B2-C3-D4"]
)
def test_what_is_no_action_has_no_words(name: str, text: str) -> None:
    with pytest.raises(BadAction):
        GAMES[name].words(text)


@given(st.text("ABCDabcdwr0123456789+-/:>passend", max_size=12))
def test_a_text_has_words_or_is_refused(text: str) -> None:
    for game in GAMES.values():
        with suppress(BadAction):
            assert game.words(text)
