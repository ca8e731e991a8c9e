"""What hardware says, as sentences that can be translated."""

from __future__ import annotations

from firmware_host.text.words import say
from hw.ports import HardwareError, Message


def lost_words(error: HardwareError) -> str:
    """Return what an error says."""
    message = error.args[0] if error.args else ""
    return hardware_words(message) if isinstance(message, Message) else str(error)


def hardware_words(message: Message) -> str:
    """Return a message of the hardware, and the messages within it."""
    values = {name: hardware_words(one) if isinstance(one, Message) else one for name, one in message.values.items()}
    return say(message.form, **values)
