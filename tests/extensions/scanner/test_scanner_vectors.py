"""The self-test of scanner-protocol.md, for the host and for the simulated scanner."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_host.extensions.scanner import simulated
from firmware_host.extensions.scanner.link import FrameReader, ScannerLink, Terms, encode
from firmware_host.extensions.scanner.simulated import ScannerEnd
from lodestone.boards import Clock
from tests.extensions.scanner import scanner_vectors
from tests.sampling import together


@together(("name", "data", "understood"), scanner_vectors.rows("to-host"))
def test_the_host_makes_of_it_what_the_page_says(name: str, data: str, understood: str) -> None:
    line = scanner_vectors.hexadecimal(data)
    assert line.endswith(b"\0")
    reader = FrameReader()
    got = [scanner_vectors.told(frame) for frame in reader.feed(line)]
    assert got == ([] if understood == "dropped" else [understood])
    assert bool(reader.dropped) == (understood == "dropped")


@pytest.mark.parametrize(("mode", "sequence", "missed", "again"), scanner_vectors.rows("missing"))
def test_missing_frames_are_counted_and_asked_for_as_the_page_says(
    mode: str, sequence: str, missed: str, again: str
) -> None:
    numbers = [int(number) for number in sequence.split()]
    link = ScannerLink(Terms(5, "presence", 10, changes=mode == "changes"))
    link.open(0.0)
    link.receive(encode("h", numbers[0] - 2 & 0xFF, b"\2\0\5\0test"), 0.0)
    link.receive(encode("s", numbers[0] - 1 & 0xFF, bytes(5)), 0.0)
    said = b""
    for number in numbers:
        body = bytes(4) + (b"\0" if mode == "snapshots" else b"\0\1\1")
        said += link.receive(encode("s" if mode == "snapshots" else "d", number, body), 0.1)
    assert link.counters.missed == int(missed)
    assert [frame.type for frame in FrameReader(frozenset("HCRP")).feed(said)] == (["C", "R"] if again == "yes" else [])


@together(("name", "data", "wanted"), scanner_vectors.rows("to-scanner"))
def test_the_simulated_scanner_answers_as_the_page_says(name: str, data: str, wanted: str) -> None:
    end = ScannerEnd(5, "presence", lambda: [0] * 5, Clock())
    end.due()
    scanner_vectors.answers(lambda said: [end.take(said)], wanted, scanner_vectors.hexadecimal(data))


def test_the_simulated_scanner_knows_nothing_of_the_host_s_end() -> None:
    """Its end is written from the page: so both can't share a fault."""
    text = Path(simulated.__file__).read_text(encoding="utf-8")
    known = set(re.findall(r"^from (firmware_host\S+) import", text, re.MULTILINE))
    package = "firmware_host.extensions.scanner"
    assert known == {f"{package}.device.channel", f"{package}.wireless"}
