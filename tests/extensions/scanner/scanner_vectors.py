"""The tables of scanner-protocol.md, with which all hosts and scanners must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from firmware_host.extensions import scanner
from firmware_host.extensions.scanner.link import FrameReader, ScannerFrame, encode

PAGE = Path(scanner.__file__).parent / "scanner-protocol.md"
FRESH = encode("H", 0, b"\2", 1)
END = (encode("H", 0, b"\1", 1) + encode("H", 1, b"\2", 1) + encode("P", 2), ["1 h", "2 h", "2 p"])


def rows(name: str) -> list[list[str]]:
    """Return the cells of a table of the page."""
    _, _, rest = PAGE.read_text().partition(f"<!-- vectors {name} -->\n")
    lines = rest.split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def hexadecimal(cell: str) -> bytes:
    return bytes.fromhex(cell.strip("`"))


def told(frame: ScannerFrame) -> str:
    return f"{frame.version} {frame.type} {frame.seq} `{frame.body.hex(' ')}`".removesuffix(" ``")


def answers(say: Callable[[bytes], Iterable[bytes]], wanted: str, data: bytes) -> None:
    """Send a line of the page to a scanner and compare; ``say`` sends bytes and yields the answer in pieces."""
    reader, got = FrameReader(), []
    expected = ["2 h"] + ([] if wanted == "nothing" else wanted.split(", ")) + END[1]
    for answer in say(b"\0" + FRESH + data + END[0]):
        got += [f"{frame.version} {frame.type}" for frame in reader.feed(answer)]
        if got[-3:] == END[1]:
            break
    assert got == expected
    assert reader.dropped == 0
