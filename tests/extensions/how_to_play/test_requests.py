"""How to play: a page for each game, its pictures as JSON, and the ways that lead there."""

from __future__ import annotations

import pytest
from flask import Flask

from firmware_host.extensions.how_to_play import requests
from firmware_host.extensions.how_to_play.extension import EXTENSION
from firmware_host.extensions.how_to_play.sheet import cover_view
from firmware_host.games.capabilities import HowToPlay, how_to_play_of
from firmware_host.games.registry import GAMES
from lodestone.tables import KEY, SimulatedTable
from tests.web_panel.table import ADDRESS
from web_panel.replay_app import create_replay_app

GERMAN = {"Accept-Language": "de"}
TAUGHT = sorted(name for name, game in GAMES.items() if how_to_play_of(game))


def sheet_of(name: str) -> HowToPlay:
    sheet = how_to_play_of(GAMES[name])
    assert sheet is not None
    return sheet


@pytest.mark.parametrize("name", TAUGHT)
def test_every_game_has_a_page_that_can_be_read_without_its_pictures(app: Flask, name: str) -> None:
    text = app.test_client().get(f"/how-to-play/{name}").get_data(as_text=True)
    sheet = sheet_of(name)
    assert text.count('id="picture-') == len(sheet.pictures)
    assert text.count("<dt id=") == len(sheet.terms)
    plain = text.replace("&#39;", "'")
    assert all(picture.words in plain for picture in sheet.pictures)
    assert sheet.aim in plain
    assert "<script>" not in text
    assert "style=" not in text
    others = {other for other in GAMES if f'href="/how-to-play/{other}"' in text}
    assert others == set(GAMES) - {name}


@pytest.mark.parametrize("name", TAUGHT)
def test_pictures_come_in_the_readers_language(app: Flask, name: str) -> None:
    client = app.test_client()
    english = client.get(f"/api/how-to-play/{name}").get_json()
    german = client.get(f"/api/how-to-play/{name}", headers=GERMAN).get_json()
    assert [picture["board"] for picture in english["pictures"]] == [picture["board"] for picture in german["pictures"]]
    for one, other in zip(english["pictures"], german["pictures"], strict=True):
        assert one["words"] != other["words"]
    assert english["aim"] != german["aim"]


def test_the_page_without_a_name_is_that_of_the_game_at_the_table(app: Flask, table: SimulatedTable) -> None:
    client = app.test_client()
    name = table.runtime.view(None)[1]["game"]["name"]
    assert client.get("/how-to-play").data == client.get(f"/how-to-play/{name}").data


@pytest.mark.parametrize("name", ["nothing", "..", "%3Cb%3E", "x" * 200])
def test_there_is_no_page_of_a_game_that_is_not_here(app: Flask, name: str) -> None:
    client = app.test_client()
    assert client.get(f"/how-to-play/{name}").status_code == 404
    answer = client.get(f"/api/how-to-play/{name}")
    assert answer.status_code == 404
    assert "<b>" not in answer.get_data(as_text=True)


def test_a_game_without_pictures_says_what_it_says_anyway(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    name = TAUGHT[0]
    monkeypatch.setattr(type(GAMES[name]), "how_to_play", None)
    requests._sheet.cache_clear()
    try:
        text = app.test_client().get(f"/how-to-play/{name}").get_data(as_text=True)
    finally:
        requests._sheet.cache_clear()
    assert "<figure>" not in text
    assert "This game has no pictures." in text
    assert all(ending in text.replace("&#39;", "'") for ending in GAMES[name].endings.values())


@pytest.mark.parametrize("name", TAUGHT)
def test_every_game_has_a_picture_to_be_chosen_by(app: Flask, name: str) -> None:
    cover = app.test_client().get(f"/api/how-to-play/{name}/cover").get_json()
    assert cover["board"]
    assert set(cover["board"]) <= set(cover["layout"]["nodes"])
    assert cover["lights"] == {}, "nothing shines where nothing is to be done"
    assert app.test_client().get("/api/how-to-play/nothing/cover").status_code == 404


def test_a_game_without_a_sheet_is_chosen_by_its_empty_board(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[TAUGHT[0]]
    monkeypatch.setattr(type(game), "how_to_play", None)
    assert cover_view(game)["board"] == {}
    assert cover_view(game)["layout"]["nodes"]


def test_a_replay_has_the_same_pages(table: SimulatedTable) -> None:
    client = create_replay_app(  # The table stands for a replay.
        table.runtime, secret=KEY, addresses=[ADDRESS], joining=[EXTENSION],  # type: ignore[arg-type]
    ).test_client()  # fmt: skip
    for name in TAUGHT:
        assert client.get(f"/how-to-play/{name}").status_code == 200
        assert len(client.get(f"/api/how-to-play/{name}").get_json()["pictures"]) == len(sheet_of(name).pictures)
    assert client.get("/how-to-play").status_code == 200
    assert set(client.get("/api/openapi.json").get_json()["paths"]) >= {"/how-to-play", "/how-to-play/{name}"}
