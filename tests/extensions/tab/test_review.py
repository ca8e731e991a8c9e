"""The extension review joins tables and replays in a browser's tab, where nothing is to be had but Python."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware_host.extensions.tab.tab import Wish
from tests.extensions.tab.test_tab import Open, Page, alone, opened
from tests.replay.played import recorded

__all__ = ["alone", "opened"]

pytest.importorskip("firmware_host.extensions.review")


def told(page: Page) -> Any:
    answer = page.ask("phone-1", "/api/review")
    assert answer.status == 200
    return json.loads(answer.content)


def test_a_record_is_reviewed_there(opened: Open) -> None:
    lines = recorded("coil", "a1", "pass", "g7", "b1", resigns=1)
    page = opened(Wish("coil", record="\n".join(lines)))
    assert (told(page)["state"], told(page)["of"]) == ("thinking", 4)
    page.until(lambda: told(page)["done"] > 0, "an answer")
    assert page.ask("phone-1", "/static/review/review.css").status == 200


def test_there_is_none_before_the_end_of_a_game(opened: Open) -> None:
    assert told(opened(Wish("coil", people=1)))["state"] == "none"
