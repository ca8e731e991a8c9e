"""The firmware of a board scanner, for a Raspberry Pi Pico (any of them) or an ESP32 with MicroPython 1.20 or newer.

Installation:

1. Hold BOOTSEL, plug the Pico in, and copy MicroPython's ``.uf2`` for your Pico (micropython.org/download) onto it.
   On an ESP32: ``esptool write_flash 0x1000`` and its ``.bin``.
2. Edit ``config.py``: the chips that read the sensors, their pins, the number of nodes.
3. Copy all files of this folder onto it:
   ``mpremote cp *.py :`` (``pip install mpremote``), then ``mpremote reset``, or with Thonny: open, save to the device.
4. In the board file: ``scheme = "serial"``, the same number of nodes and kind, and ``device``: ``/dev/ttyACM0``, or
   better its name under ``/dev/serial/by-id/``, which stays the same. ``lodestone play --board YOUR.toml`` finds it.

It speaks the scanner protocol over USB, or over a UART or Wi-Fi as ``config.py`` says. ``mpremote`` and Thonny get
their prompt when no other program has the port open. A mistake in ``config.py`` is reported to the host, which shows
it. heartbeat.py describes the LED's signals. The watchdog restarts a hanging loop after three seconds.

The tests run these files in a real MicroPython 1.27 against simulated chips. Only a
real board can test its ADC, pull-ups, USB, UART, watchdog and number of scans per second: these are not tested yet.
"""

import sys
import time

import boards
import chips
import config
import digest
import heartbeat
import machine
import protocol
import serial_port
import watchdog

RESTART_AFTER_MS = 1000
SAY_AGAIN_MS = 500
MAX_LEVELS = 244  # of one frame


def check_config(config: object) -> tuple:
    """Return NODES and KIND. Raise ValueError or AttributeError naming the fault in config.py."""
    nodes, kind = config.NODES, config.KIND
    if kind not in ("presence", "polarity", "level"):
        raise ValueError("KIND: expected presence, polarity or level, got %r" % (kind,))
    if not isinstance(nodes, int) or nodes < 1:
        raise ValueError("NODES: expected a whole number from 1, got %r" % (nodes,))
    if kind == "level" and nodes > MAX_LEVELS:
        raise ValueError("NODES: expected at most %d of kind level, got %d" % (MAX_LEVELS, nodes))
    return nodes, kind


def main() -> None:
    """Scan and report until somebody asks for MicroPython's prompt."""
    port, chip, wrong, led = None, None, "", None
    nodes, kind, configured = 0, "presence", ""
    try:
        port = serial_port.open_port(config)
        nodes, kind = check_config(config)
        boards.check_version(sys.implementation.version)
        board = boards.choose_board(
            config.BOARD, getattr(sys.implementation, "_machine", "a board unknown to MicroPython")
        )
        led = board[4]
        chip = chips.build(config, board)
        configured = digest.digest(nodes, kind, config.CHIP, config.PINS)
    except Exception as error:
        wrong = "config.py: %s" % (error,)
    scanner = protocol.Scanner(port or serial_port.UsbPort(), chip, nodes, kind, configured)
    heart = heartbeat.Heartbeat(led)
    watchdog.on_guard()
    said_at = None
    try:
        while True:
            watchdog.feed()
            heart.beat(time.ticks_ms(), scanner.has_host, not wrong)
            if not scanner.step():
                time.sleep_ms(1)
            if wrong and (said_at is None or time.ticks_diff(time.ticks_ms(), said_at) > SAY_AGAIN_MS):
                said_at = time.ticks_ms()
                scanner.complain(protocol.BAD_CONFIG, wrong)
    except (protocol.Ended, KeyboardInterrupt):  # Over Wi-Fi, Ctrl-C on the USB cable still interrupts.
        watchdog.at_the_prompt()
        return
    except Exception as error:  # Report any error, and restart.
        scanner.complain(protocol.NO_SENSORS, "%s: %s" % (type(error).__name__, error))
        time.sleep_ms(RESTART_AFTER_MS)
        machine.reset()


main()
