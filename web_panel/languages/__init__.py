"""The languages of the panel: a file each, ``de.po`` for German.

A catalogue is read as it is when the panel starts: nothing has to be compiled. Who adds a language copies a file,
translates what stands in it, and sends it along; ``make words`` brings all of them up to date with the program.
"""

from __future__ import annotations

import gettext
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.pofile import read_po
from flask import Request

FOLDER = Path(__file__).parent
COOKIE = "lodestone-language"
CONTEXT = "\x04"
"""Stands between a context and its sentence, as in compiled catalogues."""
COUNTED = 200
"""For so many numbers browsers are told which form a language uses; from there on forms come back every hundred."""


@dataclass(frozen=True)
class Language:
    """The words of one language (:class:`firmware_host.text.words.Words`)."""

    code: str
    name: str
    """What speakers call it."""
    sentences: Mapping[str, str] = field(default_factory=dict)
    counted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    which: Callable[[int], int] = lambda count: int(count != 1)

    def find(self, form: str, context: str = "") -> str:
        """Return the sentence for an English one; the English one where there is none."""
        return self.sentences.get(f"{context}{CONTEXT}{form}" if context else form, form)

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the sentence for so many of something."""
        forms = self.counted.get(one)
        return forms[self.which(count)] if forms else (one if count == 1 else many)

    @property
    def tag(self) -> str:
        """Return what it is called in HTML: ``pt-BR`` for the file ``pt_BR.po``."""
        return self.code.replace("_", "-")

    @cached_property
    def script(self) -> str:
        """Return all of it as the module that words.js is made of."""
        return f"export default {json.dumps(self.for_browsers(), ensure_ascii=False, separators=(',', ':'))};\n"

    def for_browsers(self) -> dict[str, Any]:
        """Return sentences, those with a number, and which form belongs to which number."""
        return {
            "language": self.tag,
            "sentences": dict(self.sentences),
            "counted": {one: list(forms) for one, forms in self.counted.items()},
            "which": [self.which(count) for count in range(COUNTED)],
        }


ENGLISH = Language("en", "English")
"""The language in which all is written."""


@cache
def languages(folder: Path = FOLDER) -> Mapping[str, Language]:
    """Return every language of a folder, by its code, English first."""
    found = {ENGLISH.code: ENGLISH}
    for path in sorted(folder.glob("*.po")):
        found[path.stem] = read(path)
    return found


def read(path: Path) -> Language:
    """Return the language of a catalogue. What is not translated yet, or not for sure (fuzzy), stays English."""
    with path.open("rb") as lines:
        catalogue = read_po(lines, locale=path.stem)
    sentences: dict[str, str] = {}
    counted: dict[str, tuple[str, ...]] = {}
    for message in catalogue:
        if not message.id or message.fuzzy or not message.string:
            continue
        if isinstance(message.id, tuple):
            if all(message.string):
                counted[message.id[0]] = tuple(message.string)
                sentences.setdefault(message.id[0], message.string[0])  # Said without a number elsewhere.
        else:
            key = f"{message.context}{CONTEXT}{message.id}" if message.context else str(message.id)
            sentences[key] = str(message.string)
    name = str(Locale.parse(path.stem).get_display_name() or path.stem)
    return Language(path.stem, name, sentences, counted, gettext.c2py(catalogue.plural_expr))


def language_of(request: Request, known: Mapping[str, Language]) -> Language:
    """Return the language in which a browser wants to be answered: the one chosen on the page, or its own."""
    chosen = request.cookies.get(COOKIE)
    if chosen is not None and chosen in known:
        return known[chosen]
    return known[request.accept_languages.best_match(list(known)) or ENGLISH.code]
