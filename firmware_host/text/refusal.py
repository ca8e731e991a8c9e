"""Refusals of commands."""

from __future__ import annotations


class Refused(Exception):
    """A user's request can't be done; the message says what, where and what was expected."""
