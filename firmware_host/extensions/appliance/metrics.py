"""``/metrics``: the state of a table for Prometheus.

What is told is what every screen sees: nothing of placements before they are revealed, and no names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flask import Response, abort

from firmware_host.extensions.appliance.requests import Machine
from firmware_host.link.figures import Gauges, exposition
from firmware_host.link.tap import taps_of
from web_panel.routes import Routes

if TYPE_CHECKING:
    from prometheus_client.core import Metric

PHASES = ("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over")
routes = Routes("metrics")


@routes.get("/metrics", kind="text/plain", _404="Missing")
def metrics(machine: Machine) -> Response:
    """The table's state in the form of Prometheus; 404 without its library (extra `metrics`)."""
    found = exposition(_Table(machine))
    if found is None:
        abort(404)
    return Response(found[0], content_type=found[1])


class _Table:
    """The table as a collector."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily  # noqa: PLC0415

        table = self._machine.panel.table
        view, scan = table.view(None)[1], taps_of(table).sensors.snapshot()  # Of the board opened last.
        game = view["game"]
        labels = {
            "version": self._machine.care.version,
            "game": game["name"],
            "mode": game["mode"],
            "board": scan["board"],
        }
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
