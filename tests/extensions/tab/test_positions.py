"""The extension positions joins a table in a browser's tab, where nothing is to be had but Python."""

from __future__ import annotations

import json

import pytest

from firmware_host.extensions.tab.tab import Wish
from tests.extensions.tab.test_tab import Open, alone, opened

__all__ = ["alone", "opened"]

pytest.importorskip("firmware_host.extensions.positions")


def test_a_position_is_set_up_there(opened: Open) -> None:
    page = opened(Wish("coil", people=1))
    assert page.ask("phone-1", "/position").status == 200
    assert json.loads(page.ask("phone-1", "/api/position").content)["game"] == "coil"
    laid = {"mode": "2", "board": {}, "chosen": {"black": "1", "seat": "2"}}
    assert page.ask("phone-1", "/api/position/check", **laid).status == 200
