"""The watchdog, which restarts a hanging firmware.

It can't be switched off. So a timer feeds it at the prompt, for example while files are copied. A soft reset ends
timers, so boot.py starts the timer again.
"""

import sys

from machine import WDT, Timer

TIMEOUT_MS = 3000
_FEED_MS = 500
_TIMER = 0 if sys.platform == "esp32" else -1

_dog = None
_timer = None


def at_the_prompt() -> None:
    """Let a timer feed the watchdog."""
    global _dog, _timer  # noqa: PLW0603 - a microcontroller has one
    _dog = _dog or WDT(timeout=TIMEOUT_MS)
    if _timer is None:
        _timer = Timer(_TIMER)
        _timer.init(period=_FEED_MS, mode=Timer.PERIODIC, callback=lambda _: _dog.feed())


def on_guard() -> None:
    """Stop the timer: from now on only :func:`feed` feeds the watchdog."""
    global _dog, _timer  # noqa: PLW0603
    _dog = _dog or WDT(timeout=TIMEOUT_MS)
    if _timer is not None:
        _timer.deinit()
        _timer = None
    feed()


def feed() -> None:
    """Reset the watchdog's time."""
    _dog.feed()
