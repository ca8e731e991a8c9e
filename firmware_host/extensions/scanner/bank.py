"""A microcontroller that scans the sensors, on USB, a UART or in the Wi-Fi: the host's end, over pyserial or TCP.

A separate thread opens the port, reads, answers and reopens it; :meth:`SerialScannerBank.scan` only returns the latest
readings and never waits. GPIO calls per scan: none.

The thread searches all devices that match the board file's ``device`` (a path, or a pattern like
``/dev/serial/by-id/*``), one after the other; the first time it takes one with another configuration than the board
file means only if there is none with this one. After an unplugging it also tries the other numbers of a USB device
(``/dev/ttyACM1`` for ``/dev/ttyACM0``): their order may have changed, while ``/dev/serial1`` is another wire. The
device that answers must run the same firmware as before. An address is called again.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import logging
import re
import stat
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import serial

from firmware_host.extensions.scanner.link import HELLO_PATIENCE_S, Counters, ScannerLink, Terms
from firmware_host.extensions.scanner.wireless import WirelessPort, is_wireless
from hw.ports import ConfigurationCheck, HardwareError, LineCount, Message

_log = logging.getLogger(__name__)
READ_TIMEOUT_S = 0.02
"""Maximum wait of one read, and so the maximum delay of sending, seconds."""
WRITE_TIMEOUT_S = 0.25
LOOK_AGAIN_S = 0.25
"""Pause between two searches for a missing device, seconds."""
_NUMBERED = re.compile(r"(.*/tty(?:ACM|USB))\d+")
"""Devices whose numbers depend on the order in which they were plugged in."""
MOST_TOLD = 3
"""Maximum number of other devices that are told to have been tried, too."""
try:
    from termios import error as TerminalError  # noqa: N812, TID251 - a class; pyserial lets it through
except ImportError:  # Windows: pyserial raises its own there.
    TerminalError = OSError  # type: ignore[misc,assignment]
PORT_ERRORS = (OSError, ValueError, TypeError, TerminalError)
"""All exceptions of pyserial: SerialException is an OSError, ``in_waiting`` raises plain OSErrors, an unsupported baud
rate ValueError, a device that vanishes during a call TypeError or termios.error."""


class Port(Protocol):
    """An open line to a scanner."""

    def read(self) -> bytes:
        """Return received bytes; wait a moment for them."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    def close(self) -> None:
        """Free the line."""
        ...


class CablePort:
    """A line over USB or a UART, which nobody else may open meanwhile."""

    def __init__(self, device: str, baud: int, timeout_s: float) -> None:
        """Open it. Raise HardwareError with the reason."""
        try:
            self._serial = serial.Serial(device, baud, timeout=timeout_s, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
        except PORT_ERRORS as error:
            raise HardwareError(_opening(error)) from error

    def read(self) -> bytes:
        """Return received bytes. Raise HardwareError when the device has vanished."""
        try:
            found: bytes = self._serial.read(self._serial.in_waiting or 1)
        except PORT_ERRORS as error:
            raise _unplug_error(error) from error
        return found

    def write(self, data: bytes) -> None:
        """Send bytes. Raise HardwareError when the device has vanished."""
        try:
            self._serial.write(data)
        except PORT_ERRORS as error:
            raise _unplug_error(error) from error

    def close(self) -> None:
        """Free the device."""
        with contextlib.suppress(*PORT_ERRORS):
            self._serial.close()


class LinkedBank:
    """What a bank tells of the scanner at the other end of its link, beside the readings."""

    def __init__(self, terms: Terms) -> None:
        """``terms`` are those of the link."""
        self.channels, self.kind, self.link = terms.channels, terms.kind, ScannerLink(terms)

    @property
    def line(self) -> LineCount:
        """The frames that came whole, came damaged, and never came."""
        counters = self.link.counters
        return LineCount(counters.frames, counters.dropped, counters.missed)

    @property
    def configuration(self) -> ConfigurationCheck | None:
        """Whether the scanner has the configuration that the board file means."""
        return self.link.configuration

    @property
    def complaint(self) -> Message | None:
        """That it restarts again and again, or has another configuration than the board file means."""
        found = self.link.configuration
        if self.link.complaint is not None:
            return self.link.complaint
        return found.words if found is not None and found.agrees is False else None


class SerialScannerBank(LinkedBank):
    """The sensors of a board behind a microcontroller that speaks the scanner protocol."""

    def __init__(
        self, device: str, baud: int, terms: Terms, *, code: str = "", patience_s: float | None = None
    ) -> None:
        """Find the scanner and wait for its first reports. Raise HardwareError when there are none in ``patience_s``.

        None: in which each device has its chance, and the first one a second. ``device`` is a path, a pattern, or
        ``tcp://NAME`` of a scanner with the pairing code ``code``; ``baud`` is in bits a second (USB ignores it).
        """
        super().__init__(terms)
        self.device = ""
        """Path of the scanner, or its last path while it is lost."""
        self._pattern = device
        self._baud, self._code = baud, code
        self._records: dict[str, LossReason] = {}
        """Device → what became of the scanner there."""
        self._reasons: dict[str, str] = {}
        """Device → why the last conversation with it has ended."""
        # Changes are confirmed by a ping every period.
        self._read_timeout = min(READ_TIMEOUT_S, terms.period_ms / 2000) if terms.changes else READ_TIMEOUT_S
        self._unexpected = ""
        """The last error that was none of the hardware's."""
        self._lock = threading.Lock()
        self._lost: str | None = Message("scanner at {device}: not found yet", device=device)
        self._readings: tuple[int, ...] = ()
        self._reported_at = 0.0
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scanner", daemon=True)
        patience = HELLO_PATIENCE_S * (1 + max(1, len(self._devices()))) if patience_s is None else patience_s
        self._thread.start()
        if not self._changed.wait(patience):
            reason = self._lost or Message("scanner at {device}: sends nothing", device=device)
            self.close()
            raise HardwareError(reason)

    @property
    def counters(self) -> Counters:
        """Live counts of frames and faults since the start."""
        return self.link.counters

    @property
    def firmware(self) -> str:
        """Name and version of the scanner's firmware; empty before its first hello."""
        hello = self.link.firmware
        return "" if hello is None else hello.firmware

    def scan(self) -> Sequence[int]:
        """Return one reading per channel, confirmed by two successive reports, without waiting.

        Raise HardwareError with the reason while the scanner is lost.
        """
        with self._lock:
            reason, readings, age = self._lost, self._readings, time.monotonic() - self._reported_at
        if reason is None and age > 2 * self.link.terms.silence_s:
            silence = Message("has been silent for {seconds} s", seconds=f"{age:.1f}")  # The port itself hangs.
            reason = Message("scanner at {device}: {reason}", device=self.device, reason=silence)
        if reason is not None:
            raise HardwareError(reason)
        return readings

    def close(self) -> None:
        """Stop the thread and close the port."""
        self._stop.set()
        self._thread.join(timeout=2)
        with self._lock:
            self._lost = Message("the scanner's port is closed")

    # -- the thread --------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            self._search()
            self._stop.wait(LOOK_AGAIN_S)

    def _search(self) -> None:
        """Talk to one device after the other, until one that was the scanner is lost."""
        devices, second = self._devices(), list[str]()
        missed = self.device or self._pattern
        if not devices or (self.device and self.device not in devices):
            self._lose(missed, Message("scanner: nothing is at {device}: is it plugged in?", device=missed))
        self._reasons = {device: why for device, why in self._reasons.items() if device in {*devices, missed}}
        for choosing, some in ((len(devices) > 1 and self.link.firmware is None, devices), (False, second)):
            for device in some:
                if self._stop.is_set():
                    return
                self.link.is_choosing = choosing
                reason = self._converse(device)
                was_there = self._lost is None
                self._lose(device, Message("scanner at {device}: {reason}", device=device, reason=reason))
                if was_there:
                    return
                if self.link.is_passed_over:
                    second.append(device)

    def _devices(self) -> list[str]:
        """Return the paths at which the scanner may be, its last path first."""
        if is_wireless(self._pattern):
            return [self._pattern]
        found = set(glob.glob(self._pattern))
        if self.link.firmware is not None and (usb := _NUMBERED.fullmatch(self._pattern)):
            found |= set(glob.glob(f"{glob.escape(usb[1])}[0-9]*"))
        found = {device for device in found if device == self._pattern or _is_device(device)}
        return sorted(found, key=lambda device: (device != self.device, device != self._pattern, device))

    def _converse(self, device: str) -> str:
        """Talk to the scanner at a device until it is lost; return the reason.

        An error that nobody has thought of is one, too: without the thread the board would be lost for good.
        """
        try:
            port = self._open(device)
            try:
                return self._attend(port, device)
            finally:
                port.close()
        except HardwareError as error:
            return error.args[0]  # type: ignore[no-any-return]
        except Exception as error:  # noqa: BLE001 - see above
            if self._unexpected != repr(error):  # Once: it may fail in the same way four times a second.
                self._unexpected = repr(error)
                _log.exception("The scanner's driver has failed; it tries again.")
            return _unplug_error(error).args[0]  # type: ignore[no-any-return]

    def _open(self, device: str) -> Port:
        if is_wireless(device):
            return WirelessPort(device, self._code, self._read_timeout)
        return CablePort(device, self._baud, self._read_timeout)

    def _attend(self, port: Port, device: str) -> str:
        link = self.link
        record = self._records.setdefault(device, LossReason(link.counters, lambda: time.strftime("%H:%M")))
        record.begin()
        port.write(link.open(time.monotonic()))
        while not self._stop.is_set():
            data = port.read()
            now = time.monotonic()
            answer = link.receive(data, now) + link.tick(now)
            if answer:
                port.write(answer)
            record.update(working=link.ready)
            reason = link.loss(now)
            if reason is not None:
                return reason if link.fruitless > 1 else record.words(reason)
            if link.ready:
                self._show(device)
        return Message("closed")

    def _show(self, device: str) -> None:
        with self._lock:
            self.device = device
            self._lost = None
            self._readings = self.link.readings
            self._reported_at = self.link.reported_at
        self._changed.set()

    def _lose(self, device: str, reason: str) -> None:
        """Note why the scanner is not at a device; told first is the last good one, or the board file's."""
        self._reasons[device] = reason
        first, *others = sorted(self._reasons, key=lambda one: (one != self.device, one != self._pattern))
        words = self._reasons[first]
        for other in others[:MOST_TOLD]:
            words = Message("{first}; also tried: {other}", first=words, other=self._reasons[other])
        with self._lock:
            if self._lost is None:
                self.link.counters.losses += 1
            self._lost = words


def _is_device(path: str) -> bool:
    try:
        return stat.S_ISCHR(Path(path).stat().st_mode)
    except OSError:  # It has just vanished.
        return False


CABLE = "its cable"
"""The device of a scanner without a port."""


class Scanner(Protocol):
    """A scanner at the other end of a cable."""

    def take(self, data: bytes) -> bytes:
        """Receive bytes from the host; return the bytes of the answers."""
        ...

    def due(self) -> bytes:
        """Return the bytes of what it reports by itself now."""
        ...


class SteppedBank(LinkedBank):
    """The host's link and a scanner on one clock that tests move: each scan transfers bytes in both directions.

    No thread waits for real time.
    """

    def __init__(self, end: Scanner, terms: Terms, clock: Callable[[], float]) -> None:
        """Lay the cable to a scanner, which the first scan finds."""
        super().__init__(terms)
        self.end = end
        self.is_plugged = True
        self._clock = clock
        self._outgoing: bytes | None = None
        self._look_at = 0.0

    def scan(self) -> Sequence[int]:
        """Return one reading per channel. Raise HardwareError with the reason while the scanner is lost."""
        now = self._clock()
        if not self.is_plugged or (self._outgoing is None and now < self._look_at):
            self._lose(now)
            raise HardwareError(Message("scanner: nothing is at {device}: is it plugged in?", device=CABLE))
        outgoing = self.link.open(now) if self._outgoing is None else self._outgoing
        for _ in range(2):  # Two reports a scan, as with a port.
            answer = self.end.take(self.across(outgoing)) + self.end.due()
            outgoing = self.link.receive(self.across(answer), now) + self.link.tick(now)
        self._outgoing = outgoing
        reason = self.link.loss(now)
        if reason is not None:
            self._lose(now)
            raise HardwareError(Message("scanner at {device}: {reason}", device=CABLE, reason=reason))
        if not self.link.ready:
            raise HardwareError(Message("scanner at {device}: not found yet", device=CABLE))
        return self.link.readings

    def _lose(self, now: float) -> None:
        if self._outgoing is not None:
            self._outgoing, self._look_at = None, now + LOOK_AGAIN_S
            self.link.counters.losses += 1

    def close(self) -> None:
        """Do nothing: there is no port."""

    def across(self, data: bytes) -> bytes:
        """Return what arrives at the other end of the cable."""
        return data


def _unplug_error(error: Exception) -> HardwareError:
    return HardwareError(Message("unplugged, or its port fails ({error})", error=str(error)))


def _opening(error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.EACCES:
        return Message("no permission to open it: sudo adduser $USER dialout, then log in again")
    if code in {errno.EBUSY, errno.EAGAIN}:
        return Message("another program uses it (a terminal, Thonny, a second table?)")
    return Message("can't be opened ({error})", error=str(error))


# -- The reason for a scanner's loss, in words that say what to do; damaged frames are told apa ------------------------


DAMAGED_AT_LEAST = 3
"""Minimum number of damaged frames in a row that point to a faulty line; fewer are chance."""


class LossReason:
    """A record of one scanner: the damaged frames since its last good one, and the time until which it worked."""

    def __init__(self, counters: Counters, clock: Callable[[], str]) -> None:
        """``counters`` are live; ``clock`` returns the time of day as people read it: ``20:14``."""
        self._counters, self._clock = counters, clock
        self._worked_until = ""
        self.begin()

    def begin(self) -> None:
        """Begin a conversation: frames of other devices tell nothing."""
        self._good, self._damaged_before = self._counters.frames, self._counters.dropped

    def update(self, *, working: bool) -> None:
        """Update from the counters after every read; ``working`` is true while the scanner's reports come."""
        if self._counters.frames != self._good:
            self._good, self._damaged_before = self._counters.frames, self._counters.dropped
            if working:
                self._worked_until = self._clock()

    def words(self, reason: str) -> str:
        """Return the full reason for the loss, given the link's reason."""
        damaged = self._counters.dropped - self._damaged_before
        if damaged >= DAMAGED_AT_LEAST:
            reason = Message(
                "{count} frames came, all damaged (wrong checksum): check the ground wire between the two, "
                "and that both use the same baud rate",
                count=damaged,
            )
        if not self._worked_until:
            return reason
        return Message(
            "it worked until {time}; {reason}. Unplug it and plug it in again", time=self._worked_until, reason=reason
        )
