"""The table speaks: which sentences, in which language, through a program that has to be there."""

from __future__ import annotations

import shutil
import stat
import subprocess
import threading
import wave
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.speech import speaking
from firmware_host.extensions.speech.speaking import MAX_WAITING, Speaker, aloud, espeak, sentences
from firmware_host.table.subjects.proposals import ActionUndone, GamePaused, GameResumed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.text.words import English, Refused
from lodestone.evening import Evening
from tests.e2e.program import PATIENCE_S, Program, eventually
from tests.sentences import sentence
from web_panel.languages import languages


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine, what waits is spoken before the end."""
    monkeypatch.setattr(speaking, "LAST_WORDS_S", PATIENCE_S)


def views(*placements: tuple[int, str]) -> list[Any]:
    """Return the views of a turn in which both seal and one resigns."""
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    shown = [evening.view()]
    for seat, action in placements:
        evening.commit(seat, action)
        shown.append(evening.view())
    for seat, action in placements:
        evening.open(seat, action)
        shown.append(evening.view())
    evening.say(GamePaused(at=evening.at))
    shown.append(evening.view())
    evening.say(GameResumed(at=evening.at))
    evening.say(Resigned(at=evening.at, seat=2))
    return [*shown, evening.view()]


def spoken(shown: list[Any]) -> list[list[str]]:
    return [list(sentences(before, view)) for before, view in zip([None, *shown], shown, strict=False)]


def test_what_is_said() -> None:
    *_, sealed, half, revealed, held, over = spoken(views((1, "wC1"), (2, "bB3")))
    assert sealed == half == []
    assert revealed == ["Turn 1: Ann white on C1, Bob black on B3."]
    assert held == [sentence("has paused the game. When")]
    assert over == ["Bob resigns.", "Ann has won."]


def test_before_a_reveal_nothing_depends_on_what_is_sealed() -> None:
    one, other = spoken(views((1, "wC1"), (2, "bB3"))), spoken(views((1, "bD4"), (2, "wD9")))
    assert one[:4] == other[:4]
    assert one[4] != other[4]


def test_each_end_is_spoken() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bob")
    shown = [evening.view()]
    for event in (Resigned(at=0.3, seat=1), ActionUndone(at=0.3), Resigned(at=0.3, seat=1)):
        evening.say(event)
        shown.append(evening.view())
    said = [list(sentences(before, view)) for before, view in pairwise(shown)]
    assert said == [["Ann resigns.", "Bob has won."], ["Taken back by the host."], ["Ann resigns.", "Bob has won."]]


def test_a_speaker_speaks_in_the_language_it_was_given() -> None:
    said: list[str] = []
    done = threading.Event()

    def aloud(sentence: str) -> None:
        said.append(sentence)
        if "aufgegeben" in sentence or len(said) == 4:
            done.set()

    speaker = Speaker(aloud, languages()["de"])
    for view in views((1, "wC1"), (2, "bB3")):
        speaker.listen(view)
    assert done.wait(60)
    speaker.close()
    assert said[0].startswith("Zug 1: Ann weiß auf C1")
    assert said[-1] == "Ann hat gewonnen."


def test_a_slow_voice_leaves_out_what_is_old() -> None:
    begun, go_on = threading.Event(), threading.Event()
    said: list[str] = []

    def aloud(sentence: str) -> None:
        begun.set()
        go_on.wait(60)
        said.append(sentence)

    speaker = Speaker(aloud, English())
    game, rest = (
        {"id": "g"},
        {"layout": {"wells": []}, "result": None, "standstill": None, "paused": False, "problem": None, "notices": []},
    )
    for last in range(30):
        log = [{"n": n, "text": f"line {n}"} for n in range(last + 1)]
        speaker.listen({"game": game, "log": log, **rest})
        if last == 1:
            assert begun.wait(60)
    go_on.set()
    speaker.close()
    assert said[0] == "line 1"
    assert said[-1] == "line 29"
    assert len(said) <= MAX_WAITING + 1


def test_a_voice_that_fails_is_logged_once_and_play_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    def aloud(_sentence: str) -> None:
        raise subprocess.CalledProcessError(1, "espeak-ng")

    speaker = Speaker(aloud, English())
    for view in views((1, "wC1"), (2, "bB3")):
        speaker.listen(view)
    speaker.close()
    assert len([record for record in caplog.records if "could not speak" in record.message]) == 1


def test_where_the_program_is_missing_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(Refused, match=r"espeak-ng, which is not installed here\. Install it"):
        espeak("en")


def test_the_program_gets_the_sentence_and_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in its place writes down what it is given; names of players are no words of a command."""
    program = tmp_path / "espeak-ng"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\ncat >> {tmp_path}/words\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    espeak("de")("--version; Ann hat gewonnen.")
    assert (tmp_path / "words").read_text() == "-v de --stdin\n--version; Ann hat gewonnen."


def test_each_language_of_the_panel_asks_for_a_voice_that_the_program_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``espeak-ng --voices`` calls them: a country stands in small letters behind a dash."""
    program = tmp_path / "espeak-ng"
    program.write_text(f'#!/bin/sh\necho "$2" >> {tmp_path}/voices\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for language in languages():
        espeak(language)("Ann")
    assert (tmp_path / "voices").read_text().split() == ["en", "de", "es", "fr", "it", "nl", "pl", "pt-br"]


def test_a_well_and_a_stop_are_told_apart_by_ears() -> None:
    view = {"layout": {"wells": ["e3", "e4"]}}
    said = aloud("tile on e4; runner from E4 to E3, then well e3", view, English())
    assert said == "tile on well e4; runner from E4 to E3, then well e3"


# -- the real program --------------------------------------------------------------------------------------------------

REAL = shutil.which("espeak-ng")
needs_espeak = pytest.mark.skipif(REAL is None, reason="espeak-ng is not installed here: sudo apt install espeak-ng")


def into_files(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let the real program write what it says into files, as there is no loudspeaker; it waits for the file ``go``."""
    program = folder / "espeak-ng"
    lines = (
        "#!/bin/sh",
        f"touch {folder}/called",
        f"while [ ! -e {folder}/go ]; do sleep 0.02; done",
        f'{REAL} -w {folder}/$$.part "$@" && mv {folder}/$$.part {folder}/$$.wav',
    )
    program.write_text("\n".join(lines) + "\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    patch.setenv("PATH", str(folder), prepend=":")


def sounds(folder: Path) -> list[bytes]:
    """Return the samples of all that was said."""
    said = []
    for path in sorted(folder.glob("*.wav")):
        with wave.open(str(path)) as file:
            assert file.getnframes() > file.getframerate() / 4, "a sentence takes more than a quarter of a second"
            said.append(file.readframes(file.getnframes()))
    return said


@needs_espeak
def test_every_language_of_the_panel_is_said_by_its_own_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    into_files(tmp_path, monkeypatch)
    (tmp_path / "go").touch()
    for language in languages():
        espeak(language)("Ann hat gewonnen.")
    assert len({hash(said) for said in sounds(tmp_path)}) == len(languages())


@needs_espeak
def test_a_table_speaks_and_never_waits_for_its_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = tmp_path / "voice"
    voice.mkdir()
    into_files(voice, monkeypatch)
    program = Program(tmp_path / "games")
    program.start("--new", "--speak", "de")
    try:
        for seat, name in ((1, "Ann"), (2, "Bob")):
            program.join(seat, name)
        program.start_game()
        assert program.as_host("pause")[0] == 200
        eventually((voice / "called").exists, "the table speaks")
        assert program.as_host("continue")[0] == 200, "it is still speaking"
        assert program.until_phase("sealing")["paused"] is False
        assert not sounds(voice)
        (voice / "go").touch()
        eventually(lambda: sounds(voice), "what it said is sound")
    finally:
        program.stop()
