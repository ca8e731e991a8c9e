"""A broker of each kind, the browser of pages that are driven, as tests/e2e has it; and an end to what tests opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import browser
from tests.extensions.rooms.rooms import PLACES
from tests.link.brokers import broker, hurried

__all__ = ["broker", "browser", "hurried"]


@pytest.fixture(autouse=True)
def _places_close() -> Iterator[None]:
    """Close the files of all tables that a test has made."""
    yield
    while PLACES:
        PLACES.pop().close()
