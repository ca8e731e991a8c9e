"""The table speaks from the Pi itself: what a screen reader is told, through ``espeak-ng``, where that is installed."""

from __future__ import annotations

import contextlib
import logging
import queue
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firmware_host.text.refusal import Refused
from firmware_host.text.words import Words, joined, listed, say, say_many, translated

ESPEAK = "espeak-ng"
LAST_WORDS_S = 5.0
"""Maximum wait, at the end of the program, for the sentences that are not said yet."""
LONGEST_S = 60.0
"""A sentence that takes longer has hung: it is ended, and the next one is said."""
MOST_WAITING = 8
"""Of more sentences than these the oldest are left out: nobody wants to hear what was a minute ago."""

_log = logging.getLogger(__name__)

View = Mapping[str, Any]
Say = Callable[[str], None]


def espeak(language: str) -> Say:
    """Return what says a sentence aloud in a language (``de``), and comes back when it is said.

    Raise Refused where the program for it is not installed.
    """
    program = shutil.which(ESPEAK)
    if program is None:
        raise Refused(
            f"--speak needs {ESPEAK}, which is not installed here. Install it (sudo apt install {ESPEAK}), or leave"
            " --speak out: phones and the big screen can speak, too"
        )

    def aloud(sentence: str) -> None:
        command = [program, "-v", language.replace("_", "-"), "--stdin"]
        subprocess.run(command, input=sentence, text=True, check=True, timeout=LONGEST_S, capture_output=True)  # noqa: S603 - no shell, the sentence is no part of the command

    return aloud


def sentences(before: View | None, view: View) -> Iterator[str]:
    """Yield what is to be said of a view after the one before: what everybody may know, each matter once.

    The same as pages tell a screen reader (``static/shared/announce.js``) of somebody who watches.
    """
    same = before is not None and before["game"]["id"] == view["game"]["id"]
    if same and before is not None:
        last = before["log"][-1]["n"] if before["log"] else 0
        yield from (line["text"] for line in view["log"] if line["n"] > last)
    for words in (_result, _standstill, _notices):
        now = words(view)
        if now and (before is None or words(before) != now):
            yield now


def _result(view: View) -> str:
    result = view["result"]
    if result is None:
        return ""
    names = [seat["name"] for seat in view["seats"] if seat["seat"] in result["winners"]]
    if not names:
        return say("A draw.")
    return say_many("{names} has won.", "{names} have won.", len(names), names=listed(names))


def _notices(view: View) -> str:
    return joined(view["notices"], " ")


def _standstill(view: View) -> str:
    if view["paused"] or view["held"]:
        message: str = view["message"]
        return message
    text: str = view["problem"]["text"] if view["problem"] and view["phase"] != "setup" else ""
    return text


class Speaker:
    """Says what happens at a table, one sentence after the other, on a thread of its own."""

    def __init__(self, aloud: Say, words: Words) -> None:
        """``aloud`` says a sentence and comes back when it is said; ``words`` are those of the language."""
        self._aloud, self._words = aloud, words
        self._waiting: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._before: View | None = None
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._thread.start()

    def listen(self, view: View) -> None:
        """Look at a new view of the table; returns at once."""
        for sentence in sentences(self._before, view):
            self._put(str(translated(sentence, self._words)))
        self._before = view

    def close(self) -> None:
        """Say what is waiting, as far as there is time, and nothing more."""
        self._put(None)
        self._thread.join(timeout=LAST_WORDS_S)

    def _put(self, sentence: str | None) -> None:
        while True:
            try:
                return self._waiting.put_nowait(sentence)
            except queue.Full:
                self._drop()

    def _drop(self) -> None:
        with contextlib.suppress(queue.Empty):
            self._waiting.get_nowait()

    def _run(self) -> None:
        failed = False
        while (sentence := self._waiting.get()) is not None:
            try:
                self._aloud(sentence)
                failed = False
            except (OSError, subprocess.SubprocessError) as error:
                if not failed:  # Said once, not with every sentence.
                    _log.warning("the table could not speak: %s", error)
                failed = True
