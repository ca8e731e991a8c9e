"""The browser of pages that are driven: what tests/e2e has."""

from tests.e2e.conftest import browser

__all__ = ["browser"]
