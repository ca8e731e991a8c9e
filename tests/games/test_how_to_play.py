"""What games say to people who have never heard of them: pictures that are legal, in sentences that are short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from firmware_host.games.capabilities import HowToPlay, RulesPicture, card_view, how_to_play_of
from firmware_host.games.registry import GAMES
from firmware_host.text.words import Text
from lodestone.game_contract import ContractBroken, check_game
from tests.sampling import together
from web_panel.languages import languages

OURS = sorted(name for name, game in GAMES.items() if type(game).__module__.startswith("firmware_host."))
TAUGHT = [name for name in OURS if how_to_play_of(GAMES[name])]
LONGEST = 210
"""Characters that are read at one glance beside a picture."""


def sheet_of(name: str) -> HowToPlay:
    sheet = how_to_play_of(GAMES[name])
    assert sheet is not None, "a game of this repository has how_to_play (docs/adding-a-game.md)"
    return sheet


def texts(sheet: HowToPlay) -> Iterator[str]:
    yield sheet.aim
    for picture in sheet.pictures:
        yield picture.words
    for term, words in sheet.terms.items():
        yield term
        yield words


@pytest.mark.parametrize("name", OURS)
def test_every_game_explains_itself(name: str) -> None:
    sheet = sheet_of(name)
    assert 5 <= len(sheet.pictures) <= 9
    assert len(sheet.aim) <= 80
    for picture in sheet.pictures:
        assert len(re.findall(r"[.!?](?= |$)", picture.words)) in {1, 2}, picture.words
        assert len(picture.words) <= LONGEST, picture.words


@together("name", TAUGHT)
def test_every_sentence_is_in_the_catalogues(name: str) -> None:
    """German stands for all: its catalogue is whole at any time."""
    for text in texts(sheet_of(name)):
        assert isinstance(text, Text), text
        assert str(text) in languages()["de"].sentences, text


def test_a_removed_piece_is_lit_where_the_rules_remove_it() -> None:
    removing = 0
    for name in TAUGHT:
        game = GAMES[name]
        for picture in sheet_of(name).pictures:
            if not picture.done or picture.action is None:
                continue
            position = game.parse(picture.position)
            removed = game.apply(position, {game.actor(position) or 1: picture.action}).removed
            assert {node for node, lit in picture.lit.items() if lit == "remove"} == set(removed), picture.words
            removing += bool(removed)
    assert removing


class Own:
    """A game that is another but for what it says of itself."""

    def __init__(self, sheet: object) -> None:
        self.how_to_play = sheet

    def __getattr__(self, member: str) -> object:
        return getattr(GAMES[OURS[0]], member)


@pytest.mark.parametrize(
    ("sheet", "why"),
    [
        ("text", "it is a HowToPlay"),
        (HowToPlay("", (), {}), "aim is one line"),
        (HowToPlay("aim", (), {"term": ""}), "each term is explained"),
        (HowToPlay("aim", (RulesPicture("", "START"),), {}), "each picture has words"),
        (HowToPlay("aim", (RulesPicture("words", "START", lit={"Z99": "best"}),), {}), "lights lie on nodes"),
        (HowToPlay("aim", (RulesPicture("words", "START", action="nonsense"),), {}), "nonsense is legal"),
    ],
)
def test_the_contract_refuses_what_a_game_may_not_say(sheet: object, why: str) -> None:
    game = GAMES[OURS[0]]
    if isinstance(sheet, HowToPlay):
        start = game.text(game.start(game.modes[0]))
        pictures = [RulesPicture(one.words, start, one.action, lit=one.lit) for one in sheet.pictures]
        sheet = HowToPlay(sheet.aim, pictures, sheet.terms)
    with pytest.raises(ContractBroken, match=why):
        check_game(Own(sheet), Random(1), most=1)  # type: ignore[arg-type]


def test_a_game_that_says_nothing_is_chosen_by_its_players() -> None:
    silent = Own(None)
    assert card_view(silent) == {"aim": None, "minutes": None, "players": [2]}  # type: ignore[arg-type]
