"""Replaces MicroPython's module ``machine`` of a Pico: pins and ADC lead to the bench, the UART to the line.

WebAssembly has no hardware for random numbers: ``os.urandom`` asks Node for them.

It runs inside MicroPython. Posted messages are processed in order before the next question is answered.
"""

import os
import time

import js

_bench = js.bench
LED = 25
STUCK = "stuck"


class Pin:
    """One GP pin."""

    IN, OUT = 0, 1
    PULL_UP = 1

    def __init__(self, pin, mode=-1, pull=None, *, value=None):
        self.pin = LED if pin == "LED" else pin
        if mode == Pin.OUT:
            _bench.post(f"out {self.pin} {value or 0}")
        elif mode == Pin.IN:
            _bench.post(f"in {pin} {int(pull == Pin.PULL_UP)}")

    def value(self, level=None):
        if level is None:
            return int(_answer(f"read {self.pin}"))
        _bench.post(f"write {self.pin} {level}")
        return None


class ADC:
    """12 bits, which read_u16 spreads over 16 as the RP2040's port does."""

    def __init__(self, pin):
        self.pin = pin.pin

    def read_u16(self):
        raw = int(_answer(f"adc {self.pin}"))
        return raw << 4 | raw >> 8


class UART:
    """The line to the host."""

    def __init__(self, number, baudrate, tx, rx, rxbuf):
        pass

    def any(self):
        return _bench.any()

    def read(self, count):
        return bytes.fromhex(_bench.take(count))

    def write(self, data):
        _bench.send(bytes(data).hex())


class WDT:
    """The watchdog of the bench."""

    def __init__(self, timeout):
        _bench.watch(timeout)

    def feed(self):
        _bench.feed()


class Timer:
    """A timer that works at the prompt only: here the firmware is never at the prompt."""

    PERIODIC = 1

    def __init__(self, number):
        pass

    def init(self, period, mode, callback):
        callback(self)

    def deinit(self):
        pass


def reset():
    _bench.reset()


def _answer(deed):
    answer = STUCK
    while answer == STUCK:
        answer = _bench.ask(deed)
    if answer[0] == "!":
        raise RuntimeError(answer[1:])
    return answer


def _sleep_us(microseconds):
    _bench.post(f"wait {microseconds}")


time.sleep_us = _sleep_us
time.sleep_ms = _bench.sleep
os.urandom = lambda count: bytes.fromhex(_bench.random(count))
