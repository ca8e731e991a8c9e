"""The ways to a game's text: from its end on a phone, and from its replay, but not from the host's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from firmware_host.extensions.notation.extension import EXTENSION
from firmware_host.plug import WITH_PANEL
from firmware_host.table.subjects.resolving import Resigned
from tests.e2e.test_analysis import resolving
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, attached={EXTENSION: WITH_PANEL}) as served:
        yield served


def test_the_end_and_a_replay_lead_to_the_text(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = resolving(table, phones)
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    game = table.view["game"]["id"]
    ann.locator("#how-it-went").click()
    link = ann.get_by_role("link", name="The game as text")
    expect(link).to_have_attribute("href", f"/api/records/{game}.txt")
    expect(link).to_have_attribute("download", f"{game}.txt")
    expect(ann.locator("#record + #as-text")).to_be_visible()
    ann.goto(f"{table.base}/replay/{game}")
    link = ann.get_by_role("link", name="As text")
    expect(link).to_have_attribute("href", f"/api/records/{game}.txt")
    expect(link).to_have_attribute("download", "")
    ann.goto(f"{table.base}/host#{TOKEN}")
    expect(ann).to_have_url(f"{table.base}/host")
    ann.goto(f"{table.base}/host/replay/{game}")
    expect(ann.get_by_role("link", name="Download")).to_be_visible()
    expect(ann.locator("#as-text")).to_have_count(0)
