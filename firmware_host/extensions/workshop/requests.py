"""The check of the board under the host's hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmware_host.extensions.workshop.service import Workshop
from firmware_host.link.tap import taps_of
from firmware_host.table.events import Whole, Word
from firmware_host.text.json_reader import COUNT, choice, maybe, part, record, rows, table_of
from web_panel.panel import PanelContext
from web_panel.routes import Routes

_STEP = record(
    do=choice("wait", "colour", "put", "wrong", "off"), node=maybe(str), felt=rows(str), words=str, hint=maybe(str),
    done=COUNT, of=COUNT, choices=rows(choice("red", "green", "blue", "dark", "skip", "undo", "go")),
)  # fmt: skip
_ITEM = record(node=str, state=choice("ok", "bad", "unproven"), words=str)
routes = Routes("workshop", {
    "Workshop": record(
        board=str, refused=table_of(str), what=maybe(choice("check", "map", "calibrate")), step=maybe(_STEP),
        result=maybe(record(good=bool, words=str, items=rows(_ITEM))),
    ),
})  # fmt: skip


@dataclass(frozen=True)
class Bench(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    workshop: Workshop

    def last_scan(self) -> Mapping[str, Any]:
        """Return what was scanned last, of the board that the host has opened last."""
        return taps_of(self.panel.table).sensors.snapshot()


@routes.get("/api/host/workshop", part("Workshop"), "host", _503="Busy")
def workshop(bench: Bench) -> Mapping[str, Any]:
    """The check of the board: what to do now, and what it has found."""
    return bench.workshop.state()


@routes.post("/api/host/workshop/begin", "host")
def begin(bench: Bench, what: Word, pause: bool) -> None:
    """Take the board from the table to `check`, `map` or `calibrate` it; `pause`: a game that runs is paused."""
    bench.workshop.begin(what, pause=pause)


@routes.post("/api/host/workshop/answer", "host")
def answer(bench: Bench, choice: Word, done: Whole | None = None) -> None:
    """Answer a step: skip, undo or go (on with what lies there); with `done` of the step that was seen, only that."""
    bench.workshop.answer(choice, done)


@routes.post("/api/host/workshop/stop", "host")
def stop(bench: Bench) -> None:
    """End the check; the table gets the board back."""
    bench.workshop.stop()
