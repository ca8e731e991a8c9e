"""How a command says no."""

from __future__ import annotations


class Refused(Exception):
    """What the user asked for can't be done; the message says what, where and what was expected."""
