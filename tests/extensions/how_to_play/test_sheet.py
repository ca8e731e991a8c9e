"""A game's sheet: its pictures are drawn as the rules have it, and what a game does not know is left out."""

from __future__ import annotations

import pytest

from firmware_host.extensions.how_to_play.sheet import picture_view, sheet_view
from firmware_host.games.capabilities import HowToPlay, RulesPicture
from firmware_host.games.registry import GAMES
from tests.games.test_how_to_play import OURS, TAUGHT, Own, sheet_of


@pytest.mark.parametrize("name", TAUGHT)
def test_every_picture_is_drawn_as_the_rules_have_it(name: str) -> None:
    game = GAMES[name]
    for picture in sheet_of(name).pictures:
        position = game.parse(picture.position)
        view = picture_view(game, picture)
        if picture.action is None or not picture.done:
            assert view["board"] == {node: list(stack) for node, stack in game.occupancy(position).items()}
        if picture.done:
            assert picture.action is not None
            placed = game.apply(position, {game.actor(position) or 1: picture.action}).placed
            assert view["board"] == {node: list(stack) for node, stack in placed.items()}
        assert set(view["lights"]) == set(picture.lit)


@pytest.mark.parametrize("name", TAUGHT)
def test_pictures_of_the_end_show_one_and_the_rest_does_not(name: str) -> None:
    game = GAMES[name]
    ends = [game.status(game.parse(picture.position)) for picture in sheet_of(name).pictures]
    assert any(status.over and status.winners for status in ends)
    assert not ends[0].over
    for picture, status in zip(sheet_of(name).pictures, ends, strict=True):
        lights = picture_view(game, picture)["lights"].values()
        won = [light["seat"] for light in lights if light["meaning"] == "won"]
        assert not won or status.over, picture.words
        assert all(seat in status.winners for seat in won), picture.words


def test_a_picture_that_its_game_does_not_know_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    game = GAMES[OURS[0]]
    start = game.text(game.start(game.modes[0]))
    pictures = (
        RulesPicture("one", "no position"),
        RulesPicture("two", start),
        RulesPicture("three", start, action="nonsense"),
    )
    view = sheet_view(Own(HowToPlay("aim", pictures, {})))  # type: ignore[arg-type]
    assert [picture["words"] for picture in view["pictures"]] == ["two"]
    assert caplog.text.count("left out") == 2


def test_a_game_that_says_nothing_has_what_it_says_anyway() -> None:
    silent = Own(None)
    view = sheet_view(silent)  # type: ignore[arg-type]
    assert view["aim"] is None
    assert view["pictures"] == []
    assert view["endings"]
