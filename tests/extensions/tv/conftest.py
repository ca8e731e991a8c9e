"""Tables, programs, phones and browsers: what tests of the panel and of pages that are driven have."""

from tests.e2e.conftest import browser, phones, program, screen
from tests.web_panel.conftest import table

__all__ = ["browser", "phones", "program", "screen", "table"]
