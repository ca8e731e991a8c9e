"""A scanner in the Wi-Fi: the channel against everything a meddler can do, and the driver over real TCP connections."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import select
import socket
import threading
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.boardfile.load import load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.device.channel import MAGIC, MAX_BYTES, Channel, Forgery, Hmac
from firmware_host.extensions.scanner.link import Terms
from firmware_host.extensions.scanner.simulated import SimulatedScanner
from firmware_host.extensions.scanner.wireless import WirelessPort, address_of, code_bytes, new_code
from hw.ports import HardwareError
from tests.extensions.scanner import scanner_vectors

CODE = "7K2M-90QT-XW4B-C8NE"
OTHER = "7K2M-90QT-XW4B-C8NF"
PROVED = 600
"""Bytes of a scanner that hold its proof, its hello and some reports."""
TERMS = Terms(45, "presence", 20, least_silence_s=1.5)


def channels(code: str = CODE, other: str = CODE, seed: int = 0) -> tuple[Channel, Channel]:
    """Return both ends, host first, before anything was sent."""
    random = Random(seed)
    nonces = random.randbytes(16), random.randbytes(16)
    return Channel(code_bytes(code), nonces[0], False), Channel(code_bytes(other), nonces[1], True)


def joined(seed: int = 0) -> tuple[Channel, Channel]:
    host, scanner = channels(seed=seed)
    _, proof = host.receive(scanner.greeting())
    _, answer = scanner.receive(proof)
    assert host.receive(answer) == (b"", b"")
    assert host.ready
    assert scanner.ready
    return host, scanner


# -- the channel -----------------------------------------------------------------------------------------------------


def test_the_bytes_are_those_of_the_page() -> None:
    found = [scanner_vectors.hexadecimal(row[2]) for row in scanner_vectors.rows("wifi")]
    host = Channel(code_bytes(CODE), bytes(range(16, 32)), False)
    scanner = Channel(code_bytes(CODE), bytes(range(16)), True)
    sent = [scanner.greeting()]
    sent.append(host.receive(sent[0])[1])
    sent.append(scanner.receive(sent[1])[1])
    host.receive(sent[2])
    hello, pong = bytes.fromhex("0002480402 58d200"), bytes.fromhex("080270034af3253000")
    sent += [host.seal(hello), scanner.seal(pong), scanner.seal(pong)]
    assert sent == found
    assert scanner.receive(found[3]) == (hello, b"")
    assert host.receive(found[4] + found[5]) == (pong + pong, b"")


@given(key=st.binary(min_size=1, max_size=64), data=st.binary(max_size=300))
def test_hmac_is_the_library_s(key: bytes, data: bytes) -> None:
    assert Hmac(key).digest(data) == hmac.digest(key, data, hashlib.sha256)


@given(
    told=st.lists(st.tuples(st.booleans(), st.binary(min_size=1, max_size=MAX_BYTES * 2 + 5)), max_size=8),
    cuts=st.lists(st.integers(1, 40), min_size=1),
)
def test_what_is_sent_arrives_however_it_is_cut(told: list[tuple[bool, bytes]], cuts: list[int]) -> None:
    host, scanner = joined()
    for by_host, data in told:
        sender, receiver = (host, scanner) if by_host else (scanner, host)
        sealed, got, at = sender.seal(data), b"", 0
        while sealed:
            piece, sealed = sealed[: cuts[at % len(cuts)]], sealed[cuts[at % len(cuts)] :]
            got += receiver.receive(piece)[0]
            at += 1
        assert got == data


@given(data=st.data(), parts=st.lists(st.binary(min_size=1, max_size=40), min_size=2, max_size=6))
def test_a_meddler_can_end_it_and_change_nothing(data: st.DataObject, parts: list[bytes]) -> None:
    host, scanner = joined()
    records = [scanner.seal(part) for part in parts]
    at = data.draw(st.integers(0, len(records) - 1))
    deed = data.draw(st.sampled_from(["flip", "repeat", "drop", "exchange", "back", "other connection"]))
    if deed == "flip":
        place = data.draw(st.integers(0, len(records[at]) - 1))
        mask = data.draw(st.integers(1, 255))
        records[at] = records[at][:place] + bytes([records[at][place] ^ mask]) + records[at][place + 1 :]
    elif deed == "repeat":
        records.insert(at, records[at])
    elif deed == "drop":
        records.pop(at)
    elif deed == "exchange":
        records[at], records[at - 1] = records[at - 1], records[at]
    elif deed == "back":
        records[at] = host.seal(parts[at])
    else:
        records[at] = joined(seed=1)[1].seal(parts[at])
    got = b""
    with contextlib.suppress(Forgery):
        for record in records:
            got += host.receive(record)[0]
    assert b"".join(parts).startswith(got), "a beginning of what was sent, in its order, and nothing else"


@given(st.binary(max_size=80))
def test_strangers_are_never_let_in(noise: bytes) -> None:
    for is_scanner in (False, True):
        end = Channel(code_bytes(CODE), bytes(16), is_scanner)
        with contextlib.suppress(Forgery):
            payload, _ = end.receive(noise)
            assert payload == b""
        assert not end.ready


def test_another_code_is_noticed_by_the_scanner_and_a_false_scanner_by_the_host() -> None:
    host, scanner = channels(CODE, OTHER)
    _, proof = host.receive(scanner.greeting())
    with pytest.raises(Forgery, match="code"):
        scanner.receive(proof)
    with pytest.raises(Forgery, match="code"):
        host.receive(bytes(16))
    with pytest.raises(Forgery, match="no scanner"):
        channels()[0].receive(b"HTTP/1.1 200 OK")
    assert MAGIC == b"LS\1"


def test_addresses_and_codes() -> None:
    assert address_of("tcp://lodestone-scanner.local") == ("lodestone-scanner.local", 7011)
    assert address_of("tcp://192.168.1.20:9000") == ("192.168.1.20", 9000)
    for wrong in (
        "tcp://",
        "tcp://x:0",
        "tcp://x:70000",
        "tcp://x/y",
        "tcp://-x",
        "tcp://scanner..local",
        f"tcp://{'x' * 64}.local",
    ):
        with pytest.raises(ValueError, match="expected tcp://NAME"):
            address_of(wrong)
    codes = {new_code() for _ in range(20)}
    assert len(codes) == 20
    assert {len(code_bytes(code)) for code in codes} == {16}
    with pytest.raises(ValueError, match="pairing code") as found:
        code_bytes("7K2M-90QT-XW4B-C8N")
    assert "C8N," not in str(found.value)
    assert "90QT-XW4B-C8N " not in str(found.value)


# -- the driver over TCP -----------------------------------------------------------------------------------------------


class Meddler:
    """A proxy between host and scanner that may change, repeat, hold back or end what passes."""

    def __init__(self, target: str) -> None:
        self.meddle: Callable[[bytes], bytes] = lambda data: data
        """What it makes of bytes on their way to the host, once reports come."""
        self.connections = 0
        self._target = address_of(target)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._door.getsockname()[1]}"
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                host, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(host,), daemon=True).start()

    def _pass_on(self, host: socket.socket) -> None:
        with host, contextlib.suppress(OSError), socket.create_connection(self._target) as scanner:
            passed = 0
            self.connections += 1
            while not self._ended.is_set():
                for end in select.select([host, scanner], [], [], 0.1)[0]:
                    data = end.recv(4096)
                    if not data:
                        return
                    if end is host:
                        scanner.sendall(data)
                    else:
                        passed += len(data)
                        host.sendall(self.meddle(data) if passed > PROVED else data)

    def close(self) -> None:
        self._ended.set()
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()


class Radio:
    """A scanner in the Wi-Fi with given readings, a meddler, and the driver behind it."""

    def __init__(self, code: str = CODE) -> None:
        self.readings = [0] * 45
        self.scanner = SimulatedScanner(45, "presence", lambda: list(self.readings), code=code_bytes(CODE))
        self.meddler = Meddler(self.scanner.pattern)
        try:
            self.bank = SerialScannerBank(self.meddler.address, 115200, TERMS, code=code)
        except BaseException:
            self.meddler.close()
            self.scanner.close()
            raise

    def lost(self) -> str:
        try:
            self.bank.scan()
        except HardwareError as error:
            return str(error)
        return ""

    def shows(self) -> bool:
        try:
            return list(self.bank.scan()) == self.readings
        except HardwareError:
            return False

    def until(self, what: Callable[[], Any]) -> None:
        waiting = threading.Event()
        for _ in range(12_000):
            if what():
                return
            waiting.wait(0.005)
        pytest.fail(f"{self.lost()} {self.bank.counters}")

    def close(self) -> None:
        self.bank.close()
        self.meddler.close()
        self.scanner.close()


@pytest.fixture
def radio() -> Iterator[Radio]:
    made = Radio()
    yield made
    made.close()


def test_readings_arrive(radio: Radio) -> None:
    random = Random(5)
    for _ in range(5):
        radio.readings[:] = [random.randint(0, 1) for _ in radio.readings]
        radio.until(radio.shows)
    assert radio.bank.counters.dropped == 0


def test_wi_fi_that_vanishes_is_a_silent_scanner_and_comes_back(radio: Radio) -> None:
    radio.until(radio.shows)
    radio.scanner.unplug()
    radio.until(radio.lost)
    radio.readings[7] = 1
    assert radio.lost(), "nothing is read from memory"
    radio.scanner.plug()
    radio.until(radio.shows)


def test_silence_is_a_loss(radio: Radio) -> None:
    radio.until(radio.shows)
    radio.scanner.to_host = lambda _: b""
    radio.until(lambda: "silent" in radio.lost())
    radio.scanner.to_host = None
    radio.until(radio.shows)


def test_a_reboot_is_survived(radio: Radio) -> None:
    radio.until(radio.shows)
    radio.scanner.reboot()
    radio.readings[3] = 1
    radio.until(radio.shows)


@pytest.mark.parametrize("deed", ["flip", "repeat", "cut"])
def test_whatever_a_meddler_does_no_reading_is_wrong(radio: Radio, deed: str) -> None:
    """The board changes from one state to one other: no third is ever read, and it goes on when it is left alone."""
    random = Random(deed)
    radio.until(radio.shows)
    before, after = tuple(radio.readings), (1,) * 45
    seen: set[tuple[int, ...]] = set()

    def meddled(data: bytes) -> bytes:
        at = random.randrange(len(data))
        if deed == "flip":
            return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
        return data + data if deed == "repeat" else data[:at]

    radio.meddler.meddle = meddled
    radio.readings[:] = after

    def looked() -> bool:
        with contextlib.suppress(HardwareError):
            seen.add(tuple(radio.bank.scan()))
        return radio.meddler.connections >= 4

    radio.until(looked)
    radio.meddler.meddle = lambda data: data
    radio.until(radio.shows)
    assert seen <= {before, after}


def test_strangers_at_the_door_disturb_nobody(radio: Radio) -> None:
    radio.until(radio.shows)
    losses = radio.bank.counters.losses
    with contextlib.ExitStack() as strangers:
        for noise in (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(32), bytes(300)):
            stranger = strangers.enter_context(socket.create_connection(address_of(radio.scanner.pattern)))
            stranger.sendall(noise)
        radio.readings[9] = 1
        radio.until(radio.shows)
    assert radio.bank.counters.losses == losses


def test_a_second_host_with_the_code_takes_its_place(radio: Radio) -> None:
    """As after a Pi's power cut: the old connection is still open at the scanner's end."""
    radio.until(radio.shows)
    second = SerialScannerBank(radio.scanner.pattern, 115200, TERMS, code=CODE)
    try:
        assert list(second.scan()) == radio.readings
    finally:
        second.close()
    radio.until(radio.shows)


def test_who_does_not_answer_rightly_is_named(radio: Radio, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HardwareError, match="another pairing code"):
        WirelessPort(radio.scanner.pattern, OTHER, 0.02)
    with pytest.raises(HardwareError, match="is it switched on"):
        WirelessPort("tcp://127.0.0.1:1", CODE, 0.02)
    monkeypatch.setattr("firmware_host.extensions.scanner.wireless.PROOF_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(HardwareError, match="does not answer"):
        WirelessPort(f"tcp://127.0.0.1:{mute.getsockname()[1]}", CODE, 0.02)


def test_a_name_that_the_network_can_not_look_up_is_a_scanner_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware_host.extensions.scanner.wireless.address_of", lambda _: ("scanner..local", 7011))
    with pytest.raises(HardwareError, match="is it switched on"):
        WirelessPort("tcp://scanner..local", CODE, 0.02)


def test_a_connection_that_ends_during_the_proof_is_named(radio: Radio, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(socket.socket, "sendall", refuse)
    with pytest.raises(HardwareError, match="has ended"):
        WirelessPort(radio.scanner.pattern, CODE, 0.02)


def test_whatever_fails_the_driver_tries_again(radio: Radio, monkeypatch: pytest.MonkeyPatch) -> None:
    radio.until(radio.shows)
    with monkeypatch.context() as patched:
        patched.setattr(SerialScannerBank, "_open", lambda *_: 1 // 0)
        patched.setattr(WirelessPort, "read", lambda *_: {}["nothing"])
        radio.until(lambda: "by zero" in radio.lost())
    radio.until(radio.shows)


# -- board files and commands ------------------------------------------------------------------------------------------


def test_a_board_is_paired_and_played(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["hardware", "pair", "--board", "spokes-45-serial", "--on", "esp32", "--code", CODE]) == 0
    assert f"pairing code {CODE}" in capsys.readouterr().out
    board = load_board(tmp_path / "spokes-45-serial.toml")
    assert board.options["device"] == "tcp://lodestone-scanner.local"
    assert board.options["microcontroller"] == "esp32"
    assert main(["hardware", "check", "--board", "./spokes-45-serial.toml", "--sim"]) == 0
    assert "nothing is bad" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('device = "tcp://scanner.local"', "code: expected the scanner's pairing code"),
        (f'device = "tcp://scanner..local"\ncode = "{CODE}"', "device: expected tcp://NAME"),
        (f'device = "tcp://scanner.local:99999"\ncode = "{CODE}"', "device: expected tcp://NAME"),
        (f'device = "tcp://scanner.local"\ncode = "{CODE}"\nmicrocontroller = "pico"', "with Wi-Fi (pico-w"),
    ],
)
def test_what_cant_work_is_refused(lines: str, why: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    assert main(["hardware", "pair", "--board", "spokes-45-serial", "--out", str(path)]) == 0
    text = path.read_text()
    for line in lines.splitlines():
        key = line.partition(" ")[0]
        text = "\n".join(line if old.startswith(f"{key} =") else old for old in text.splitlines())
    if "code" not in lines:
        text = "\n".join(old for old in text.splitlines() if not old.startswith("code ="))
    path.write_text(text)
    capsys.readouterr()
    assert main(["hardware", "check", "--board", str(path), "--sim"]) != 0
    assert why in capsys.readouterr().err
