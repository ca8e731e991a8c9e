from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.tables import RunningTable
from tests.web_panel.table import panel


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RunningTable]:
    here = RunningTable(tmp_path)
    yield here
    here.close()


@pytest.fixture
def app(table: RunningTable) -> Flask:
    return panel(table)
