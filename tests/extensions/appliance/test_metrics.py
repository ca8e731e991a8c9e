"""``/metrics``: figures of the table that Prometheus' own parser reads, and nothing that is secret."""

from __future__ import annotations

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.extension import EXTENSION, attach_care
from firmware_host.extensions.appliance.update import Updates
from firmware_host.table.subjects.proposals import GamePaused
from lodestone.tables import SimulatedTable
from web_panel.app import create_app


def test_prometheus_reads_the_table(tmp_path: Path) -> None:
    table = SimulatedTable(seats=["Ada", "Ben"], computers=[2])
    runtime = table.runtime
    care = attach_care(Care(tmp_path, "1.2", Updates(None, None, "1.2")))
    app = create_app(runtime, secret=b"k" * 32, addresses=["http://localhost"], attached={EXTENSION: care})
    runtime.submit(GamePaused(at=runtime.now()))
    answer = app.test_client().get("/metrics")
    assert answer.mimetype == "text/plain"
    text = answer.get_data(as_text=True)
    told = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert told["lodestone_table_info", "1.2", "2", "spokes", "spokes-45"] == 1
    assert (told["lodestone_phase", "sealing"], told["lodestone_phase", "lobby"]) == (1, 0)
    assert (told["lodestone_seats", "person"], told["lodestone_seats", "computer"]) == (1, 1)
    assert (told[("lodestone_paused",)], told[("lodestone_board_answers",)]) == (1, 1)
    assert told[("process_resident_memory_bytes",)] > 1e6
    assert "Ada" not in text
    table.close()
