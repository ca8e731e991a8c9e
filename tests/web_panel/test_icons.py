"""The panel on a home screen: its manifest, in the beholder's language, and icons that are what it says they are."""

from __future__ import annotations

import struct

import pytest
from flask.testing import FlaskClient

from lodestone.tables import SimulatedTable
from tests.web_panel.table import panel


@pytest.fixture
def client(table: SimulatedTable) -> FlaskClient:
    return panel(table).test_client()


def test_the_manifest_makes_an_app_of_it(client: FlaskClient) -> None:
    answer = client.get("/app.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    told = answer.get_json(force=True)
    assert (told["name"], told["short_name"], told["lang"]) == ("Lodestone: the table", "Lodestone", "en")
    assert (told["start_url"], told["display"]) == ("/", "standalone")
    assert {icon["purpose"] for icon in told["icons"]} == {"any", "maskable"}
    assert "manifest-src 'self'" in answer.headers["Content-Security-Policy"]


def test_it_is_told_in_the_beholders_language(client: FlaskClient) -> None:
    told = client.get("/app.webmanifest", headers={"Accept-Language": "de"}).get_json(force=True)
    assert told["lang"] == "de"


def test_icons_are_as_large_as_they_say(client: FlaskClient) -> None:
    icons = client.get("/app.webmanifest").get_json(force=True)["icons"]
    touch = {"src": "/static/icons/apple-touch-icon.png", "type": "image/png", "sizes": "180x180"}
    for icon in [*icons, touch]:
        with client.get(icon["src"]) as answer:
            assert (answer.status_code, answer.mimetype) == (200, icon["type"]), icon
            if icon["type"] == "image/png":
                width, height = struct.unpack(">II", answer.data[16:24])
                assert icon["sizes"] == f"{width}x{height}"


def test_every_page_names_them(client: FlaskClient) -> None:
    for page in ("/", "/host", "/join/1", "/play", "/tv", "/proof"):
        text = client.get(page).get_data(as_text=True)
        for link in ('href="/app.webmanifest"', "icons/lodestone.svg", "icons/apple-touch-icon.png"):
            assert link in text, (page, link)
