"""The host's end against a scanner's end, without ports and on a simulated clock."""

from __future__ import annotations

import struct
from random import Random

import pytest

from firmware_host.extensions.scanner.link import (
    HELLO_PATIENCE_S,
    FrameReader,
    ScannerFrame,
    ScannerLink,
    Terms,
    encode,
)
from firmware_host.extensions.scanner.simulated import ScannerEnd
from lodestone.boards import Clock
from tests.sampling import cases, some, together
from tests.sentences import is_in

HOST = frozenset("HCRP")


class Line:
    """A host, a scanner, and the line between them."""

    def __init__(
        self, kind: str = "presence", channels: int = 45, *, changes: bool = False, speaks: tuple[int, ...] = (1, 2)
    ) -> None:
        self.clock = Clock()
        self.readings = [128 if kind == "level" else 0] * channels
        self.end = ScannerEnd(channels, kind, lambda: list(self.readings), self.clock)
        self.end.versions = speaks
        self.end.reboot()
        self.link = ScannerLink(Terms(channels, kind, 10, changes))
        self.to_host = self.to_scanner = lambda data: data
        self.said: list[ScannerFrame] = []
        self._heard = FrameReader(HOST)
        self._outgoing = self.link.open(self.clock())

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.005)):
            self.clock.sleep(0.005)
            self.said += self._heard.feed(self._outgoing)
            answer = self.end.take(self.to_scanner(self._outgoing)) + self.end.due()
            now = self.clock()
            self._outgoing = self.link.receive(self.to_host(answer), now) + self.link.tick(now)

    def types(self) -> str:
        return "".join(frame.type for frame in self.said)


@together("speaks", [(1,), (1, 2)])
@together("changes", [False, True])
@together("kind", ["presence", "polarity", "level"])
def test_what_the_scanner_reads_is_what_the_host_shows(kind: str, changes: bool, speaks: tuple[int, ...]) -> None:
    line = Line(kind, changes=changes, speaks=speaks)
    line.run(0.1)
    assert line.link.ready
    assert line.link.readings == tuple(line.readings)
    most = {"presence": 1, "polarity": 3, "level": 255}[kind]
    random = Random(1)
    for _ in range(50):
        for channel in random.sample(range(45), random.randrange(1, 45)):
            line.readings[channel] = random.randint(0, most) if kind != "level" else random.choice([0, 128, 255, 77])
        line.run(0.05)
        assert line.link.readings == tuple(line.readings)
    assert line.link.loss(line.clock()) is None
    counters = line.link.counters
    assert (counters.dropped, counters.gaps, counters.reboots, counters.troubles) == (0, 0, 0, 0)


def test_a_reading_takes_no_longer_than_two_reports() -> None:
    line = Line()
    line.run(0.1)
    for channel in range(20):
        line.readings[channel] = 1
        line.run(0.025)  # Two reports of 10 ms each, and the way.
        assert line.link.readings == tuple(line.readings)


def test_hello_is_said_once_a_second_until_it_is_answered() -> None:
    line = Line()
    line.to_host = lambda data: b""
    line.run(2.4)
    assert line.types() == "HHH"
    assert (line.said[0].version, line.said[0].body) == (1, b"\2"), "a scanner of any version understands it"
    assert line.link.loss(line.clock()) is None
    line.run(HELLO_PATIENCE_S - 2.3)
    assert "does not answer" in str(line.link.loss(line.clock()))


def test_a_configuration_says_period_and_mode_and_is_repeated_until_it_works() -> None:
    line = Line()
    line.to_scanner = lambda data: data if FrameReader(HOST).feed(data) and b"C" not in data else b""
    line.run(0.35)
    assert line.types().startswith("HCCC")
    assert line.said[1].body == struct.pack(">HB", 10, 0)
    assert not line.link.ready
    line.to_scanner = lambda data: data
    line.run(0.2)
    assert line.link.ready


def test_changes_after_a_gap_do_not_count_before_the_next_snapshot() -> None:
    line = Line(changes=True)
    line.run(0.1)
    line.readings[3] = 1
    line.to_host = lambda data: b""  # This change is lost …
    line.run(0.02)
    line.to_host = lambda data: data
    line.readings[3] = 0
    line.readings[7] = 1
    line.run(0.1)  # … the next one reveals the gap, and a snapshot has the true readings.
    assert line.link.counters.gaps >= 1
    assert line.link.counters.resends >= 1
    assert "R" in line.types()
    assert line.link.readings == tuple(line.readings)


def test_a_lost_change_is_noticed_although_nothing_more_happens() -> None:
    line = Line(changes=True)
    line.run(0.1)
    line.readings[3] = 1
    line.to_host = lambda data: b""
    line.run(0.02)
    line.to_host = lambda data: data
    line.run(0.05)
    assert line.link.readings[3] == 1


def test_a_change_whose_length_is_wrong_is_asked_for_again() -> None:
    """The CRC of version 1 accepts an additional zero at the end: the frame is dropped, its change is requested."""
    line = Line(changes=True, speaks=(1,))
    line.run(0.1)
    line.readings[3] = 1
    line.to_host = lambda data: data[:-1] + b"\1\0" if data else b""
    line.run(0.02)
    line.to_host = lambda data: data
    line.run(0.06)
    assert line.link.counters.dropped >= 1
    assert line.link.readings[3] == 1


def test_one_report_alone_is_not_believed() -> None:
    """A single report may have a right CRC by a spike on the inputs, or by a chance of one in 65,536."""
    line = Line()
    line.run(0.1)
    line.readings[5] = 1
    line.run(0.01)
    line.readings[5] = 0
    seen = set()
    for _ in range(20):
        line.run(0.005)
        seen.add(line.link.readings[5])
    assert seen == {0}


def test_frames_that_come_twice_count_once() -> None:
    line = Line(changes=True)
    line.run(0.1)
    line.to_host = lambda data: data + data
    line.readings[5] = 1
    line.run(0.2)
    assert line.link.counters.doubled >= 1
    assert line.link.counters.gaps == line.link.counters.reboots == 0
    assert line.link.readings[5] == 1


def test_silence_is_a_loss_after_half_a_second() -> None:
    line = Line()
    line.run(0.1)
    line.to_host = lambda data: b""
    line.run(0.49)
    assert line.link.loss(line.clock()) is None
    line.run(0.02)
    assert "silent for 0.5 s" in str(line.link.loss(line.clock()))


def test_a_board_that_restarts_when_its_port_is_opened_is_waited_for() -> None:
    """The port's lines reset the board; its boot loader swallows bytes, and an ESP32's sends text first."""
    line = Line()
    line.to_scanner = lambda data: b""
    line.to_host = lambda data: b"ets Jul 29 2019\r\nrst:0x1 (POWERON_RESET)\r\n" if data else b""
    line.run(2.9)
    assert line.link.loss(line.clock()) is None
    line.to_scanner = line.to_host = lambda data: data
    line.end.reboot()
    line.run(0.1)
    assert line.link.ready, "it is met at once: it says hello when it starts"
    assert line.link.counters.reboots == 0


@pytest.mark.parametrize("speaks", [(1,), (1, 2)])
def test_another_version_after_a_reboot_is_gone_on_with(speaks: tuple[int, ...]) -> None:
    """A person has installed another firmware."""
    line = Line(speaks=speaks)
    line.run(0.2)
    line.end.versions = (1, 2) if speaks == (1,) else (1,)
    line.end.reboot()
    line.readings[4] = 1
    line.run(0.2)
    assert line.link.ready
    assert line.link.readings[4] == 1
    assert line.link.counters.dropped == 0


def test_a_host_of_version_1_is_answered_in_it() -> None:
    line = Line()
    line.run(0.1)
    heard = FrameReader()
    for data in (encode("H", 0, b"\1", 1), encode("P", 1, b"", 1), encode("P", 2)):
        answers = list(heard.feed(line.end.take(data)))
        assert [frame.version for frame in answers] == ([1] if data != encode("P", 2) else [])


def test_long_periods_get_more_patience() -> None:
    assert Terms(45, "presence", 400).silence_s == pytest.approx(1.2)
    assert Terms(45, "presence", 10).silence_s == pytest.approx(0.5)


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("greeting_lost", [False, True])
def test_a_reboot_is_noticed_and_gone_on_from(changes: bool, greeting_lost: bool) -> None:
    line = Line(changes=changes)
    line.run(1.0)
    line.end.reboot()
    if greeting_lost:  # It has lost its configuration without a hello.
        line.to_host = lambda data: b""
        line.run(0.01)
        line.to_host = lambda data: data
    line.readings[9] = 1
    line.run(0.3)
    assert line.link.loss(line.clock()) is None
    assert line.link.readings[9] == 1
    line.readings[9] = 0
    line.run(0.1)
    assert line.link.readings[9] == 0, "and it reports by itself again"
    if not greeting_lost:
        assert line.link.counters.reboots == 1


def test_a_clock_that_jumps_back_is_a_reboot() -> None:
    line = Line()
    line.run(1.0)
    line.end._started = line.clock()  # Still configured, as a scanner with a memory would be.
    line.run(0.1)
    assert line.link.counters.reboots == 1
    assert line.types().count("H") == 2
    assert line.link.loss(line.clock()) is None


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda end: setattr(end, "versions", (3,)), "protocol version 3, expected 2"),
        (lambda end: setattr(end, "_channels", 44), "44 nodes of kind presence, expected 45 of kind presence"),
        (lambda end: setattr(end, "_kind", "polarity"), "45 nodes of kind polarity, expected 45 of kind presence"),
    ],
)
def test_a_scanner_that_does_not_fit_is_refused_with_the_reason(spoil: object, why: str) -> None:
    line = Line()
    spoil(line.end)  # type: ignore[operator]
    line.run(0.1)
    assert why in str(line.link.loss(line.clock()))
    assert not line.link.ready


def test_after_a_loss_another_firmware_is_not_taken_for_the_scanner() -> None:
    line = Line()
    line.run(0.1)
    line.end.firmware = "coffee-machine 3"
    line.end.reboot()
    line._outgoing = line.link.open(line.clock())
    line.run(0.1)
    assert "'coffee-machine', expected 'lodestone-scanner'" in str(line.link.loss(line.clock()))
    line.end.firmware = "lodestone-scanner 2.0"
    line._outgoing = line.link.open(line.clock())
    line.run(0.1)
    assert line.link.ready, "a newer version of the same is fine"


def test_another_device_is_told_from_silence() -> None:
    line = Line()
    line.to_host = lambda data: b"$GPGGA,no scanner*00\r\n"
    line.run(HELLO_PATIENCE_S + 0.1)
    assert is_in("no answer to hello: another", str(line.link.loss(line.clock())))


def test_what_the_scanner_complains_of_is_told() -> None:
    line = Line()
    line.run(0.1)
    line.end._read = lambda: []
    line.to_host = lambda data: encode("e", 99, b"\2select: pin 99 does not exist")
    line.run(0.6)
    assert "it said: select: pin 99 does not exist" in str(line.link.loss(line.clock()))
    assert line.link.counters.troubles


@pytest.mark.parametrize("changes", cases([False, True], True))
def test_one_byte_in_a_hundred_lost_doubled_or_flipped_never_gives_a_wrong_reading(changes: bool) -> None:
    """Five minutes of play on a bad cable (in the sample one), with a change every fifth of a second."""
    line, random = Line(changes=changes), Random(5)

    def spoil(data: bytes) -> bytes:
        line = bytearray()
        for byte in data:
            what = random.choice("ldf") if random.random() < 0.01 else ""
            if what != "l":
                line.append(byte ^ random.randrange(1, 256) if what == "f" else byte)
            if what == "d":
                line.append(byte)
        return bytes(line)

    line.to_host = line.to_scanner = spoil
    line.run(3)
    late = 0
    changed = some(range(1500))
    for _ in changed:
        before = tuple(line.readings)
        channel = random.randrange(45)
        line.readings[channel] ^= 1
        for _ in range(10):
            line.run(0.02)
            assert line.link.readings in {before, tuple(line.readings)}
        late += line.link.readings != tuple(line.readings)
        while line.link.readings != tuple(line.readings):
            line.run(0.02)
            assert line.link.loss(line.clock()) is None
    assert line.link.counters.dropped * 3 > len(changed) * 2
    assert late * 100 < len(changed), "in less than one change of a hundred it takes longer than a fifth of a second"
