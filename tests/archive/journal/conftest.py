"""A journal of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games" / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal(path)
    yield opened
    opened.close()
