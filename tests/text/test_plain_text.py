"""Nothing gets to a terminal but text: whatever stands in a record or a journal, and whatever the terminal can show."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.archive.format import write_lines
from firmware_host.archive.journal import Journal
from firmware_host.commands.cli import main
from firmware_host.text.plain_text import PlainStream, clear_screen, plain, plain_terminal
from tests.archive.records.recorder import Recorder, a_record
from tests.commands.test_cli import LODESTONE

EVIL = "Ada\x1b]0;owned\x07\x1b[2J\u202eecarG\u2066\x9b31m"


@given(st.text(), st.sampled_from([None, "ascii", "utf-8", "latin-1"]))
def test_what_is_plain_is_printable_and_in_the_encoding(text: str, encoding: str | None) -> None:
    found = plain(text, encoding)
    assert found.replace("\n", "").replace("\t", "").isprintable()
    assert encoding is None or found.encode(encoding).decode(encoding) == found
    assert plain(found, encoding) == found


def test_letters_signs_and_line_feeds_stay_as_they_are() -> None:
    text = "Zoë, Ελένη and דוד: █▀▄ 3 × 5\n\tgo on …\n"
    assert plain(text) == plain(text, "utf-8") == text
    assert plain(text, "ascii").startswith("Zo\\xeb, \\u0395")
    assert plain(EVIL) == "Ada\\x1b]0;owned\\x07\\x1b[2J\\u202eecarG\\u2066\\x9b31m"


def test_a_stream_lets_plain_text_through_and_the_screen_be_cleared(capsys: pytest.CaptureFixture[str]) -> None:
    beneath = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    stream: Any = PlainStream(beneath)
    print("Zoë", EVIL, file=stream, flush=True)
    assert stream.buffer.getvalue().isascii()
    assert b"\x1b" not in stream.buffer.getvalue()
    assert stream.encoding == "ascii"
    with plain_terminal():
        print(EVIL)
        clear_screen()
    assert capsys.readouterr().out == f"{plain(EVIL)}\n\x1b[H\x1b[2J"


def record_with(folder: Path, change: Any) -> Path:
    """Write a record that somebody has changed who can compute hashes."""
    header, *events = map(json.loads, a_record())
    for fields in (header, *events):
        del fields["hash"]
    for event in events:
        del event["n"]
    change(header, events)
    path = folder / "evil.jsonl"
    path.write_text("".join(f"{line}\n" for line in write_lines(header, events)))
    return path


def named(name: str) -> Any:
    def change(header: dict[str, Any], _events: list[dict[str, Any]]) -> None:
        header["seats"]["1"]["name"] = name

    return change


def field(name: str, value: str) -> Any:
    def change(header: dict[str, Any], _events: list[dict[str, Any]]) -> None:
        header[name] = value

    return change


def mask(reason: str) -> Any:
    def change(header: dict[str, Any], events: list[dict[str, Any]]) -> None:
        events.insert(1, {"at": events[0]["at"], "kind": "mask", "data": {"node": "A1", "reason": reason}})
        header["events"] += 1

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (named(EVIL), "line 1: seats.1.name: expected a name as in the lobby"),
        (named("Ada\nseat 2 has won"), "line 1: seats.1.name: expected a name as in the lobby"),
        (named("A" * 25), "line 1: seats.1.name: expected a name as in the lobby"),
        (named(" Ada"), "line 1: seats.1.name: expected a name as in the lobby"),
        (named("\u2800"), "line 1: seats.1.name: expected a name as in the lobby"),
        (named("A\u0301\u0301\u0301\u0301da"), "line 1: seats.1.name: expected a name as in the lobby"),
        (named("GRACE"), "line 1: seat 2: a name that the lobby refuses: somebody is already called Grace"),
        (field("board", EVIL), "line 1: board: expected a text of printable characters on one line"),
        (field("version", "1\n2"), "line 1: version: expected a text of printable characters on one line"),
        (field("game", EVIL), "line 1: game: expected a text of printable characters on one line"),
        (field(f"x{EVIL}", "1"), "line 1: xAda\\x1b]0;owned"),
        (mask(EVIL), "line 3: data.reason: expected a text of printable characters on one line"),
    ],
)
@pytest.mark.parametrize("verb", [("record", "verify"), ("replay", "--port", "0", "--once")])
def test_a_record_obeys_the_lobbys_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...], change: Any, words: str
) -> None:
    assert main([*verb, str(record_with(tmp_path, change))]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert (said.out + said.err).replace("\n", "").isprintable()


def test_a_record_that_obeys_them_is_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Former lobbies accepted names that look alike."""
    for change in (named("Ada"), named("Zoë דוד"), named("G r a c e"), mask("stuck: it stays on")):
        assert main(["record", "verify", str(record_with(tmp_path, change))]) == 0
        assert "is in order" in capsys.readouterr().out


def evil_journal(folder: Path) -> None:
    """Write a journal as no table does, with a chain in order."""
    journal = Journal(folder / "journal.sqlite")
    recorder = Recorder(journal, "spokes-1")
    recorder.write("seat", seat=1, name=EVIL, claim="", computer=False)
    recorder.write("mask", node="A1", reason=EVIL)
    journal.close()


@pytest.mark.parametrize(
    "words", [("list",), ("show", "spokes-1"), ("verify", "spokes-1"), ("verify",), ("show", EVIL), ("verify", EVIL)]
)
def test_whatever_a_journal_holds_a_terminal_gets_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    evil_journal(tmp_path)
    main(["record", *words, "--data", str(tmp_path)])
    said = "".join(capsys.readouterr())
    assert said
    assert said.replace("\n", "").isprintable(), ascii(said)


@pytest.mark.thorough
def test_games_are_listed_on_an_ascii_terminal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    recorder = Recorder(journal, "spokes-1", "4")
    recorder.place()
    journal.close()
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    for words in (("list",), ("show", "spokes-1")):
        command = [LODESTONE, "record", *words, "--data", str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=200)
        assert b"Ada" in done.stdout
        assert b"Zo\\xeb" in done.stdout
        assert done.stderr == b""
