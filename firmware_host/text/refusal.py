"""Refusals of commands."""

from __future__ import annotations


class Refused(Exception):
    """A user's request can't be done; the message says what, where and what was expected."""

    @property
    def words(self) -> str:
        """Return the message; a translatable one (:func:`firmware_host.text.words.say`) stays so."""
        message = self.args[0] if self.args else ""
        return message if isinstance(message, str) else str(message)
