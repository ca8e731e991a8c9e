"""The driver over a pseudo terminal against a simulated scanner, with all faults of a cable."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_host.extensions.scanner.bank import LossReason, SerialScannerBank
from firmware_host.extensions.scanner.link import Counters, Terms
from firmware_host.extensions.scanner.simulated import SimulatedScanner
from hw.ports import HardwareError, SensorBank
from lodestone.boards import Clock
from simulator.board import PluggedBank, SimulatedBoard
from tests.hw.test_every_scheme import agrees
from tests.sampling import few
from tests.schemes import described
from tests.sentences import is_in, sentence
from tests.waiting import eventually

TERMS = Terms(45, "presence", 10)


class Breadboard:
    """A scanner with given readings, and the driver on it."""

    def __init__(self, terms: Terms = TERMS, device: str | None = None) -> None:
        self.readings = [128 if terms.kind == "level" else 0] * terms.channels
        self.scanner = SimulatedScanner(terms.channels, terms.kind, lambda: list(self.readings))
        try:
            self.bank = SerialScannerBank(device or self.scanner.pattern, 115200, terms)
        except BaseException:
            self.scanner.close()
            raise

    def scan(self) -> list[int]:
        begun = time.monotonic()
        try:
            return list(self.bank.scan())
        finally:
            assert time.monotonic() - begun < 20, "a scan never waits (some µs; the machine may be busy)"

    def lost(self) -> str | None:
        try:
            self.scan()
        except HardwareError as error:
            return str(error)
        return None

    def until(self, what: Callable[[], Any], seconds: float = 60.0) -> None:
        eventually(what, lambda: (self.lost(), self.bank.counters), seconds, pause=0.005)

    def shows(self) -> bool:
        try:
            return self.scan() == self.readings
        except HardwareError:  # Also a busy machine that was silent for too long.
            return False


@contextmanager
def bench(terms: Terms = TERMS, device: str | None = None) -> Iterator[Breadboard]:
    made = Breadboard(terms, device)
    try:
        yield made
    finally:
        made.bank.close()
        made.scanner.close()


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
def test_readings_arrive_in_every_kind_and_mode(kind: str, changes: bool) -> None:
    with bench(Terms(45, kind, 10, changes)) as at:
        assert (at.bank.channels, at.bank.kind) == (45, kind)
        assert at.bank.firmware.startswith("lodestone-scanner")
        random = Random(3)
        for _ in range(5):
            for channel in range(45):
                at.readings[channel] = random.choice({"presence": [0, 1], "polarity": [0, 1, 2, 3]}.get(kind, [9, 240]))
            at.until(at.shows)


def test_unplugged_for_five_seconds_and_back_under_another_name() -> None:
    with bench() as at:
        at.readings[7] = 1
        at.until(at.shows)
        at.scanner.unplug()
        at.until(at.lost)
        reason = str(at.lost())
        assert "scanner" in reason
        assert "unplugged" in reason or "is it plugged in" in reason
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert at.lost() is not None
            time.sleep(0.05)  # A second without a cable is what is tested.
        at.readings[7], at.readings[8] = 0, 1
        at.scanner.plug("ttyACM3")
        at.until(at.shows)
        assert at.bank.device.endswith("ttyACM3")
        assert at.bank.counters.losses >= 1, "a busy machine may have been silent as well"


def test_a_plain_path_finds_its_way_to_the_sister_device() -> None:
    with bench() as at:
        at.bank.close()
        plain = SerialScannerBank(f"{at.scanner.folder}/ttyACM0", 115200, TERMS)
        at.bank = plain
        at.scanner.unplug()
        at.until(at.lost)
        at.scanner.plug("ttyACM1")
        at.until(at.shows)


def test_another_device_in_its_place_is_passed_over() -> None:
    with bench() as at:
        at.scanner.unplug()
        at.until(at.lost)
        other = SimulatedScanner(45, "presence", lambda: [1] * 45)
        other.end.firmware = "someone-else 1"
        try:
            (at.scanner.folder / "ttyACM0").symlink_to((other.folder / "ttyACM0").resolve())
            at.until(lambda: "someone-else" in str(at.lost()))
            at.scanner.plug("ttyACM1")
            at.until(at.shows)
            assert at.bank.device.endswith("ttyACM1")
        finally:
            (at.scanner.folder / "ttyACM0").unlink()
            other.close()


@pytest.mark.parametrize("changes", [False, True])
def test_a_reboot_is_survived(changes: bool) -> None:
    with bench(Terms(45, "presence", 10, changes)) as at:
        time.sleep(0.2)  # It reboots in the middle of its work, not as it begins.
        at.scanner.reboot()
        at.readings[44] = 1
        at.until(at.shows)
        counters = at.bank.counters
        assert counters.reboots == 1 or counters.losses, "on a busy machine it may have been lost as well"


def test_silence_is_a_loss_with_its_reason_and_ends_by_itself() -> None:
    with bench() as at:
        at.scanner.to_host = lambda data: b""
        at.until(lambda: "silent" in str(at.lost()))
        at.scanner.to_host = None
        at.until(at.shows)


def test_a_scanner_that_says_nothing_more_without_a_word_is_lost_even_if_its_port_hangs() -> None:
    with bench() as at:
        at.bank._stop.set()  # The thread is stuck in the kernel, say.
        at.bank._thread.join()
        at.bank._lost = None
        at.until(lambda: "silent" in str(at.lost()))


def test_noise_between_frames_is_counted_and_nothing_else() -> None:
    with bench() as at:
        random = Random(1)
        for turn in range(40):
            at.scanner.say(random.randbytes(50) + b"\0")
            at.readings[turn] ^= 1
            at.until(at.shows)
        assert at.bank.counters.dropped >= 40


@pytest.mark.thorough
def test_bytes_lost_doubled_and_flipped_in_both_directions() -> None:
    with bench() as at:
        random = Random(2)

        def spoil(data: bytes) -> bytes:
            line = bytearray()
            for byte in data:
                what = random.choice("ldf") if random.random() < 0.01 else ""
                line += {"": bytes([byte]), "l": b"", "d": bytes([byte, byte]), "f": bytes([byte ^ 0x10])}[what]
            return bytes(line)

        at.scanner.to_host = at.scanner.to_scanner = spoil
        for turn in range(45):
            at.readings[turn] = 1
            at.until(at.shows)
            for _ in range(4):
                assert at.shows() or at.lost(), at.readings
                time.sleep(0.005)  # Several rounds of the scanner are looked at.
        assert at.bank.counters.dropped > 0


def refused(device: str, why: str, patience_s: float = 0.3) -> None:
    """See that a scanner is refused with this reason; a busy machine is given more time to find it out."""
    said = ""
    for patience in (patience_s, 10 * patience_s, 100 * patience_s):
        if why not in said:
            with pytest.raises(HardwareError) as raised:
                SerialScannerBank(device, 115200, TERMS, patience_s=patience)
            said = str(raised.value)
    assert why in said


@pytest.mark.parametrize(
    ("spoil", "why"),
    few(
        [
            (lambda end: setattr(end, "versions", (3,)), "protocol version 3, expected 2"),
            (lambda end: setattr(end, "_channels", 44), "44 nodes of kind presence, expected 45"),
            (lambda end: setattr(end, "take", lambda data: b"OK\r\n"), "no answer to hello"),
            (lambda end: setattr(end, "due", lambda: b"") or setattr(end, "take", lambda data: b""), "does not answer"),
        ],
        2,
    ),
)
def test_what_does_not_fit_is_refused_at_the_start_with_the_reason(
    spoil: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_host.extensions.scanner.link.HELLO_PATIENCE_S", 0.5)
    scanner = SimulatedScanner(45, "presence", lambda: [0] * 45)
    spoil(scanner.end)
    try:
        refused(scanner.pattern, why, 1.2)
    finally:
        scanner.close()


def test_nothing_there_is_said_so() -> None:
    refused("/dev/lodestone-none*", "nothing is at /dev/lodestone-none*: is it plugged in")


def test_what_is_no_serial_port_is_said_so(tmp_path: Any) -> None:
    (tmp_path / "ttyACM0").write_text("a file")
    refused(f"{tmp_path}/ttyACM0", "ttyACM0: can't be opened")


def test_two_programs_do_not_share_a_scanner() -> None:
    with bench() as at:
        refused(at.scanner.pattern, "another program uses it")


def test_close_lets_go_of_the_port_and_a_scan_says_so() -> None:
    with bench() as at:
        at.bank.close()
        assert "closed" in str(at.lost())
        at.bank = SerialScannerBank(at.scanner.pattern, 115200, TERMS)
        at.until(at.shows)


# -- opened by a board file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "count", "changes"),
    [("presence", 45, False), ("polarity", 127, False), ("level", 45, False), ("level", 189, True)],
)
def test_a_simulated_board_of_scheme_serial_reads_its_world(kind: str, count: int, changes: bool) -> None:
    """If snapshots would fill the line, only changes are requested."""
    clock = Clock()
    board = SimulatedBoard(replace(described("serial", kind, count), scan_hz=50), clock)
    sensors = board.sensors()
    try:
        assert isinstance(sensors, PluggedBank)
        assert isinstance(sensors.bank, SerialScannerBank)
        assert sensors.bank.link.terms.changes == changes
        for index in range(0, count, 7):
            board.world.put(f"n{index}", "w")
        clock.now += 10
        stones = dict.fromkeys(range(0, count, 7), "w")
        eventually(lambda: reads(sensors, kind, stones, count), pause=0.005)
    finally:
        sensors.close()
    (scanner,) = board.breadboard.plugged
    assert isinstance(scanner, SimulatedScanner)
    assert not scanner.folder.exists(), "nothing is left of its device"


def reads(sensors: SensorBank, kind: str, stones: dict[int, str], count: int) -> bool:
    with suppress(HardwareError):  # A busy machine may have been silent for too long.
        return agrees(list(sensors.scan()), kind, stones, count)
    return False


def test_more_nodes_than_one_frame_carries_are_refused() -> None:
    with pytest.raises(HardwareError, match="test: expected at most 244 nodes of kind level on one scanner, got 245"):
        SimulatedBoard(described("serial", "level", 245), Clock()).sensors()


def spoilt(data: bytes) -> bytes:
    """Return frames after a line without a common ground: their bytes change, the zeros between them stay."""
    return bytes(byte ^ 0x40 if byte not in {0x00, 0x40} else byte for byte in data)


def test_damaged_frames_are_no_silence_and_the_time_until_which_it_worked_is_told() -> None:
    with bench() as at:
        at.scanner.to_host = spoilt
        at.until(lambda: is_in("frames came, all damaged (wrong", str(at.lost())))
        assert re.search(r"it worked until \d\d:\d\d; \d+ frames came", str(at.lost()))
        assert "silent" not in str(at.lost())
        at.scanner.to_host = lambda data: b""
        at.until(lambda: is_in("Unplug it and plug", str(at.lost())))


def test_an_ear_tells_silence_from_damage() -> None:
    counters = Counters()
    loss_reason = LossReason(counters, lambda: "20:14")
    counters.dropped = 412
    told = sentence("all damaged", count=412)
    assert loss_reason.words("has been silent").startswith(told)
    counters.frames = 1
    loss_reason.update(working=True)
    assert loss_reason.words("has been silent") == sentence(
        "Unplug it and plug", time="20:14", reason="has been silent"
    )
    counters.dropped += 1
    assert "has been silent" in loss_reason.words("has been silent"), "one damaged frame is an accident"
    counters.dropped += 9
    assert loss_reason.words("has been silent").startswith("it worked until 20:14; 10 frames came, all damaged")
