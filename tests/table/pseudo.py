"""A language for tests in which every sentence of the program can be told from what was put into it.

Its sentences stand in brackets and their letters are gone: ``⟦{name}: put ⟦a white stone⟧ on {node}⟧`` is told as
``⟦Ann: ··· ⟦· ····· ·····⟧ ·· C6⟧``. What letters are left are names and nodes, or English that can't be translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import Any

from firmware_host.text.words import ENGLISH, translate_all

_WORD = re.compile(r"[^\W\d_]+")


class Pseudo:
    """The words of that language. ``said`` are all sentences it was asked for, with their contexts."""

    def __init__(self) -> None:
        self.said: set[tuple[str, str]] = set()

    def find(self, form: str, context: str = "") -> str:
        self.said.add((context, form))
        return _marked(form)

    def find_many(self, one: str, many: str, count: int) -> str:
        self.said |= {("", one), ("", many)}
        return _marked(one if count == 1 else many)


def _marked(form: str) -> str:
    told = ""
    for literal, field, _, conversion in Formatter().parse(form):
        told += _WORD.sub(lambda word: "·" * len(word[0]), literal)
        told += "" if field is None else f"{{{field}{'!' + conversion if conversion else ''}}}"
    return f"⟦{told}⟧"


def untold(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """Return the words of a told text that are neither known (names), nor have a digit in them (nodes, actions)."""
    words = re.findall(r"[^\W_]+(?:[-+>:/][^\W_]+)*", text.replace("·", " "))
    return [word for word in words if word not in known and not any(sign.isdigit() for sign in word)]


TEXTS = (
    ("message",),
    ("own_messages", "*"),
    ("seal", "closed", "*"),
    ("seal", "spent", "*"),
    ("cannot", "*"),
    ("standstill",),
    ("tidying",),
    ("reminder",),
    ("game", "title"),
    ("game", "rules", "*"),
    *(("game", "scoring", one) for one in ("score", "tiebreak", "hint", "tied")),
    ("pieces", "*"),
    ("lights", "*", "words"),
    ("steps", "*", "words"),
    ("question", "text"),
    ("question", "choices", "*", "words"),
    ("problem", "text"),
    ("proposal", "words"),
    ("analysis", "words"),
    ("decided", "words"),
    ("log", "*", "text"),
    ("result", "words"),
    ("sensors", "suspects", "*", "words"),
    ("notices", "*"),
)
"""Where a view has sentences for people."""


def texts(view: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (where, text) of all sentences of a view."""
    for path in TEXTS:
        for text in _at(view, path):
            yield "/".join(path), text


def _at(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if not path:
        if value:  # Nothing is said where it is None or empty.
            yield value
        return
    if path[0] != "*":
        inner = [value[path[0]]] if value and path[0] in value else []
    else:
        inner = [] if value is None else list(value.values()) if isinstance(value, Mapping) else list(value)
    for one in inner:
        yield from _at(one, path[1:])


def sentences(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield (where, text) of whatever in a view reads like a sentence: it has a blank."""
    if isinstance(value, str):
        if " " in value:
            yield where, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from sentences(inner, f"{where}/{name}")
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from sentences(inner, where)


class Listener:
    """Hears every sentence once, and keeps what can't be told."""

    def __init__(self, *known: str, quoted: Iterable[str] = ()) -> None:
        """``known`` are words that stay as they are, names for example; refusals may have ``quoted`` ones, too."""
        self.language = Pseudo()
        self.known = frozenset(known)
        self.quoted = self.known | frozenset(quoted)
        self.verbatim = ""
        """What others say, a library for example; nobody can tell it in another language."""
        self.wrong: dict[str, str] = {}
        """Text → where it stands, of every one that has words which are not told."""
        self._heard: set[tuple[str, str]] = set()
        self._view: Mapping[str, Any] = {}

    def hear(self, view: Mapping[str, Any]) -> None:
        """Check all sentences of a view, where it differs from the one before."""
        before, self._view = self._view, view
        new = {name: value for name, value in view.items() if name not in before or before[name] != value}
        for where, text in (*texts(new), *sentences(new)):
            if (where, text) not in self._heard:
                self._heard.add((where, text))
                self._check(where, text, self.known)

    def refused(self, text: str) -> None:
        """Check what a refusal says."""
        self._check("refusal", text, self.quoted)

    def check(self, where: str, text: str) -> None:
        """Check one sentence."""
        self._check(where, text, self.known)

    def _check(self, where: str, text: str, known: frozenset[str]) -> None:
        assert translate_all(text, ENGLISH) == text
        told = translate_all(text, self.language)
        if untold(told.replace(self.verbatim, ""), known):
            self.wrong[text] = f"{where}: {told}"
