"""What belongs to another account: every verb says so in one line, and changes nothing."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.commands import cli
from firmware_host.commands.cli import main
from tests.archive.journal.journals import AT, HEAD
from tests.rights import bound, can_be_bound, mode
from tests.sampling import cases

VERBS = ("play --port 0", "host", "host --anew", "record list", "record show g1", "record export g1", "record verify",
         "record verify g1", "record backup", "record repair", "replay g1 --port 0")  # fmt: skip
SHUT = ("home", "home/games", "home/games/journal.sqlite")
"""What of a data folder this account may not open: the folder around it, it, or its journal."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_in(tmp_path)


def data_in(folder: Path) -> Path:
    data = folder / "home" / "games"
    with closing(Journal(data / "journal.sqlite")) as journal:
        journal.append("g1", "game", HEAD, AT)
    (data / "boards").mkdir()
    return data


def said(data: Path, shut: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a verb says that is refused in one line, nothing if it is not refused."""
    with mode(data.parents[1] / shut, 0):
        code = bound(lambda: main([*words, "--data", str(data)]))
    error = capsys.readouterr().err
    if code == 0:
        return ""
    assert code == 1
    assert error.startswith("lodestone: ")
    assert (error.count("\n"), "Traceback" in error) == (1, False)
    return error


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
@pytest.mark.parametrize(("shut", "verb"), cases(list(product(SHUT, VERBS))))
def test_it_is_said_in_one_line(data: Path, capsys: pytest.CaptureFixture[str], verb: str, shut: str) -> None:
    refused = said(data, shut, verb.split(), capsys)
    assert refused or verb.startswith("host")
    with closing(Journal(data / "journal.sqlite")) as journal:
        assert journal.length == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "DATA"), "DATA: Permission denied; it belongs to"),
        (OSError(errno.EIO, "Input/output error", "DATA"), "DATA: Input/output error\n"),
        (OSError(errno.EMFILE, "Too many open files"), "lodestone: Too many open files\n"),
    ],
)
def test_an_error_of_the_system_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: OSError, line: str
) -> None:
    """Whatever a verb has not thought of: the file, the reason, and whose it is."""
    if error.filename:
        error.filename = str(tmp_path / "none")
    monkeypatch.setattr(cli, "_host", lambda _: (_ for _ in ()).throw(error))
    cli.parser_of_verbs.cache_clear()
    assert main(["host"]) == 1
    cli.parser_of_verbs.cache_clear()
    found = capsys.readouterr().err
    assert line.replace("DATA", str(tmp_path / "none")) in found
    assert found.count("\n") == 1


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
def test_a_journal_that_can_not_be_looked_at_is_refused_by_its_name(data: Path) -> None:
    def opened() -> None:
        with pytest.raises(JournalError, match=f"{data}.*Permission denied"):
            Journal(data / "journal.sqlite", writer=False)

    with mode(data, 0):
        bound(opened)
    assert os.access(data, os.R_OK)
