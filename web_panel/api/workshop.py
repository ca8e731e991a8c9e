"""The check of the board under the host's hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firmware_host.table.events import Word
from firmware_host.text.json_schema import COUNT, maybe, one_of, part, record, rows, table_of
from web_panel.panel import Panel
from web_panel.refusals import not_host
from web_panel.routes import Routes

if TYPE_CHECKING:
    from firmware_host.session.workshop import Workshop

_STEP = record(
    do=one_of("wait", "colour", "put", "wrong", "off"), node=maybe(str), felt=rows(str), words=str, hint=maybe(str),
    done=COUNT, of=COUNT, choices=rows(one_of("red", "green", "blue", "dark", "skip", "undo", "go")),
)  # fmt: skip
_ITEM = record(node=str, state=one_of("ok", "bad", "unproven"), words=str)
routes = Routes("workshop", {
    "Workshop": record(
        board=str, refused=table_of(str), what=maybe(one_of("check", "map", "calibrate")), step=maybe(_STEP),
        result=maybe(record(good=bool, words=str, items=rows(_ITEM))),
    ),
})  # fmt: skip


@routes.get("/api/host/workshop", part("Workshop"), "host", _503="Busy")
def workshop(panel: Panel) -> Mapping[str, Any]:
    """The check of the board: what to do now, and what it has found."""
    return _workshop(panel).state()


@routes.post("/api/host/workshop/begin", "host")
def begin(panel: Panel, what: Word, pause: bool) -> None:
    """Take the board from the table to `check`, `map` or `calibrate` it; `pause`: a game that runs is paused."""
    _workshop(panel).begin(what, pause=pause)


@routes.post("/api/host/workshop/answer", "host")
def answer(panel: Panel, choice: Word) -> None:
    """Answer a step: skip, undo or go (on with what lies there)."""
    _workshop(panel).answer(choice)


@routes.post("/api/host/workshop/stop", "host")
def stop(panel: Panel) -> None:
    """End the check; the table gets the board back."""
    _workshop(panel).stop()


def _workshop(panel: Panel) -> Workshop:
    if panel.workshop is None:
        raise not_host()
    return panel.workshop
