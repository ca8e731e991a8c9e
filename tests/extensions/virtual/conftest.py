"""Programs and browsers: what tests of pages that are driven have."""

from tests.e2e.conftest import browser, phones, program, screen

__all__ = ["browser", "phones", "program", "screen"]
