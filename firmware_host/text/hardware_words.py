"""What hardware says of its failing, as sentences that can be told in other languages."""

from __future__ import annotations

from firmware_host.text.words import say
from hw.ports import HardwareError, Said


def lost_words(error: HardwareError) -> str:
    """Return what an error says."""
    message = error.args[0] if error.args else ""
    return _said(message) if isinstance(message, Said) else str(error)


def _said(sentence: Said) -> str:
    values = {name: _said(value) if isinstance(value, Said) else value for name, value in sentence.values.items()}
    return say(sentence.form, **values)
