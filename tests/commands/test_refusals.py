"""Bad input gets a message in words: none of Python's own, for any verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board
from firmware_host.commands import play
from firmware_host.commands.cli import main
from firmware_host.session.game_selection import Unfinished
from tests import forked

PYTHONS_WORDS = ("Errno", "__new__", "codec", "fromisoformat", "invalid int", "invalid float", "Traceback", "None:")
BAD = [
    "card --pdf c.pdf --settings many.txt",
    "card --pdf c.pdf --settings folder",
    "card --pdf c.pdf --settings bytes",
    "board parts spokes-45 --csv p.csv --prices folder",
    "board parts spokes-45 --csv p.csv --prices bytes",
    "board parts folder",
    "board parts bytes",
    "board parts ./folder",
    "board power sim",
    "board new coil folder --force",
    "board new coil none/x.toml",
    "board new coil x.toml --strip apa102 --no-lights",
    "backup b.zip --board bytes",
    "book show --data none",
    "book forget Ann --data none",
    "hardware check --sim --wired-as none",
    "hardware map --sim --resume --out x.toml",
    "hardware prove --sim --out folder",
    "hardware calibrate --sim --kind level --svg folder",
    "log --evening --bundle b.zip",
    "play --port abc --data d",
    "play --board bytes --data d",
    "play --login none --data d",
    "play --club-name Ann --data d",
    "play --club bytes --port 0 --data d",
    "puzzles today --date 2026-02-30",
    "record read folder",
    "record read bytes",
    "record read none",
    "record verify folder",
    "record verify bytes",
    "replay bytes --data d",
    "restore folder --data d",
    "restore bytes --data d",
    "room open --serve --broker mqtt://x --data d",
    "soak --out folder",
]


@pytest.mark.parametrize("line", BAD)
def test_a_refusal_is_in_words(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes").write_bytes(bytes(range(128, 256)))
    (tmp_path / "many.txt").write_text("\n".join("abc"))
    before = sorted(tmp_path.rglob("*"))
    try:
        code = main(line.split())
    except SystemExit as ended:
        code = int(str(ended.code))
    told = "".join(capsys.readouterr())
    assert code in {1, 2}
    assert told
    assert [word for word in PYTHONS_WORDS if word in told] == []
    assert [
        one for one in sorted(tmp_path.rglob("*")) if one not in before and (tmp_path / "d") not in {one, *one.parents}
    ] == []


def test_a_board_is_named_by_any_file_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p6.txt").write_bytes(find_board("spokes-45").read_bytes())
    (tmp_path / "go-9x9").write_text("a file with the name of a shipped board")
    assert main(["board", "power", "p6.txt"]) == 0
    assert main(["board", "power", "go-9x9"]) == 0
    capsys.readouterr()
    for words, option in (
        ("board power sim", "board: expected a file, or one of"),
        ("hardware check --sim --wired-as none", "--wired-as: expected a file, or one of"),
        ("hardware check --board none", "--board: expected sim, a file, or one of"),
    ):
        assert main(words.split()) == 1
        assert option in "".join(capsys.readouterr())


def test_a_mark_of_the_byte_order_is_no_part_of_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "game.txt"
    text.write_text("[Lodestone 1]\n", encoding="utf-8-sig")
    assert main(["record", "read", str(text)]) == 1
    assert "expected [Lodestone 1] first" not in capsys.readouterr().err


def test_a_field_that_is_given_and_known_is_named_once() -> None:
    line = '{"do": "request", "time": 1, "what": "choose", "seat": 1, "action": "a1", "no": 1}'
    done = forked.run("table", given='{"do": "open", "game": "coil", "seats": ["Ann", "Bob"]}\n' + line + "\n")
    listed = done.stdout.splitlines()[-1].partition("expected ")[2].partition('"')[0].split(", ")
    assert len(listed) > 3
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("words", "unfinished", "hands"),
    [
        ("--demo --resume", Unfinished.RESUME, "all"),
        ("--demo", Unfinished.REPLACE, "all"),
        ("--demo --hands none", Unfinished.REPLACE, "none"),
        ("--resume", Unfinished.RESUME, "computer"),
        ("", Unfinished.ASK, "computer"),
    ],
)
def test_what_is_asked_for_is_done(
    words: str, unfinished: Unfinished, hands: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[play.PlayOptions] = []
    monkeypatch.setattr(play, "play", lambda options: asked.append(options) or 0)
    assert main(["play", *words.split()]) == 0
    assert (asked[0].unfinished, asked[0].hands) == (unfinished, hands)
