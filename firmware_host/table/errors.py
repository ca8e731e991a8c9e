"""Errors of a table: refused requests, and unexpected faults."""

from __future__ import annotations

from firmware_host.text.words import say

CODES = (
    "already_sealed", "bad_action", "bad_address", "bad_board", "bad_claim", "bad_clock", "bad_code", "bad_colour",
    "bad_entry",  # Of another table.
    "bad_game", "bad_hint", "bad_lesson", "bad_level", "bad_lights", "bad_mode", "bad_name", "bad_node", "bad_position",
    "bad_proposal", "bad_puzzle",
    "bad_record",  # A game's record can't be read.
    "bad_room",  # No invitation, or no table, of a room.
    "bad_rule", "bad_seal", "bad_seat", "bad_sign", "internal",
    "lesson",  # Not in a lesson or a puzzle.
    "missing",  # A library that this needs.
    "no_book", "no_game",
    "no_hand",  # None is simulated at this board.
    "no_hints",
    "no_host",  # The host's file can't be read.
    "no_journal",
    "no_pairing",  # Another table plays it, or it has a result.
    "no_power",  # The machine can't be switched.
    "no_puzzle",  # Of what was set up by hand.
    "no_signs", "no_update", "no_wifi",
    "not_damaged",  # The last game needs no repair.
    "not_here",  # Another table chooses the game.
    "not_kept",  # The data folder can't be written.
    "not_seated",  # Another phone has had the seat since the request came.
    "not_your_turn", "paused",
    "people_wait",  # A lesson would take people out of their seats.
    "seal_mismatch", "seat_taken", "time_up", "too_many", "too_soon",
    "withheld",  # It tells what nobody may know yet.
    "wrong_phase",
)  # fmt: skip
"""All codes of refusals. Pages show the message: an extension takes the code that says most nearly what is wrong."""


class TableError(ValueError):
    """A request that the table refuses; nothing has changed.

    ``message`` is meant for the person who asked, and may be a :class:`firmware_host.text.words.Text`.

    ``code`` is a short word for programs, one of :data:`CODES`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class InternalError(TableError):
    """An unexpected error, mostly in a game's rules; nothing has changed. ``__cause__`` is the original exception."""

    def __init__(self) -> None:
        words = say(
            "this did not work because of an error in the program, and nothing has changed: please try again. "
            "The program's log names the error"
        )
        super().__init__("internal", words)
