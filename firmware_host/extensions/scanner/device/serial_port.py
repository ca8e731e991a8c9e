"""The line to the host: the Pico's USB, or a UART; Wi-Fi is in wifi_port.py. Reading never waits."""

import select
import sys

import micropython
from machine import UART, Pin

_AT_ONCE = 64


class UsbPort:
    """The USB cable that the Pico is programmed through: its standard input and output."""

    def __init__(self) -> None:
        """Stop Ctrl-C from interrupting the program: it is an ordinary byte here."""
        micropython.kbd_intr(-1)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def read(self) -> bytes:
        """Return received bytes, at most 64; empty if there are none."""
        data = b""
        while len(data) < _AT_ONCE and self._poll.poll(0):
            byte = sys.stdin.buffer.read(1)
            if not byte:
                break
            data += byte
        return data

    def write(self, data: bytes) -> None:
        """Send bytes."""
        sys.stdout.buffer.write(data)


class UartPort:
    """A UART on two pins, crossed with the host's."""

    def __init__(self, settings: dict) -> None:
        """Open it: 8 bits, no parity, one stop bit."""
        self._uart = UART(
            settings["id"],
            baudrate=settings["baud"],
            tx=Pin(settings["tx"]),
            rx=Pin(settings["rx"]),
            rxbuf=256,
        )

    def read(self) -> bytes:
        """Return received bytes; empty if there are none."""
        count = self._uart.any()
        return (self._uart.read(count) or b"") if count else b""

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._uart.write(data)


def open_port(config: object) -> object:
    """Return the configured port. Raise ValueError naming the fault in config.py."""
    if config.PORT == "usb":
        return UsbPort()
    if config.PORT == "uart":
        for name in ("id", "baud", "tx", "rx"):
            if name not in config.UART:
                raise ValueError("UART: expected %s, but it is missing" % name)
        return UartPort(config.UART)
    if config.PORT == "wifi":
        import wifi_port  # A board without a radio has no module for it.

        return wifi_port.WifiPort(config.CODE)
    raise ValueError("PORT: expected usb, uart or wifi, got %r" % (config.PORT,))
