"""A club that runs in the test's process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.extensions.club.club import Club
from tests.extensions.club.clubs import opened_club, until
from tests.link.brokers import RealBroker, broker
from tests.web_panel.conftest import table

__all__ = ["broker", "club", "table"]


@pytest.fixture
def club(tmp_path: Path, broker: RealBroker) -> Iterator[Club]:
    with opened_club(tmp_path / "club", broker.url) as running:
        until(lambda: running.is_connected)
        yield running
