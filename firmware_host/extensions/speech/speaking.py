"""Speech from the Pi itself: the sentences for screen readers, through ``espeak-ng``, if that is installed."""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firmware_host.text.words import Refused, Words, join_sentences, list_of, say, say_many, translate_all

ESPEAK = "espeak-ng"
LAST_WORDS_S = 5.0
"""Maximum wait for the remaining sentences at the end of the program, seconds."""
MAX_S = 60.0
"""Maximum time for one sentence, seconds: then it has hung, is ended, and the next one is spoken."""
MAX_WAITING = 8
"""Maximum number of waiting sentences; the oldest are dropped, as nobody wants to hear old news."""

_log = logging.getLogger(__name__)

View = Mapping[str, Any]
Say = Callable[[str], None]


def espeak(language: str) -> Say:
    """Return a function that speaks a sentence in a language (``de``) and returns when it is finished.

    Raise Refused if its program is not installed.
    """
    program = shutil.which(ESPEAK)
    if program is None:
        raise Refused(
            f"--speak needs {ESPEAK}, which is not installed here. Install it (sudo apt install {ESPEAK}), or leave"
            " --speak out: phones and the big screen can speak, too"
        )

    def aloud(sentence: str) -> None:
        command = [program, "-v", language.replace("_", "-").lower(), "--stdin"]
        subprocess.run(command, input=sentence, text=True, check=True, timeout=MAX_S, capture_output=True)  # noqa: S603 - no shell, the sentence is no part of the command

    return aloud


def sentences(before: View | None, view: View) -> Iterator[str]:
    """Yield the sentences for a view after the one before: public facts only, each once.

    The same as pages give a screen reader (``static/shared/announce.js``) for people without a seat.
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
    return say_many("{names} has won.", "{names} have won.", len(names), names=list_of(names))


def _notices(view: View) -> str:
    return join_sentences(view["notices"], " ")


def _standstill(view: View) -> str:
    if view["standstill"] or view["paused"]:
        message: str = view["message"]
        return message
    text: str = view["problem"]["text"] if view["problem"] and view["phase"] != "setup" else ""
    return text


def aloud(sentence: str, view: View, words: Words) -> str:
    """Return a sentence for ears: each well says that it is one, as a stop's name may differ by capitals alone."""
    for well in view["layout"]["wells"]:
        named = str(translate_all(say("well {node}", node=well), words))
        one = re.compile(rf"\b{re.escape(well)}\b")
        sentence = named.join(one.sub(named, part) for part in sentence.split(named))
    return sentence


class Speaker:
    """Speaks about a table, one sentence after the other, in its own thread."""

    def __init__(self, aloud: Say, words: Words) -> None:
        """``aloud`` speaks a sentence and returns when it is finished; ``words`` are those of the language."""
        self._aloud, self._words = aloud, words
        self._waiting: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._before: View | None = None
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._thread.start()

    def listen(self, view: View) -> None:
        """Process a new view of the table; returns at once."""
        for sentence in sentences(self._before, view):
            self._put(aloud(str(translate_all(sentence, self._words)), view, self._words))
        self._before = view

    def close(self) -> None:
        """Speak the waiting sentences, if there is time, and nothing more."""
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
                if not failed:  # Logged once, not with every sentence.
                    _log.warning("the table could not speak: %s", error)
                failed = True
