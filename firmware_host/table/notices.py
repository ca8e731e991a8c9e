"""What people are told beside the game: parts that have a fault, and a board that does not answer.

None of it is journalled. A table shows it (:class:`firmware_host.table.state.Table`); only the functions here replace
it.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.table.subject import Holder, SubjectState

SILENT = "silent"
"""The notice that tells what sensors have in common that do not answer."""
NOTICES: SubjectState[Mapping[str, str]] = SubjectState({})
"""What is told about → its words."""
BOARD_LOST: SubjectState[str | None] = SubjectState(None)
"""Why the board can't be judged, None while it can."""


def notice(table: Holder, what: str, text: str | None) -> None:
    """Tell something, in place of what was told about the same before; None: it is over."""
    others = {one: words for one, words in NOTICES.of(table).items() if one != what}
    NOTICES.put(table, others if text is None else {**others, what: text})


def lose_board(table: Holder, reason: str | None) -> None:
    """Note why the board can't be judged, None: it answers again."""
    BOARD_LOST.put(table, reason)
