"""The page of the big screen, and the ways to it: first in the lobby, on the host's page, and where the table opens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from firmware_host.extensions.tv.extension import EXTENSION
from firmware_host.plug import WITH_PANEL
from lodestone.tables import KEY, SimulatedTable
from tests.e2e.program import Program
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import host_phone
from web_panel.app import create_app

CABLE, RADIO = "http://192.168.1.5:8000", "http://10.3.141.1:8000"


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    attached = {EXTENSION: WITH_PANEL}
    return described(
        create_app(table.runtime, secret=KEY, addresses=[CABLE, RADIO], host=FakeHost(), attached=attached)
    )


def test_it_leads_phones_where_the_host_has_chosen(app: Flask) -> None:
    host = host_phone(app)
    assert f"{CABLE}/" in host.client.get("/tv").get_data(as_text=True)
    assert host.post("host/address", {"address": RADIO}) == (200, {"ok": True})
    assert f"{RADIO}/" in host.client.get("/tv").get_data(as_text=True)


def test_it_is_the_first_of_more_screens_and_printed_where_the_table_opens(tmp_path: Path) -> None:
    program = Program(tmp_path / "games")
    program.start("--new")
    try:
        for path in ("/", "/host"):
            text = program.fetch(path).decode()
            links = text[text.index('<nav id="links"') :]
            assert links.index('<a href="/tv">Big view for a TV</a>') < links.index('href="/hardware"'), path
        german = program.fetch("/", **{"Accept-Language": "de"}).decode()
        assert '<a href="/tv">Große Ansicht für den Fernseher</a>' in german
    finally:
        printed = program.stop()
    assert re.search(r"^  big view for a TV: http://\S+/tv$", printed, re.MULTILINE)
