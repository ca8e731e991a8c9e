from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from lodestone.tables import SimulatedTable
from tests.web_panel.table import panel


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path)
    yield here
    here.close()


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    return panel(table)
