"""Figures for Prometheus, by its own client library (extra ``metrics``): of a table, and of a club.

Who is never scraped never loads the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from prometheus_client.core import Metric


class Figures(Protocol):
    """A collector of Prometheus' library."""

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""


def exposition(what: Figures) -> tuple[bytes, str] | None:
    """Return figures, with those of the process, in the form of Prometheus, and its type; None without the library."""
    try:
        from prometheus_client import CONTENT_TYPE_LATEST, ProcessCollector, generate_latest  # noqa: PLC0415 - see above
        from prometheus_client.core import CollectorRegistry  # noqa: PLC0415
    except ImportError:
        return None
    registry = CollectorRegistry()
    registry.register(what)
    ProcessCollector(registry=registry)
    return generate_latest(registry), CONTENT_TYPE_LATEST


class Gauges:
    """Figures that are numbers only: name → words and value."""

    def __init__(self, figures: Mapping[str, tuple[str, float]]) -> None:
        """Keep the figures of this moment."""
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

        for name, (words, value) in self._figures.items():
            yield GaugeMetricFamily(name, words, value=float(value))
