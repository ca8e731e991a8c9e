"""Phones and browsers: what tests of pages that are driven have."""

from tests.e2e.conftest import browser, phones

__all__ = ["browser", "phones"]
