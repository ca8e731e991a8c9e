"""Errors of a table: refused requests, and unexpected faults."""

from __future__ import annotations

from firmware_host.text.words import say


class TableError(ValueError):
    """A request that the table refuses; nothing has changed.

    ``message`` is meant for the person who asked, and may be a :class:`firmware_host.text.words.Text`.

    ``code`` is a short word for programs: ``wrong_phase``, ``not_your_turn``, ``seat_taken``, ``bad_seat``,
    ``bad_name``, ``bad_seal``, ``already_sealed``, ``seal_mismatch``, ``bad_action``, ``bad_node``, ``bad_mode``,
    ``bad_level``, ``bad_proposal``, ``bad_colour``, ``bad_code``, ``bad_claim``, ``too_many``, ``too_soon``,
    ``paused``, ``bad_board``, ``bad_rule``, ``bad_game``, ``bad_hint``, ``bad_lesson``, ``bad_puzzle``, ``lesson`` (not
    in a lesson or a puzzle), ``no_game``, ``no_hints``, ``no_journal``, ``internal``, ``bad_clock``, ``time_up``,
    ``bad_lights``, ``bad_address``, ``no_book``, ``no_power`` (the machine can't be switched), ``no_update``,
    ``no_wifi``, ``not_kept`` (the data folder can't be written), ``bad_record`` (a game's record can't be read),
    ``bad_sign``, ``no_signs``, ``people_wait`` (a lesson would take people out of their seats), ``bad_position``,
    ``no_puzzle`` (of what was set up by hand).
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
