"""The extension workshop joins a table in a browser's tab, where nothing is to be had but Python."""

from __future__ import annotations

import json

import pytest

from firmware_host.extensions.tab.tab import Wish
from tests.extensions.tab.test_tab import Open, alone, opened

__all__ = ["alone", "opened"]

pytest.importorskip("firmware_host.extensions.workshop")


def test_its_board_is_checked_there(opened: Open) -> None:
    page = opened(Wish("coil", people=1))
    assert page.ask("phone-1", "/api/host/workshop/begin", what="check", pause=True).status == 200
    page.until(lambda: json.loads(page.ask("phone-1", "/api/host/workshop").content)["step"]["do"] != "wait", "a step")
    assert page.view()["paused"]
    assert page.ask("phone-1", "/api/host/workshop/answer", choice="skip").status == 200
