"""What extensions add to the tables of tests: those that nobody has deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Blueprint

from firmware_host.plug import WITH_PANEL, Attached, Extension, extensions
from hw.ports import BoardDescription, SensorBank
from tests.deleted import LACKING
from web_panel.pages.assets import files_of
from web_panel.routes import ForEverybody

NOTHING_OF_THE_LOBBY = {name: None for one in extensions() for name in one.lobby_fields}
"""What a table's tickets say of extensions that it has not."""


def _found(name: str) -> Any:
    """Return the module of an extension, None if somebody has deleted it."""
    return None if name in LACKING else import_module(f"firmware_host.extensions.{name}.extension")


def attached(data: Path, *names: str) -> dict[Extension, Attached]:
    """Return what some extensions add to a table with this data folder."""
    found: dict[Extension, Attached] = {}
    if "book" in names and (book := _found("book")):
        found[book.EXTENSION] = book.attach_book(data)
    if "positions" in names and (positions := _found("positions")):
        found[positions.EXTENSION] = positions.attach_positions()
    if "puzzles" in names and (puzzles := _found("puzzles")):
        from firmware_host.link.solved import solved_of  # noqa: PLC0415 - may be away

        found[puzzles.EXTENSION] = puzzles.attach_puzzles(data, solved_of(data))
    return found


def sensors_page(
    sensors: SensorBank, board: BoardDescription, last_scan: Callable[[], Mapping[str, Any]] | None = None
) -> list[Blueprint]:
    """Return the workshop's page of what the sensors read, for a board of a test; none if somebody has deleted it.

    ``last_scan`` is the page's source where the table changes its board.
    """
    if not (workshop := _found("workshop")):
        return []
    from firmware_host.extensions.workshop.sensors import routes  # noqa: PLC0415 - may be away
    from firmware_host.link.tap import Tap  # noqa: PLC0415 - may be away

    shown = SimpleNamespace(last_scan=last_scan or Tap(sensors, board).snapshot, admit=ForEverybody().admit)
    return [routes.blueprint(shown, **files_of(workshop.EXTENSION))]


def with_proof(table: Any) -> dict[Extension, Attached]:
    """Return what the proof adds to a table, which has a ``runtime`` and a ``journal``."""
    proof = _found("proof")
    return {proof.EXTENSION: proof.attach_proof(table.runtime, table.journal)} if proof else {}


def with_review(table: Any) -> dict[Extension, Attached]:
    """Return what the review adds to a table, which has a ``runtime``."""
    review = _found("review")
    return {review.EXTENSION: review.attach_review(table.runtime)} if review else {}


def without_reviews() -> dict[Extension, Attached]:
    """Return what the review adds to a table at which nobody searches."""
    if not (review := _found("review")):
        return {}
    from firmware_host.extensions.review.reviews import Reviews  # noqa: PLC0415 - may be away

    return {review.EXTENSION: review.show_reviews(Reviews(None))}


def usual(table: Any) -> dict[Extension, Attached]:
    """Return what each table of tests has: proof, review, what needs no more than the panel."""
    plain = filter(None, map(_found, ("audio", "awake", "how_to_play", "look_back", "notices", "picture", "tv")))
    return {**with_proof(table), **with_review(table), **{one.EXTENSION: WITH_PANEL for one in plain}}


def with_virtual(present: Callable[[], Any]) -> dict[Extension, Attached]:
    """Return what the virtual board adds; ``present`` returns the simulated parts of the board that is open."""
    virtual = _found("virtual")
    return {virtual.EXTENSION: virtual.attach_board(present)} if virtual else {}


def proof_of(*begun: Any) -> Any:
    """Return a ``Proof``; skip the test if somebody has deleted it."""
    return pytest.importorskip("firmware_host.extensions.proof.proof").Proof(*begun)
