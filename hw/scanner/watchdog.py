"""The watchdog: a firmware that hangs begins anew.

It can't be switched off again. So at the prompt, while files are copied, a timer feeds it; boot.py sees to that after a
soft reset, which ends timers.
"""

import sys

from machine import WDT, Timer

TIMEOUT_MS = 3000
_FEED_MS = 500
_TIMER = 0 if sys.platform == "esp32" else -1

_dog = None
_timer = None


def at_the_prompt() -> None:
    """Let a timer feed it."""
    global _dog, _timer  # noqa: PLW0603 - a microcontroller has one
    _dog = _dog or WDT(timeout=TIMEOUT_MS)
    if _timer is None:
        _timer = Timer(_TIMER)
        _timer.init(period=_FEED_MS, mode=Timer.PERIODIC, callback=lambda _: _dog.feed())


def on_guard() -> None:
    """From now on only :func:`feed` feeds it."""
    global _dog, _timer  # noqa: PLW0603
    _dog = _dog or WDT(timeout=TIMEOUT_MS)
    if _timer is not None:
        _timer.deinit()
        _timer = None
    feed()


def feed() -> None:
    """Tell that all is well."""
    _dog.feed()
