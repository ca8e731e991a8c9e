"""Tables, phones and browsers: what tests of the panel and of pages that are driven have."""

from tests.e2e.conftest import browser, phones

__all__ = ["browser", "phones"]
