"""The firmware of a board scanner, for a Raspberry Pi Pico (any of them) with MicroPython.

How to put it on:

1. Hold BOOTSEL, plug the Pico in, and copy MicroPython's ``.uf2`` for your Pico (micropython.org/download) onto it.
2. Edit ``config.py``: what the sensors hang on, on which pins, how many nodes.
3. Copy all files of this folder onto it:
   ``mpremote cp config.py frames.py chips.py serial_port.py protocol.py main.py :`` (``pip install mpremote``), then
   ``mpremote reset``, or with Thonny: open, save to the device.
4. In the board file: ``scheme = "serial"``, the same number of nodes and kind, and ``device``: ``/dev/ttyACM0``, or
   better its name under ``/dev/serial/by-id/``, which stays the same. ``lodestone play --board YOUR.toml`` finds it.

It speaks the scanner protocol over USB, or over a UART as ``config.py`` says. ``mpremote`` and Thonny get their prompt
when nobody else has the port open. A mistake in ``config.py`` is told to the host, which shows it.

The tests run these files in a real MicroPython 1.27 against simulated chips (tests/hw/test_scanner_firmware.py). Not
tried so far, because only a Pico can show it: its ADC, pull-ups, USB and UART, and how many scans a second it makes.
"""

import time

import chips
import config
import machine
import protocol
import serial_port

RESTART_AFTER_MS = 1000
SAY_AGAIN_MS = 500
MOST_LEVELS = 244  # of one frame


def main() -> None:
    """Scan and report for ever."""
    port = serial_port.open_port(config)
    chip, wrong = None, ""
    try:
        if config.KIND == "level" and config.NODES > MOST_LEVELS:
            raise ValueError("NODES: expected at most %d of kind level, got %d" % (MOST_LEVELS, config.NODES))
        chip = chips.build(config)
    except Exception as error:
        wrong = "config.py: %s" % (error,)
    scanner = protocol.Scanner(port, chip, config.NODES, config.KIND)
    told = None
    try:
        while True:
            if not scanner.step():
                time.sleep_ms(1)
            if wrong and (told is None or time.ticks_diff(time.ticks_ms(), told) > SAY_AGAIN_MS):
                told = time.ticks_ms()
                scanner.complain(protocol.BAD_CONFIG, wrong)
    except protocol.Ended:
        return
    except Exception as error:  # Whatever it was: say it, and try from the start.
        scanner.complain(protocol.NO_SENSORS, "%s: %s" % (type(error).__name__, error))
        time.sleep_ms(RESTART_AFTER_MS)
        machine.reset()


main()
