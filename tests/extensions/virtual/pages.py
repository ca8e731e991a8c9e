"""The pages of a virtual board, without a table."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint

from firmware_host.extensions.virtual.extension import EXTENSION
from firmware_host.extensions.virtual.simulated import VirtualBoard, routes
from simulator.board import SimulatedBoard
from web_panel.pages.assets import files_of


def pages_of(present: Callable[[], SimulatedBoard | None]) -> Blueprint:
    return routes.blueprint(VirtualBoard(present), **files_of(EXTENSION))
