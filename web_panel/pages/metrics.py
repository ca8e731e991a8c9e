"""``/metrics``: the state of a table, or of a club, for Prometheus, by its own client library (extra ``metrics``).

What is told is what every screen sees: nothing of placements before they are revealed, and no names. A table that
nobody scrapes never loads the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flask import Blueprint, Response, abort

from web_panel.routes import Routes, Sender

if TYPE_CHECKING:
    from prometheus_client.core import Metric

PHASES = ("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over")
routes = Routes("metrics")


@dataclass(frozen=True)
class Measured:
    """What is told."""

    view: Callable[[], Mapping[str, Any]]
    """Returns the view of people without a seat."""
    snapshot: Callable[[], Mapping[str, Any]]
    """Returns the last scan (:class:`web_panel.pages.hardware.Sensors`)."""
    version: str

    def admit(self, sender: Sender) -> nullcontext[Mapping[str, Any]]:  # noqa: ARG002 - everybody may look
        """Admit everybody (:class:`web_panel.routes.Context`)."""
        return nullcontext({})


def blueprint(
    view: Callable[[], Mapping[str, Any]], snapshot: Callable[[], Mapping[str, Any]], version: str
) -> Blueprint:
    """Return ``/metrics``."""
    return routes.blueprint(Measured(view, snapshot, version))


@routes.get("/metrics", kind="text/plain", _404="Missing")
def metrics(measured: Measured) -> Response:
    """The table's state in the form of Prometheus; 404 without its library (extra `metrics`)."""
    found = exposition(_Table(measured))
    if found is None:
        abort(404)
    return Response(found[0], content_type=found[1])


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


class Figures(Protocol):
    """A collector of Prometheus' library."""

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""


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


class _Table:
    """The table as a collector."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily  # noqa: PLC0415

        view, scan = self._measured.view(), self._measured.snapshot()
        game = view["game"]
        labels = {"version": self._measured.version, "game": game["name"], "mode": game["mode"], "board": scan["board"]}
        yield InfoMetricFamily("lodestone_table", "What is played, on which board, by which version", value=labels)
        phase = GaugeMetricFamily("lodestone_phase", "1 for the phase of the game", labels=["phase"])
        for name in PHASES:
            phase.add_metric([name], float(view["phase"] == name))
        yield phase
        seats = GaugeMetricFamily("lodestone_seats", "Seats by who plays them", labels=["by"])
        taken = [seat for seat in view["seats"] if seat["taken"]]
        seats.add_metric(["person"], sum(not seat["computer"] for seat in taken))
        seats.add_metric(["computer"], sum(seat["computer"] for seat in taken))
        yield seats
        figures = {
            "lodestone_turn": ("Turn of the game, 0 in the lobby", view["turn"] or 0),
            "lodestone_paused": ("Whether the game is paused", view["paused"]),
            "lodestone_board_answers": ("Whether the sensors answer", view["standstill"] is None),
            "lodestone_board_in_order": ("Whether nothing on the board has to be mended", view["problem"] is None),
            "lodestone_masked_sensors": ("Sensors that are ignored", len(view["sensors"]["masked"])),
            "lodestone_notices": ("Faults that screens show", len(view["notices"])),
            "lodestone_scans_per_second": ("Scans of the sensors a second", scan["rate"] or 0.0),
        }
        yield from Gauges(figures).collect()
        yield CounterMetricFamily("lodestone_scans", "Scans of the sensors since the start", value=float(scan["scans"]))
