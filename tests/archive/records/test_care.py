"""The journal backed up, verified and repaired from the command line."""

from __future__ import annotations

import errno
import os
import random
import sys
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host import platform
from firmware_host.archive.backups import backups_of
from firmware_host.archive.journal import Journal
from firmware_host.commands.cli import main
from tests.archive.journal.damage import Left, flip, left_behind
from tests.archive.journal.journals import reopened
from tests.archive.records.recorder import Recorder
from tests.sentences import is_in, sentence


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    return left_behind(tmp_path_factory.mktemp("care") / "live", [40])[0]


def run(capsys: pytest.CaptureFixture[str], data: Path, *words: str) -> tuple[int, str]:
    """Return the exit code and what the command has said."""
    code = main(["record", *words, "--data", str(data)])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_a_damaged_log_is_never_in_order(tmp_path: Path, left: Left, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(1)
    wal = flip(left.wal[: 32 + 12 * 4120], b"", rng) + left.wal[32 + 12 * 4120 :]
    data = tmp_path / "games"
    path = left.lay(data, wal)
    for words in (("verify",), ("list",), ("show", "g1"), ("backup",)):
        code, said = run(capsys, data, *words)
        assert (code, is_in("events were written in it, and it ends", said)) == (1, True)
        assert "40 events" in said
        assert "`lodestone record repair`" in said
        assert "Traceback" not in said
    code, said = run(capsys, data, "repair")
    assert code == 0
    assert "Nothing is lost." in said
    assert is_in("damaged files are kept in", said)
    assert run(capsys, data, "verify") == (0, "the whole journal is in order\n")
    assert run(capsys, data, "repair") == (0, "the whole journal is in order; nothing was changed\n")
    assert reopened(path) == left.entries


def test_a_rotten_event_is_taken_from_a_backup(tmp_path: Path, left: Left, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "games"
    path = left.lay(data, left.wal)
    journal = Journal(path)
    assert run(capsys, data, "backup")[0] == 0
    journal.close()
    assert len(backups_of(path)) == 1
    rotten = path.read_bytes().replace(left.entries[19].hash.encode(), b"0" * 64)
    path.write_bytes(rotten)
    code, said = run(capsys, data, "verify")
    assert (code, "event 20 is damaged" in said) == (1, True)
    code, said = run(capsys, data, "repair")
    assert (code, "Nothing is lost." in said) == (0, True)
    assert reopened(path) == left.entries


def test_a_flipped_bit_in_the_first_event_loses_nothing(
    tmp_path: Path, left: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is in the second copy, although no game has ended, and there is no backup."""
    data = tmp_path / "games"
    path = left.lay(data)
    content = bytearray(path.read_bytes())
    content[content.index(b'"n":0,') + 4] ^= 1
    path.write_bytes(content)
    assert run(capsys, data, "verify")[0] == 1
    code, said = run(capsys, data, "repair")
    assert (code, "Nothing is lost." in said) == (0, True)
    assert reopened(path) == left.entries
    assert run(capsys, data, "verify") == (0, "the whole journal is in order\n")


def test_a_folder_in_the_place_of_the_second_copy_is_named_and_put_aside(
    tmp_path: Path, left: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "games"
    path = left.lay(data)
    copy = path.with_name("journal.sqlite.copy")
    copy.unlink(missing_ok=True)
    copy.mkdir()
    code, said = run(capsys, data, "verify")
    assert (code, f"{copy}: " in said) == (1, True)
    code, said = run(capsys, data, "repair")
    assert (code, is_in("was put in its place", said)) == (0, True)
    assert run(capsys, data, "verify")[0] == 0


def test_without_one_everything_before_it_is_saved(
    tmp_path: Path, left: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "games"
    path = left.lay(data, left.wal, left.copy_without(20))
    path.write_bytes(path.read_bytes().replace(left.entries[19].hash.encode(), b"0" * 64))
    path.with_name("journal.sqlite-wal").unlink()
    code, said = run(capsys, data, "repair")
    assert code == 0
    assert sentence("events are lost: it now", count=21, day="2026-11-21", time="10:00", seq=19, game="g1") in said
    assert reopened(path) == left.entries[:19]
    assert run(capsys, data, "verify") == (0, "the whole journal is in order\n")


def test_what_is_not_ours_is_not_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_text("notes" * 100)
    code, said = run(capsys, tmp_path, "repair")
    assert (code, "no event of it can be read, and there is no backup" in said) == (1, True)
    assert path.read_text() == "notes" * 100
    path.unlink()
    journal = Journal(path)
    assert "another program" in run(capsys, tmp_path, "repair")[1]
    journal.append("g1", "opens", {}, "")
    journal._db.execute("PRAGMA user_version = 2")
    journal.close()
    before = path.read_bytes()
    assert "written by a newer program" in run(capsys, tmp_path, "repair")[1]
    assert path.read_bytes() == before


def test_an_exported_record_is_written_byte_for_byte_or_not_at_all(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows would end its lines in another way, and a full disk would leave half of it in the old one's place."""
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        Recorder(journal, "spokes-1").place()
    out = tmp_path / "game.jsonl"
    words = ["record", "export", "spokes-1", "--data", str(tmp_path)]
    assert main([*words, "--out", str(out)]) == 0
    content = out.read_bytes()
    with os.fdopen(os.dup(1), "w", encoding="cp1252", newline="\r\n") as piped, monkeypatch.context() as windows:
        windows.setattr(sys, "stdout", piped)
        assert main(words) == 0
    assert capfdbinary.readouterr().out == content
    assert main(["record", "verify", str(out)]) == 0

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(platform, "sync", full)
    assert main([*words, "--out", str(out)]) == 1
    assert b"No space left" in capfdbinary.readouterr().err
    assert out.read_bytes() == content
    assert [path.name for path in tmp_path.glob(".game*")] == []


def test_a_backup_is_made_while_a_game_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    recorder = Recorder(journal, "spokes-1")
    recorder.place()
    out = tmp_path / "stick" / "games.sqlite"
    assert run(capsys, tmp_path, "backup", "--out", str(out)) == (0, f"all games are in {out}\n")
    recorder.go_on()
    assert "is there already" in run(capsys, tmp_path, "backup", "--out", str(out))[1]
    copy = Journal(out, writer=False)
    assert [one.id for one in copy.games()] == ["spokes-1"]
    copy.close()
    journal.close()
    assert "does not exist" in run(capsys, tmp_path / "none", "backup")[1]
