"""A game with a mutation is another game, and leaves the real one alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firmware_host.games.registry import GAMES
from tests.games.mutations import Load, Mutation, compares, loader, mutated, notices, rulings, untried

MUTATION = Mutation("R1", "coil.py", 'title: str = say("Coil")', 'title: str = say("Lioc")')


def title(load: Load) -> str:
    found: str = load("").GAME.title
    return found


def is_coil(load: Load) -> None:
    assert title(load) == "Coil"


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_of_this_repository_can_be_loaded_from_a_copy(game: str, tmp_path: Path) -> None:
    with mutated(game, None, tmp_path) as load:
        assert load("").GAME.name == game
        assert load("").GAME is not GAMES[game]
        copies = [name for name in sys.modules if name.startswith(load("").__name__)]
        assert all(str(sys.modules[name].__file__).startswith(str(tmp_path)) for name in copies)
    assert not set(copies) & set(sys.modules)


def test_a_mutation_is_in_the_copy_alone(tmp_path: Path) -> None:
    with mutated("coil", MUTATION, tmp_path) as load:
        assert title(load) == "Lioc"
    assert title(loader("coil")) == "Coil"
    assert notices(is_coil, "coil", MUTATION, tmp_path)
    is_coil(loader("coil"))


def test_a_check_that_passes_has_noticed_nothing(tmp_path: Path) -> None:
    assert not notices(lambda load: None, "coil", MUTATION, tmp_path)


@pytest.mark.parametrize("old", ["nowhere", "position"])
def test_the_text_must_be_there_once(old: str, tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="expected the text once"),
        mutated("coil", Mutation("R1", "coil.py", old, ""), tmp_path),
    ):
        pass


def test_what_cannot_be_imported_is_no_mutation(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError):
        notices(is_coil, "coil", Mutation("R1", "coil.py", "class Coil(", "class Coil(("), tmp_path)


def test_a_difference_names_the_position() -> None:
    @compares("its end", lambda position, _number: position)
    def differ(_position: str, number: int) -> None:
        assert number == 2

    differ("b A1 w B2", 2)
    with pytest.raises(AssertionError) as found:
        differ("b A1 w B2", 1)
    assert found.value.__notes__ == ["The two forms differ in its end: b A1 w B2"]


def test_rulings_without_a_mutation_are_named() -> None:
    assert rulings("octiles") == ["R1", "R2", "R3"]
    assert rulings("spokes")[-1] == "R12"
    assert untried("coil", [MUTATION], {"one": ("coil.py",), "other": ("player/x.py",)}) == [("other", "R1")]
