"""A data folder goes into one file and comes out of it again: all of it, or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host import platform
from firmware_host.archive.backups import BackupsAtTheEnd
from firmware_host.archive.journal import Journal, JournalError, take_writers_lock
from firmware_host.commands.cli import main
from firmware_host.extensions.appliance import backup as restoring
from firmware_host.extensions.appliance.backup import (
    JOURNAL,
    MANIFEST,
    make_backup,
    passing_folder,
    remove_left,
    restore,
)
from firmware_host.link.common_log import RoomFile
from firmware_host.text.words import Refused
from tests.archive.journal.journals import AT, HEAD, fill
from tests.rights import bound, can_be_bound
from tests.sampling import cases, few
from tests.waiting import eventually

HELD = {"key": b"k" * 32, "host": b"aVeryOwnHostsTokenHere\n", "lights.json": b"{}", "puzzles/coil.jsonl": b"{}\n"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which games were played, and a table is still open."""
    folder = tmp_path / "lodestone"
    for name, content in HELD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in ("backups/old.sqlite", "demo/key", ".half", "log/lodestone.log", "listens"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("not in it")
    return folder


def games(folder: Path, count: int) -> None:
    journal = Journal(folder / JOURNAL)
    journal.append("g1", "game", HEAD, AT)
    journal.append("g1", "start", {}, AT)
    fill(journal, count)
    journal.close()


def everything(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, but for the files that any reader of a journal leaves beside it."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_all_comes_back_from_a_table_that_is_open(data: Path, tmp_path: Path) -> None:
    journal = Journal(data / JOURNAL)
    entries = fill(journal, 40)
    board = tmp_path / "my-board.toml"
    board.write_text("measured")
    file = tmp_path / "out" / "all.zip"
    make_backup(data, file, "1.0", boards=[board])
    journal.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["all.zip"]
    fresh = tmp_path / "elsewhere" / "data"
    assert restore(file, fresh) is None
    found = everything(fresh)
    assert {name: found.pop(name) for name in HELD} == HELD
    assert found.pop("boards/my-board.toml") == b"measured"
    assert list(found) == [JOURNAL]
    again = Journal(fresh / JOURNAL)
    assert again.entries("g1") == entries
    again.close()
    assert [path.name for path in fresh.parent.iterdir()] == ["data"]


def test_a_folder_with_games_stays_unless_it_is_asked_for_and_is_kept_then(data: Path, tmp_path: Path) -> None:
    games(data, 3)
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    games(data, 4)
    before = everything(data)
    with pytest.raises(Refused, match="games are kept there; with --replace"):
        restore(file, data)
    assert everything(data) == before
    kept = restore(file, data, replace=True)
    assert kept is not None
    assert everything(kept) == before
    assert set(everything(data)) == {*HELD, JOURNAL}


def test_it_is_all_or_nothing_without_an_exchange_of_names_too(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games(data, 3)
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    monkeypatch.setattr(platform, "exchange", lambda *_: False)
    rename = os.rename

    def failing(source: Path, target: Path) -> None:
        if target == data and "restored" in str(source):
            raise OSError(5, "Input/output error")
        rename(source, target)

    before = everything(data)
    monkeypatch.setattr(restoring.os, "rename", failing)
    with pytest.raises(Refused, match="Input/output error"):
        restore(file, data, replace=True)
    assert everything(data) == before
    monkeypatch.setattr(restoring.os, "rename", rename)
    assert restore(file, data, replace=True) is not None


def test_the_keys_of_a_room_and_of_a_club_are_secrets(data: Path, tmp_path: Path) -> None:
    """They go into no backup without secrets, and a restored folder keeps its own, each database with its own files."""
    (data / "club").mkdir()
    databases = [data / name for name in ("room.sqlite", "club.sqlite", "club/club.sqlite")]
    words = [data / name for name in ("club/key", "club/host")]
    note(data / "club" / "archive.sqlite", "results").close()
    for path in databases:
        note(path, "of now").close()
    for path in words:
        path.write_text("of now")
    file = tmp_path / "public.zip"
    found = make_backup(data, file, "1.0", with_secrets=False)
    assert found == ["club/archive.sqlite", "lights.json", "puzzles/coil.jsonl"]
    restore(file, data)
    assert {noted(path) for path in databases} == {path.read_text() for path in words} == {"of now"}
    make_backup(data, tmp_path / "whole.zip", "1.0")
    note(data / "room.sqlite", "of later").close()
    (data / "room.sqlite-wal").write_bytes(b"another database's")
    restore(tmp_path / "whole.zip", data)
    assert noted(data / "room.sqlite") == "of now"


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
def test_what_was_put_aside_because_it_can_not_be_read_is_in_no_backup(data: Path, tmp_path: Path) -> None:
    """Any other file that can't be read is told: a backup without it would not be whole."""
    (data / "replaced-1").mkdir()
    (data / "replaced-1" / "key").touch(mode=0)
    (data / "replaced-2").mkdir(mode=0)
    assert bound(lambda: make_backup(data, tmp_path / "all.zip", "1.0")) == sorted(HELD)
    (data / "lights.json").chmod(0)
    with pytest.raises(Refused, match=r"lights\.json"):
        bound(lambda: make_backup(data, tmp_path / "more.zip", "1.0"))


def note(path: Path, words: str) -> sqlite3.Connection:
    """Write into a database with a log of its own, in which the words stay as long as the connection is open."""
    found = sqlite3.connect(path, isolation_level=None)
    found.execute("PRAGMA journal_mode = WAL").fetchall()
    found.execute("CREATE TABLE IF NOT EXISTS note (words TEXT)")
    found.execute("DELETE FROM note")
    found.execute("INSERT INTO note VALUES (?)", (words,))
    return found


def noted(path: Path) -> str:
    with closing(sqlite3.connect(path)) as found:
        return str(found.execute("SELECT words FROM note").fetchone()[0])


def test_what_databases_have_not_moved_yet_is_in_a_backup(data: Path, tmp_path: Path) -> None:
    """Each is copied by SQLite, at one moment, while its program writes; none of its own files is in the backup."""
    with closing(RoomFile(data / "room.sqlite")) as kept, closing(note(data / "archive.sqlite", "last")):
        kept.keep("name", "Hall")
        found = make_backup(data, tmp_path / "all.zip", "1.0")
    assert [name for name in found if "sqlite" in name] == ["archive.sqlite", "room.sqlite"]
    restore(tmp_path / "all.zip", tmp_path / "fresh")
    assert noted(tmp_path / "fresh/archive.sqlite") == "last"
    with closing(RoomFile(tmp_path / "fresh/room.sqlite")) as kept:
        assert kept.setting("name") == "Hall"


@pytest.mark.parametrize("name", ["results.db", "archive", "club/may.sqlite3"])
def test_a_database_is_known_by_its_content(data: Path, tmp_path: Path, name: str) -> None:
    """Whatever it is called: it is copied whole, its own files beside it are not, and a damaged one is told."""
    (data / name).parent.mkdir(exist_ok=True)
    with closing(note(data / name, "last")):
        assert (data / f"{name}-wal").exists()
        (data / f"{name}-journal").write_bytes(b"")
        (data / f"{name}.lock").write_bytes(b"1\n")
        (data / "notes-wal").write_text("no database is beside it")
        found = make_backup(data, tmp_path / "all.zip", "1.0")
    assert [one for one in found if "-" in one or name in one] == sorted([name, "notes-wal"])
    restore(tmp_path / "all.zip", tmp_path / "fresh")
    assert noted(tmp_path / "fresh" / name) == "last"

    note(data / name, "x" * 100_000).close()
    whole = (data / name).read_bytes()
    (data / name).write_bytes(whole[:8000] + bytes(4000) + whole[12_000:])
    with pytest.raises(Refused, match="the database is damaged"):
        make_backup(data, tmp_path / "second.zip", "1.0")
    bad = (data / name).read_bytes()
    digest = hashlib.sha256(bad).hexdigest()
    torn = rewritten(tmp_path / "all.zip", tmp_path / "torn.zip", name, bad, listed=True, digest=digest)
    assert "the database is damaged" in said_of(torn, tmp_path)


def test_a_backup_under_load_tears_nothing(data: Path, tmp_path: Path) -> None:
    """While a program writes as fast as it can each copy is of one moment, from before it began to after its end."""
    path, stop, written = data / "club.sqlite", threading.Event(), [0]
    found = note(path, "0")
    found.execute("CREATE TABLE also (words TEXT)")
    found.close()

    def write() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as mine:
            while not stop.is_set():
                words = str(written[0] + 1) * 3000  # Pages of their own in both tables.
                mine.execute("BEGIN IMMEDIATE")
                mine.execute("UPDATE note SET words = ?", (words,))
                mine.execute("DELETE FROM also")
                mine.execute("INSERT INTO also VALUES (?)", (words,))
                mine.execute("COMMIT")
                written[0] += 1

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for number in range(5):
                eventually(lambda: written[0] > number or writing.done(), "the program writes")  # noqa: B023
                before = written[0]
                make_backup(data, tmp_path / f"{number}.zip", "1.0")
                after = written[0]
                restore(tmp_path / f"{number}.zip", tmp_path / f"{number}")
                with closing(sqlite3.connect(tmp_path / f"{number}" / "club.sqlite")) as copy:
                    (one,), (other,) = copy.execute(
                        "SELECT words FROM note UNION ALL SELECT words FROM also"
                    ).fetchall()
                assert one == other
                assert before <= int(one[: len(one) // 3000]) <= after + 1
        finally:
            stop.set()
        writing.result()


def test_a_damaged_database_replaces_nothing(data: Path, tmp_path: Path) -> None:
    """It goes into no backup, and no folder is restored with it; what a rescue has put aside may be damaged."""
    note(data / "club.sqlite", "x" * 100_000).close()
    whole = (data / "club.sqlite").read_bytes()
    aside = data / "damaged-20260501T180000Z"
    aside.mkdir()
    (aside / "club.sqlite").write_bytes(whole[:-5000])
    make_backup(data, tmp_path / "all.zip", "1.0")
    (data / "club.sqlite").write_bytes(whole[:8000] + bytes(4000) + whole[12_000:])
    with pytest.raises(Refused, match=r"club\.sqlite: the database is damaged .*; move it out of the folder"):
        make_backup(data, tmp_path / "bad.zip", "1.0")
    bad = (data / "club.sqlite").read_bytes()
    digest = hashlib.sha256(bad).hexdigest()
    torn = rewritten(tmp_path / "all.zip", tmp_path / "torn.zip", "club.sqlite", bad, listed=True, digest=digest)
    assert "club.sqlite: the database is damaged" in said_of(torn, tmp_path)
    assert not (tmp_path / "bad.zip").exists()
    restore(tmp_path / "all.zip", data)
    assert noted(data / "club.sqlite") == "x" * 100_000


def test_nothing_is_restored_under_a_running_club(data: Path, tmp_path: Path) -> None:
    """Nor under a table's room: its program would go on writing into the folder that was put aside."""
    make_backup(data, tmp_path / "all.zip", "1.0")
    (data / "club").mkdir()
    for name in ("room.sqlite", "club/club.sqlite"):
        with closing(RoomFile(data / name)), pytest.raises(Refused, match="is in use: another program"):
            restore(tmp_path / "all.zip", data, replace=True)
    restore(tmp_path / "all.zip", data, replace=True)


def test_nothing_is_restored_under_a_running_table(data: Path, tmp_path: Path) -> None:
    games(data, 3)
    make_backup(data, tmp_path / "all.zip", "1.0")
    guard = take_writers_lock(data / JOURNAL, print)
    with pytest.raises(JournalError, match="another program"):
        restore(tmp_path / "all.zip", data, replace=True)
    os.close(guard)


def test_without_secrets_the_folder_keeps_its_own(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    assert make_backup(data, file, "1.0", with_secrets=False) == ["lights.json", "puzzles/coil.jsonl"]
    with zipfile.ZipFile(file) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert b"aVeryOwn" not in whole
    assert b"kkkk" not in whole
    (data / "key").write_bytes(b"n" * 32)
    restore(file, data)
    assert (data / "key").read_bytes() == b"n" * 32
    restore(file, tmp_path / "fresh")
    assert not (tmp_path / "fresh" / "key").exists()


def rewritten(
    file: Path, target: Path, name: str, content: bytes, *, listed: bool = False, digest: str = "0" * 64
) -> Path:
    """Write a backup anew with other content for one file; ``listed``: the manifest names it, with this digest."""
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w") as into:
        held = {one: source.read(one) for one in source.namelist()}
        held[name] = content
        if listed:
            manifest = json.loads(held[MANIFEST])
            manifest["files"][name] = {"size": len(content), "sha256": digest}
            held[MANIFEST] = json.dumps(manifest).encode()
        for one, words in held.items():
            into.writestr(one, words)
    return target


NOWHERE = ("C:/Users/Public/Startup/more.bat", "C:more", "boards/a:stream", "boards\\more", "//server/share/more",
           "boards/../../more", "boards//more", "NUL", "boards/com1.toml", "Aux .toml", "boards/more.", "boards /more",
           "more\n", "more\x7f")  # fmt: skip
FOREIGN = ("journal.sqlite-wal", "journal.sqlite.rescued", "boards/journal.sqlite.head", ".lodestone", "boards/.more")


@pytest.mark.parametrize(
    ("name", "content", "listed", "said"),
    [
        ("lights.json", b"[]", False, "lights.json is not as it was"),
        ("lights.json", b"longer than told", False, "lights.json is not as it was"),
        ("more", b"x", False, "does not hold the files"),
        ("../more", b"x", True, "leads out of the data folder"),
        ("/more", b"x", True, "leads out of the data folder"),
        *((name, b"x", True, "leads out of the data folder") for name in NOWHERE),
        *((name, b"x", True, "no backup of Lodestone holds") for name in FOREIGN),
        (MANIFEST, b"[]", False, "missing or damaged"),
        (MANIFEST, b'{"format": 2, "version": "9", "files": {}}', False, "newer Lodestone"),
        (JOURNAL, b"no journal", True, "is not as it was"),
    ],
)
def test_a_damaged_backup_changes_nothing(
    data: Path, tmp_path: Path, name: str, content: bytes, listed: bool, said: str
) -> None:
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    bad = rewritten(file, tmp_path / "bad.zip", name, content, listed=listed)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Refused, match=said):
        restore(bad, tmp_path / "fresh")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_belongs_to_a_running_program_is_left_out(data: Path, tmp_path: Path) -> None:
    """Earlier releases had some of it in their backups."""
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    for number, name in enumerate(("listens", "room.sqlite-wal", "log/lodestone.log")):
        digest = hashlib.sha256(b"x").hexdigest()
        file = rewritten(file, tmp_path / f"{number}.zip", name, b"x", listed=True, digest=digest)
    restore(file, tmp_path / "fresh")
    assert (tmp_path / "fresh" / "key").is_file()
    assert not {"listens", "room.sqlite-wal", "log"} & {path.name for path in (tmp_path / "fresh").iterdir()}


def test_a_file_that_could_not_be_restored_everywhere_is_named(data: Path, tmp_path: Path) -> None:
    (data / "boards").mkdir(exist_ok=True)
    (data / "boards" / "mine: new.toml").touch()
    with pytest.raises(Refused, match=r"mine: new\.toml: can't be backed up: .*rename it"):
        make_backup(data, tmp_path / "all.zip", "1.0")


# -- what others have made, and what a kill has left -------------------------------------------------------------------


def said_of(file: Path, tmp_path: Path) -> str:
    """Return the refusal of a file, for which little memory must do, and after which nothing is left."""
    before = sorted(tmp_path.rglob("*"))
    tracemalloc.start()
    with pytest.raises(Refused) as refused:
        restore(file, tmp_path / "fresh")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40 << 20
    assert sorted(tmp_path.rglob("*")) == before
    return str(refused.value)


def archive_of(file: Path, manifest: bytes, compression: int = zipfile.ZIP_DEFLATED, **names: bytes) -> Path:
    with zipfile.ZipFile(file, "w", compression) as into:
        into.writestr(MANIFEST, manifest)
        for name, content in names.items():
            into.writestr(name, content)
    return file


@pytest.mark.thorough
def test_a_manifest_that_is_longer_than_its_archive_says_is_not_read_whole(tmp_path: Path) -> None:
    file = archive_of(tmp_path / "lying.zip", b" " * (100 << 20))
    told = (100 << 20).to_bytes(4, "little")
    file.write_bytes(file.read_bytes().replace(told, (100).to_bytes(4, "little")))
    assert "no backup of Lodestone" in said_of(file, tmp_path)
    assert "it is too long" in said_of(archive_of(tmp_path / "long.zip", b" " * (100 << 20)), tmp_path)


@pytest.mark.parametrize(
    ("size", "why"),
    [("Infinity", "missing or damaged"), ("NaN", "missing or damaged"), ("-1", "a size"),
     ("1e3", "a size"), ("true", "a size"), ("9" * 4000, "a size"),
     ("9" * 5000, "missing or damaged"), ('"1"', "a size"), ("null", "a size"),
     ("[" * 100000, "missing or damaged")],
)  # fmt: skip
def test_a_size_that_is_none_is_refused(tmp_path: Path, size: str, why: str) -> None:
    manifest = f'{{"format": 1, "files": {{"a": {{"size": {size}, "sha256": ""}}}}}}'
    assert why in said_of(archive_of(tmp_path / "odd.zip", manifest.encode(), a=b""), tmp_path)


def test_more_files_than_a_table_has_and_other_compressions_are_refused(tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(6000)]
    empty = {"size": 0, "sha256": hashlib.sha256().hexdigest()}
    listed = dict.fromkeys(names, empty)
    many = json.dumps({"format": 1, "files": listed}).encode()
    file = archive_of(tmp_path / "many.zip", many, **dict.fromkeys(names, b""))
    assert "more than 5000 files" in said_of(file, tmp_path)
    file = archive_of(tmp_path / "other.zip", b"{}", zipfile.ZIP_BZIP2)
    assert "compressed in another way" in said_of(file, tmp_path)


def test_a_list_of_files_of_any_length_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "list.zip"
    with file.open("wb") as sparse:  # The end of an archive says: 300 MB before me are my list of files.
        sparse.seek(300 << 20)
        sparse.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 300 << 20, 0, 0))
    assert "its list of files is too long" in said_of(file, tmp_path)


@pytest.mark.parametrize("at", ["home", "foreign", "link", "up", "up/..", "file"])
def test_only_a_data_folder_or_an_empty_one_is_put_aside(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    home = tmp_path / "home"
    games(home, 1)
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "foreign/backups").mkdir(parents=True)
    (tmp_path / "link").symlink_to(data)
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Refused, match="--data: "):
        restore(file, tmp_path / at.replace("up", "foreign/.."), replace=True)
    assert sorted(tmp_path.rglob("*")) == before
    (tmp_path / "empty").mkdir()
    restore(file, tmp_path / "empty")


def test_a_restored_folder_is_still_the_installer_s(data: Path, tmp_path: Path) -> None:
    (data / ".lodestone").write_text("a word")
    make_backup(data, tmp_path / "all.zip", "1.0")
    restore(tmp_path / "all.zip", data)
    assert (data / ".lodestone").read_text() == "a word"


KILLED = """
import os, signal, sys
from pathlib import Path
from firmware_host.archive import backups
from firmware_host.extensions.appliance import backup, care
kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
what, data, file = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if what == "page":
    backup.sync = kill
    with care.Care(data, "1.0", None).backup(): pass
elif what == "backup":
    backup.sync = kill
    backup.make_backup(data, file, "1.0")
elif what == "restore":
    backup._change_places = kill
    backup.restore(file.with_name("whole.zip"), data, replace=True)
else:
    backups.os.replace = kill
    backups.back_up(data / "journal.sqlite")
"""


@pytest.mark.parametrize("what", few(cases(["page", "backup", "restore", "game"], "page", "restore"), 1))
def test_what_a_kill_has_left_is_removed(data: Path, tmp_path: Path, what: str) -> None:
    games(data, 3)
    make_backup(data, tmp_path / "whole.zip", "1.0")
    file = tmp_path / "all.zip"

    def left() -> list[Path]:
        return [path for path in tmp_path.rglob("*") if ".backup-" in path.name or ".all.zip-" in path.name
                or "-restored-" in path.name or path.name.endswith(".part")]  # fmt: skip

    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", KILLED, what, str(data), str(file)], check=False)
        assert done.returncode == -signal.SIGKILL
        assert len([path for path in left() if path.parent in {data, tmp_path, data / "backups"}]) == 1
    match what:
        case "page":
            remove_left(data)
        case "backup":
            make_backup(data, file, "1.0")
        case "restore":
            restore(tmp_path / "whole.zip", data, replace=True)
        case "game":
            BackupsAtTheEnd(data / JOURNAL, lambda trouble: None)
    assert left() == []


def test_a_backup_that_is_being_made_is_left_alone(tmp_path: Path) -> None:
    with passing_folder(tmp_path, ".backup-") as one, passing_folder(tmp_path, ".backup-") as other:
        remove_left(tmp_path)
        assert one.is_dir()
        assert other.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_what_can_not_be_done_is_said(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> str:
        assert main(list(words)) == 1
        return capsys.readouterr().err

    file, text = tmp_path / "all.zip", tmp_path / "text"
    text.write_text("no backup")
    assert main(["backup", str(file), "--data", str(data)]) == 0
    assert "keep it where only you can read it" in capsys.readouterr().out
    assert "is there already" in said("backup", str(file), "--data", str(data))
    assert "no such data folder" in said("backup", str(tmp_path / "b.zip"), "--data", str(tmp_path / "none"))
    assert "my.toml: there is no such board file" in said(
        "backup", str(tmp_path / "b.zip"), "--data", str(data), "--board", "my.toml"
    )
    assert "no backup of Lodestone" in said("restore", str(text), "--data", str(tmp_path / "fresh"))
    assert "there is no such file" in said("restore", str(tmp_path / "none"), "--data", str(tmp_path / "fresh"))
    assert "is a file" in said("restore", str(file), "--data", str(text))
    assert main(["restore", str(file), "--data", str(tmp_path / "fresh")]) == 0
    assert not (tmp_path / "b.zip").exists()
