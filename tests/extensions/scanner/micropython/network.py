"""Replaces MicroPython's module ``network`` of a Pico W: the bench says whether the Wi-Fi is there.

It runs inside MicroPython.
"""

from machine import _answer

STA_IF = 0


class WLAN:
    """The radio."""

    def __init__(self, interface):
        pass

    def active(self, on):
        pass

    def config(self, **settings):
        pass

    def connect(self, name, password):
        _answer("join 0")

    def isconnected(self):
        return _answer("joined 0") == "1"


def hostname(name):
    pass
