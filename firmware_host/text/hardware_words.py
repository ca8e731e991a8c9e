"""Messages of the hardware as translatable sentences."""

from __future__ import annotations

from firmware_host.text.words import say
from hw.ports import HardwareError, Message


def lost_words(error: HardwareError) -> str:
    """Return an error's message, translatable where the hardware gives a ``Message``."""
    message = error.args[0] if error.args else ""
    return hardware_words(message) if isinstance(message, Message) else str(error)


def hardware_words(message: Message) -> str:
    """Return a message of the hardware, with the messages among its values, as a translatable sentence."""
    values = {name: hardware_words(one) if isinstance(one, Message) else one for name, one in message.values.items()}
    return say(message.form, **values)
