"""Programs, browsers and panels: what tests of the panel and of pages that are driven have."""

from tests.e2e.conftest import browser, program
from tests.web_panel.conftest import app, table

__all__ = ["app", "browser", "program", "table"]
