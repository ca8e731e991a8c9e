"""One turned bit in the main file is told or harmless, whichever it is: the second copy has everything."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal
from tests.archive.journal.damage import Left
from tests.archive.journal.journals import AT, HEAD
from tests.sampling import few

PAGE = 4096
COUNT = 4


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return a running game whose log has been moved into the main file."""
    journal = Journal(tmp_path_factory.mktemp("left") / "journal.sqlite")
    entries = [journal.append("g1", "game", HEAD, AT)]
    entries += [journal.append("g1", "action", {"n": n, "text": "C6-D11-11, Grüße"}, AT) for n in range(COUNT - 1)]
    journal._checkpoint()
    files = {
        file.name: file.read_bytes() for file in journal.path.parent.iterdir() if file.suffix in {".copy", ".head"}
    }
    journal.close()
    return Left({**files, "journal.sqlite": journal.path.read_bytes()}, {}, entries)


def bits_of_text(left: Left) -> Iterable[int]:
    """Return the bits of every event's fields in the table, and in the index."""
    content = left.files["journal.sqlite"]
    for page in range(PAGE, len(content), PAGE):
        used = int.from_bytes(content[page + 5 : page + 7], "big") or PAGE
        yield from range((page + used) * 8, (page + PAGE) * 8)


def turned(left: Left, folder: Path, bits: Iterable[int], *, unattended: bool) -> Counter[str]:
    """Turn each of the bits alone, open the journal, and play on; count what was told."""
    seen: Counter[str] = Counter()
    for bit in bits:
        content = bytearray(left.files["journal.sqlite"])
        content[bit // 8] ^= 1 << bit % 8
        path = left.lay(folder / "games")
        path.write_bytes(content)
        where = f"byte {bit // 8}, bit {bit % 8}"
        try:
            journal = Journal(path, unattended=unattended)
        except Exception as error:
            raise AssertionError(f"{where}: {error}") from error
        try:
            faults = journal.take_faults()
            assert journal.trusted_entries("g1") == left.entries, where
            assert not journal.is_damaged, where
            journal.verify()
            journal.append("g1", "action", {"n": -1}, AT)
            assert all("lost" not in fault.replace("Nothing is lost", "") for fault in faults), (where, faults)
            seen["told" if faults else "harmless"] += 1
        finally:
            journal.close()
            shutil.rmtree(path.parent)
    return seen


@pytest.mark.parametrize("unattended", few([False, True], 1))
def test_a_turned_bit_of_a_text_or_of_the_schema_is_told(tmp_path: Path, left: Left, unattended: bool) -> None:
    seen = turned(left, tmp_path, list(bits_of_text(left))[3 + unattended :: 251], unattended=unattended)
    assert seen["told"] > 20
    assert not seen["harmless"]
    header = turned(left, tmp_path, [18 * 8, 56 * 8 + 1, 59 * 8 + 1, 63 * 8, 63 * 8 + 3, 68 * 8], unattended=unattended)
    assert header["told"] >= 4
    assert turned(left, tmp_path, range(100 * 8, PAGE * 8, 999), unattended=unattended)["told"] > 5


@pytest.mark.thorough
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("unattended", [False, True])
def test_every_bit_of_text_is_told(tmp_path: Path, left: Left, unattended: bool) -> None:
    seen = turned(left, tmp_path, bits_of_text(left), unattended=unattended)
    print(f"every bit of text: {dict(seen)}")
    # Before each event's texts SQLite notes how its number is kept: one bit there means another form of the same.
    assert seen["harmless"] == COUNT


@pytest.mark.thorough
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("unattended", [False, True])
def test_every_bit_of_the_schema_page_is_told_or_harmless(tmp_path: Path, left: Left, unattended: bool) -> None:
    seen = turned(left, tmp_path, range(PAGE * 8), unattended=unattended)
    print(f"every bit of the schema page: {dict(seen)}")
    assert seen["told"] > 1000
