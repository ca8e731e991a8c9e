"""The LED shows the scanner's state.

A short flash per second: it runs, and no host has asked for reports. Half a second on, half a second off: it reports to
a host. Flicker, five times per second: it can't scan, and sends the host the reason.
"""

from machine import Pin

FLASH_MS, BLINK_MS, ROUND_MS = 60, 500, 1000
FLICKER_MS = 100


class Heartbeat:
    """One LED. Call :meth:`beat` often."""

    def __init__(self, pin: object) -> None:
        """``pin`` is a number or a name; None for a board without an LED."""
        self._set = None if pin is None else Pin(pin, Pin.OUT, value=0).value
        self._lit = 0

    def beat(self, ms: int, has_host: bool, can_scan: bool) -> None:
        """Set the LED for time ``ms``: ``has_host`` while a host wants reports, ``can_scan`` while it can."""
        lit = int(ms % ROUND_MS < (BLINK_MS if has_host else FLASH_MS)) if can_scan else ms // FLICKER_MS & 1
        if lit != self._lit and self._set:
            self._lit = lit
            self._set(lit)
