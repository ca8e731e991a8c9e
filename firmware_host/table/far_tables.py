"""What a table knows of the other tables of its room, and what people here want of them.

None of it is journalled. A table shows it (:class:`firmware_host.table.state.Table`); only the functions here replace
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from firmware_host.table.subject import Holder, SubjectState


@dataclass(frozen=True)
class FarTables:
    """The other tables of a room (:mod:`firmware_host.link`).

    ``seats`` maps a seat that is played at another table to that table's name. ``writes``: whether this table writes
    the next entry of the game that they share. ``waits`` says why hands have to wait with the next action, if they do.
    """

    seats: Mapping[int, str]
    writes: bool = False
    waits: str | None = None
    resigning: frozenset[int] = frozenset()
    """The seats here that want to resign while another table writes the next entry; the table itself keeps them."""
    begins: bool = False
    """Whether somebody here wants the game to begin; the table itself keeps it."""


FAR: SubjectState[FarTables | None] = SubjectState(None)
"""None for a table by itself."""


def know(table: Holder, far: FarTables | None) -> None:
    """Know the other tables from now on, None: there are none; what people here want is as ``far`` says."""
    FAR.put(table, far)


def wish_to_resign(table: Holder, seat: int) -> None:
    """Note that a seat here wants to resign, which another table has to write."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, resigning=far.resigning | {seat}))


def end_wish_to_resign(table: Holder, seat: int) -> None:
    """Note that a seat has resigned: taken back, it is no wish any more."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, resigning=far.resigning - {seat}))


def wish_to_begin(table: Holder) -> None:
    """Note that somebody here wants the game to begin."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, begins=True))
