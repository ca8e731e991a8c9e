"""Programs, phones and browsers: what tests of pages that are driven have."""

from tests.e2e.conftest import browser, program

__all__ = ["browser", "program"]
