"""The pages of a virtual board, without a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Blueprint

from firmware_host.extensions.virtual.extension import EXTENSION
from firmware_host.extensions.virtual.simulated import VirtualBoard, routes
from firmware_host.plug import extensions
from simulator.board import SimulatedBoard
from web_panel.pages.assets import files_of


def pages_of(present: Callable[[], SimulatedBoard | None]) -> Blueprint:
    return routes.blueprint(VirtualBoard(present), **files_of(EXTENSION))


def files_beside() -> Iterator[Blueprint]:
    """Yield the files of the extensions whose scripts the page of the board runs, too."""
    for one in extensions():
        if "virtual/virtual.js" in one.scripts:
            yield Blueprint(
                one.name, __name__, static_folder=one.folder / "static", static_url_path=f"/static/{one.name}"
            )
