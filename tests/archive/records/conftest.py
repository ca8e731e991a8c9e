from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()
