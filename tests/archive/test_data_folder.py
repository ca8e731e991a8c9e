"""A folder of games that is none, can't be made or can't be written in is refused by its own name, in one line."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from firmware_host.archive import files
from firmware_host.archive.data_folder import copied_folder, host_token, last_address, make_data, table_key
from firmware_host.archive.journal import Entry, Journal
from firmware_host.commands.cli import main
from firmware_host.session.computers import CompanySetting, read_company
from firmware_host.session.light_renderer import LightSetting, read_light_setting
from firmware_host.text.words import Refused, Text
from tests.archive.journal.journals import AT, fill
from tests.rights import bound, can_be_bound, mode

VERBS = (
    ("play", "--port", "0"),
    ("host",),
    ("host", "--anew"),
    ("record", "list"),
    ("record", "show", "spokes-1"),
    ("replay", "spokes-1", "--port", "0"),
)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    assert main([*verb, "--data", str(path)]) == 1
    expected = f"lodestone: --data: {path} is a file; expected the folder in which games are kept, or one to be made\n"
    assert capsys.readouterr().err == expected
    assert path.read_text() == "mine"


def test_a_folder_that_can_not_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--port", "0", "--data", "/proc/nope"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("lodestone: --data: the folder /proc/nope can't be made: ")
    assert said.endswith("Choose another one\n")


def test_a_folder_in_which_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is root may write anywhere: what the system would say to others is given."""
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(Refused, match=f"written in the folder {tmp_path}"):
        make_data(tmp_path)


def test_a_folder_is_made_with_all_above_it(tmp_path: Path) -> None:
    make_data(tmp_path / "of" / "games")
    make_data(tmp_path / "of" / "games")
    assert (tmp_path / "of" / "games").is_dir()


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").touch()


def half(path: Path) -> None:
    path.write_bytes(b"\xff half")


def itself(path: Path) -> None:
    path.symlink_to(path.name)


def shut_folder(path: Path) -> None:
    folder(path)
    path.chmod(0)


def shut(path: Path) -> None:
    path.write_bytes(b"k" * 32)
    path.chmod(0)


HARMS = (dangling, itself, folder, half, os.mkfifo, shut_folder, shut)


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
@pytest.mark.parametrize("harm", HARMS)
def test_whatever_lies_in_a_files_place_the_table_opens(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    """Also with no more rights than the account of the service has; what is put aside is kept."""
    for name in ("key", "host", "company.json", "lights.json", "listens"):
        harm(tmp_path / name)

    def opens() -> None:
        told: list[Text] = []
        token, key = host_token(tmp_path, told.append), table_key(tmp_path, told.append)
        assert len(told) == 2
        assert (host_token(tmp_path, told.append), table_key(tmp_path, told.append)) == (token, key)
        assert len(told) == 2
        assert read_company(tmp_path) == CompanySetting()
        assert read_light_setting(tmp_path) == LightSetting()
        assert last_address(tmp_path) is None

    bound(opens)
    if harm is shut:
        assert [path.read_bytes() for path in tmp_path.glob("replaced-*/*")] == [b"k" * 32] * 2
    if harm in {folder, shut_folder}:
        assert len(list(tmp_path.glob("replaced-*/mine"))) == 2


NOT_NOW = (errno.EMFILE, errno.ENOMEM, errno.EACCES)


@pytest.mark.parametrize("why", NOT_NOW)
@pytest.mark.parametrize("times", [1, 1000])
def test_what_can_not_be_read_for_a_moment_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: int, times: int
) -> None:
    """No room for another open file, no memory, a scanner that looks into each file on Windows."""
    token, key = host_token(tmp_path), table_key(tmp_path)
    reads, failed = files.read_small, Counter[Path]()

    def read(path: Path, most: int = files.SMALL) -> bytes:
        failed[path] += 1
        if failed[path] <= times:
            raise OSError(why, os.strerror(why), str(path))
        return reads(path, most)

    told: list[Text] = []
    with monkeypatch.context() as moment:
        moment.setattr(files, "read_small", read)
        moment.setattr(files, "RETRIES_S", (0.001, 0.001))
        for make, name, made in ((host_token, "host", token), (table_key, "key", key)):
            if times == 1:
                assert make(tmp_path, told.append) == made
            else:
                with pytest.raises(Refused, match=f"{name}: can't be used: {os.strerror(why)}"):
                    make(tmp_path, told.append)
    assert (host_token(tmp_path), table_key(tmp_path), told) == (token, key, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["host", "key"]


def test_what_is_damaged_is_kept_aside(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 31)
    (tmp_path / "host").write_text("half a token")
    host_token(tmp_path, lambda _: None)
    table_key(tmp_path, lambda _: None)
    kept = {path.name: path.read_bytes() for path in tmp_path.glob("replaced-*/*")}
    assert kept == {"key": b"k" * 31, "host": b"half a token"}


def test_what_can_not_be_looked_at_is_neither_there_nor_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network's disk that does not answer: nothing new is written over what is there."""
    key = table_key(tmp_path)

    def away(path: Path) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(path))

    with monkeypatch.context() as moment:
        moment.setattr(files, "read_small", lambda path, _most: away(path))
        moment.setattr(Path, "lstat", away)
        moment.setattr(files, "RETRIES_S", ())
        with pytest.raises(Refused, match="key: can't be used: "):
            table_key(tmp_path)
    assert table_key(tmp_path) == key


FILES = ("journal.sqlite", "journal.sqlite.copy", "journal.sqlite.lock")


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
@pytest.mark.parametrize(("name", "rights"), [(".", 0o555), *product(FILES, (0o444, 0o000))])
def test_what_this_account_can_not_write_is_refused_and_a_copy_of_it_can_be_written(
    tmp_path: Path, name: str, rights: int
) -> None:
    """The copy has what can be read, and the rights of its own owner."""
    data, copy = tmp_path / "games", tmp_path / "copy"
    for path in (data, copy):
        path.mkdir()
    with closing(Journal(data / "journal.sqlite")) as journal:
        entries = fill(journal, 5)
    (data / "host").write_text("t" * 22)
    (data / "boards").mkdir(mode=0o500)
    (data / "boards" / "mine.toml").touch(mode=0o400)

    def opened() -> list[Entry]:
        with pytest.raises(Refused, match=f"{data if name == '.' else data / name}"):
            make_data(data)
        assert str(data) in str(copied_folder(data, copy))
        make_data(copy)
        (copy / "boards" / "more.toml").touch()
        (copy / "boards" / "mine.toml").write_text("")
        with closing(Journal(copy / "journal.sqlite", unattended=True)) as journal:
            journal.append("g1", "action", {"n": -1}, AT)
            return journal.entries("g1")[:-1]

    with mode(data / name, rights):
        assert bound(opened) == entries
    assert (copy / "host").read_text() == "t" * 22
