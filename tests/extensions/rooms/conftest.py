"""A broker of each kind, and the browser of pages that are driven: what tests/e2e has."""

from tests.e2e.conftest import browser
from tests.link.brokers import broker

__all__ = ["broker", "browser"]
