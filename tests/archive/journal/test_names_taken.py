"""What is no file in the place of one of a journal's files is put aside; the journal opens, and nothing is lost."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive.files import LOCK, beside
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_rescue import READ, WORKING
from tests.archive.journal.journals import fill, refusal, reopened
from tests.sentences import is_in


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_text("my notes")


KINDS = pytest.mark.parametrize("make", [_folder, os.mkfifo], ids=["folder", "pipe"])


@pytest.fixture
def taken(path: Path) -> Callable[[str, Callable[[Path], None]], Path]:
    journal = Journal(path)
    fill(journal, 3)
    journal.close()

    def take(suffix: str, make: Callable[[Path], None]) -> Path:
        place = beside(path, suffix)
        place.unlink(missing_ok=True)
        make(place)
        return place

    return take


@KINDS
@pytest.mark.parametrize("suffix", [*READ, LOCK, *WORKING])
def test_it_is_put_aside_and_told(
    path: Path, taken: Callable[..., Path], make: Callable[[Path], None], suffix: str
) -> None:
    place = taken(suffix, make)
    journal = Journal(path)
    (told,) = journal.take_faults()
    assert is_in("was put in its place", told)
    assert str(place) in told
    fill(journal, 1)
    journal.close()
    assert len(reopened(path)) == 4
    (aside,) = path.parent.glob("replaced-*")
    assert str(aside) in told
    if make is _folder:
        assert (aside / "mine").read_text() == "my notes"
    else:
        assert (aside / place.name).is_fifo()


@KINDS
@pytest.mark.parametrize("suffix", [*READ, LOCK])
def test_also_when_the_open_journal_is_mended(
    path: Path, taken: Callable[..., Path], make: Callable[[Path], None], suffix: str
) -> None:
    journal = Journal(path)
    taken(suffix, make)
    journal.mend()
    fill(journal, 1)
    journal.close()
    assert len(reopened(path)) == 4


@KINDS
@pytest.mark.parametrize("suffix", READ)
def test_a_reader_names_it_and_leaves_it(
    path: Path, taken: Callable[..., Path], make: Callable[[Path], None], suffix: str
) -> None:
    place = taken(suffix, make)
    assert f"{place}: " in refusal(lambda: Journal(path, writer=False))
    assert not place.is_file()


def test_a_reader_needs_no_lock(path: Path, taken: Callable[..., Path]) -> None:
    taken(LOCK, _folder)
    Journal(path, writer=False).close()


@pytest.mark.parametrize("writer", [True, False])
def test_a_pipe_in_the_place_of_the_journal_itself_is_refused(tmp_path: Path, writer: bool) -> None:
    os.mkfifo(tmp_path / "journal.sqlite")
    assert "no file" in refusal(lambda: Journal(tmp_path / "journal.sqlite", writer=writer, unattended=writer))


@KINDS
def test_what_is_no_file_among_the_backups_hinders_no_rescue(path: Path, make: Callable[[Path], None]) -> None:
    journal = Journal(path)
    fill(journal, 3)
    journal.close()
    (path.parent / "backups").mkdir()
    make(path.parent / "backups" / f"{path.stem}-20261121T100000000000Z-1.sqlite")
    path.unlink()
    assert len(reopened(path)) == 3


def test_a_note_of_any_length_is_read_to_its_bound(path: Path, taken: Callable[..., Path]) -> None:
    def write_long(place: Path) -> None:
        with place.open("wb") as file:
            file.truncate(1 << 34)

    taken(".head", write_long)
    assert len(reopened(path)) == 3
