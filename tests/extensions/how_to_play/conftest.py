"""Tables, phones and browsers: what tests of the panel and of pages that are driven have."""

from tests.e2e.conftest import browser, phones, screen
from tests.web_panel.conftest import app, table

__all__ = ["app", "browser", "phones", "screen", "table"]
