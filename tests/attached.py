"""What extensions add to the tables of tests: those that nobody has deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Blueprint

from firmware_host.plug import Attached, Extension, extensions
from tests.deleted import LACKING
from web_panel.pages.assets import files_of

NOTHING_OF_THE_LOBBY = {name: None for one in extensions() for name in one.lobby_fields}
"""What a table's tickets say of extensions that it has not."""


def attached(data: Path, *names: str) -> dict[Extension, Attached]:
    """Return what some extensions add to a table with this data folder."""
    found: dict[Extension, Attached] = {}
    wanted = set(names) - set(LACKING)
    if "book" in wanted:
        from firmware_host.extensions.book import extension as book  # noqa: PLC0415 - may be away

        found[book.EXTENSION] = book.attach_book(data)
    if "positions" in wanted:
        from firmware_host.extensions.positions import extension as positions  # noqa: PLC0415

        found[positions.EXTENSION] = positions.attach_positions()
    if "puzzles" in wanted:
        from firmware_host.extensions.puzzles import extension as puzzles  # noqa: PLC0415
        from firmware_host.link.solved import solved_of  # noqa: PLC0415

        found[puzzles.EXTENSION] = puzzles.attach_puzzles(data, solved_of(data))
    return found


def sensors_page(last_scan: Callable[[], Mapping[str, Any]]) -> list[Blueprint]:
    """Return the workshop's page of what the sensors read, for a board of a test; none if somebody has deleted it."""
    if "workshop" in LACKING:
        return []
    from firmware_host.extensions.workshop import extension, sensors  # noqa: PLC0415 - may be away

    shown = SimpleNamespace(last_scan=last_scan, admit=lambda _sender: nullcontext({}))
    return [sensors.routes.blueprint(shown, **files_of(extension.EXTENSION))]


def with_proof(table: Any) -> dict[Extension, Attached]:
    """Return what the proof adds to a table, which has a ``runtime`` and a ``journal``."""
    if "proof" in LACKING:
        return {}
    from firmware_host.extensions.proof import extension as proof  # noqa: PLC0415 - may be away

    return {proof.EXTENSION: proof.attach_proof(table.runtime, table.journal)}


def with_review(table: Any) -> dict[Extension, Attached]:
    """Return what the review adds to a table, which has a ``runtime``."""
    if "review" in LACKING:
        return {}
    from firmware_host.extensions.review import extension as review  # noqa: PLC0415 - may be away

    return {review.EXTENSION: review.attach_review(table.runtime)}


def without_reviews() -> dict[Extension, Attached]:
    """Return what the review adds to a table at which nobody searches."""
    if "review" in LACKING:
        return {}
    from firmware_host.extensions.review import extension as review  # noqa: PLC0415 - may be away
    from firmware_host.extensions.review.reviews import Reviews  # noqa: PLC0415

    return {review.EXTENSION: review.show_reviews(Reviews(None))}


def usual(table: Any) -> dict[Extension, Attached]:
    """Return what each table of tests has: proof, review, notifications, the picture of the end, the big screen."""
    found = {**with_proof(table), **with_review(table)}
    if "notices" not in LACKING:
        from firmware_host.extensions.notices import extension as notices  # noqa: PLC0415 - may be away

        found[notices.EXTENSION] = notices.attach_notices()
    if "picture" not in LACKING:
        from firmware_host.extensions.picture import extension as picture  # noqa: PLC0415

        found[picture.EXTENSION] = picture.attach_picture()
    if "tv" not in LACKING:
        from firmware_host.extensions.tv import extension as tv  # noqa: PLC0415

        found[tv.EXTENSION] = tv.attach_tv()
    return found


def with_virtual(present: Callable[[], Any]) -> dict[Extension, Attached]:
    """Return what the virtual board adds; ``present`` returns the simulated parts of the board that is open."""
    if "virtual" in LACKING:
        return {}
    from firmware_host.extensions.virtual import extension as virtual  # noqa: PLC0415 - may be away

    return {virtual.EXTENSION: virtual.attach_board(present)}


def proof_of(*begun: Any) -> Any:
    """Return a ``Proof``; skip the test if somebody has deleted it."""
    return pytest.importorskip("firmware_host.extensions.proof.proof").Proof(*begun)
