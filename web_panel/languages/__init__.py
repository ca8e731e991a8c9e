"""The languages of the panel: one catalogue each, ``de.po`` for German.

A catalogue is read, without compilation, when somebody wants its language first. To add a language, copy a file and
translate its sentences; ``make words`` updates all catalogues from the program.
"""

from __future__ import annotations

import gettext
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.pofile import read_po
from flask import Flask, Response, current_app, g, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from firmware_host.plug import extensions
from firmware_host.text.words import Refused, translate_all

FOLDER = Path(__file__).parent
COOKIE = "lodestone-language"
MAX_WISH = 1024
"""Maximum length of ``Accept-Language``, in characters; longer ones are ignored, because sorting them takes time."""
CONTEXT = "\x04"
"""Separator between a context and its sentence, as in compiled catalogues."""
COUNTED = 200
"""Length of the table number → plural form for browsers; beyond it the forms repeat every hundred."""
SCRIPTS = "script"
"""The comment (``#. script``) of sentences that the pages' scripts say; all others are said by the server."""


WHOLE = 0.97
"""Part of the sentences that a shipped catalogue must have, for its language to be offered."""
_ENTRY = re.compile(r'^msgid (?!""\nmsgstr)', re.MULTILINE)
_LEFT = re.compile(r'^#, fuzzy|^msgstr(?:\[0\])? ""$(?!\n")', re.MULTILINE)
"""What tells the entries of a catalogue that are still to be translated, in the form that ``make words`` writes."""
NAME = "X-Language-Name"
"""Field of a catalogue's head: the name of its language in itself; ``make words`` writes it. Babel knows it, too, but
then holds a megabyte of each language's dates and numbers."""
_NAME = re.compile(rf'^"{NAME}: (.+)\\n"$', re.MULTILINE)


@dataclass(frozen=True)
class _Catalogue:
    sentences: Mapping[str, str] = field(default_factory=dict)
    counted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    which: Callable[[int], int] = lambda count: int(count != 1)
    of_scripts: frozenset[str] = frozenset()
    """The keys of the sentences that browsers need; empty: all, as ``make words`` has not marked them yet."""


@dataclass(frozen=True)
class Language:
    """The words of one language (:class:`firmware_host.text.words.Words`)."""

    code: str
    name: str
    """Its name in the language itself."""
    paths: Sequence[Path] = ()
    """Its catalogues, read at the first sentence: the panel's, those of extensions; none: the code's language."""

    @cached_property
    def _catalogue(self) -> _Catalogue:
        return _read(self.paths) if self.paths else _Catalogue()

    @cached_property
    def sentences(self) -> Mapping[str, str]:
        """Return key → translation."""
        return self._catalogue.sentences

    @cached_property
    def plural_forms(self) -> Mapping[str, tuple[str, ...]]:
        """Return the singular's key → all plural forms."""
        return self._catalogue.counted

    @cached_property
    def which(self) -> Callable[[int], int]:
        """Return the function that tells the plural form of a number."""
        return self._catalogue.which

    def find(self, form: str, context: str = "") -> str:
        """Return the translation of an English sentence, or the sentence itself if there is none."""
        return self.sentences.get(f"{context}{CONTEXT}{form}" if context else form, form)

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the translation in the plural form for ``count``."""
        forms = self.plural_forms.get(one)
        return forms[self.which(count)] if forms else (one if count == 1 else many)

    @property
    def tag(self) -> str:
        """Return its tag in HTML: ``pt-BR`` for the file ``pt_BR.po``."""
        return self.code.replace("_", "-")

    @cached_property
    def script(self) -> str:
        """Return the catalogue as the JavaScript module ``words.js``."""
        return f"export default {json.dumps(self.for_browsers(), ensure_ascii=False, separators=(',', ':'))};\n"

    def for_browsers(self) -> dict[str, Any]:
        """Return the sentences and counted sentences of scripts, and the plural form of each number."""
        needed = self._catalogue.of_scripts or {*self.sentences, *self.plural_forms}
        return {
            "language": self.tag,
            "sentences": {key: form for key, form in self.sentences.items() if key in needed},
            "counted": {one: list(forms) for one, forms in self.plural_forms.items() if one in needed},
            "which": [self.which(count) for count in range(COUNTED)],
        }


ENGLISH = Language("en", "English")
"""The language of the sentences in the code."""


@cache
def languages(folder: Path = FOLDER) -> Mapping[str, Language]:
    """Return the languages of a folder, by code, English first; of those shipped, the ones that are whole.

    Another folder is there to try a translation, so all of its languages are offered.
    """
    found = {ENGLISH.code: ENGLISH}
    for path in sorted(folder.glob("*.po")):
        text = path.read_text(encoding="utf-8")
        if folder != FOLDER or share(text) >= WHOLE:
            found[path.stem] = _language(path, text)
    return found


def share(text: str) -> float:
    """Return which part of a catalogue is translated, and not doubtful."""
    entries = len(_ENTRY.findall(text))
    return 1 - len(_LEFT.findall(text)) / entries if entries else 0


def read(path: Path) -> Language:
    """Return the language of a catalogue. Untranslated and fuzzy sentences stay English."""
    return _language(path, path.read_text(encoding="utf-8"))


def _language(path: Path, text: str) -> Language:
    found = _NAME.search(text)
    name = found[1] if found else str(Locale.parse(path.stem).get_display_name() or path.stem)
    added = (one.folder / "languages" / path.name for one in extensions()) if path.parent == FOLDER else ()
    return Language(path.stem, name, [path, *(one for one in added if one.is_file())])


def _read(paths: Sequence[Path]) -> _Catalogue:
    catalogues = []
    for path in paths:
        with path.open("rb") as lines:
            catalogues.append(read_po(lines, locale=path.stem))
    sentences: dict[str, str] = {}
    counted: dict[str, tuple[str, ...]] = {}
    of_scripts: set[str] = set()
    for message in chain(*catalogues):
        if not message.id or message.fuzzy or not message.string:
            continue
        key = message.id[0] if isinstance(message.id, tuple) else str(message.id)
        if isinstance(message.id, tuple):
            if all(message.string):
                counted[key] = tuple(message.string)
                sentences.setdefault(key, message.string[0])  # It may occur elsewhere without a number.
        else:
            key = f"{message.context}{CONTEXT}{key}" if message.context else key
            sentences[key] = str(message.string)
        if SCRIPTS in message.auto_comments:
            of_scripts.add(key)
    return _Catalogue(sentences, counted, gettext.c2py(catalogues[0].plural_expr), frozenset(of_scripts))


def language_of(known: Mapping[str, Language], wish: str, chosen: str | None = None) -> Language:
    """Return the language for a browser: the choice on the page (its cookie), else its ``Accept-Language``."""
    if chosen is not None and chosen in known:
        return known[chosen]
    accepted = parse_accept_header(wish if len(wish) <= MAX_WISH else "", LanguageAccept)
    return known[accepted.best_match(list(known)) or ENGLISH.code]


def checked_language(code: str, option: str) -> Language:
    """Return the language that an option of the command line names. Raise Refused."""
    known = languages()
    if code not in known:
        raise Refused(f"{option}: expected one of {', '.join(known)}, got {code!r}")
    return known[code]


# -- a page in its reader's language -----------------------------------------------------------------------------------


LANGUAGES = "LODESTONE_LANGUAGES"
"""Key of another folder of catalogues: in the app's configuration, or in the environment for trying a translation."""


def known_languages() -> Mapping[str, Language]:
    """Return the languages of this app, by code."""
    return languages(Path(current_app.config.get(LANGUAGES) or os.environ.get(LANGUAGES) or FOLDER))


def language() -> Language:
    """Return the language of the present request."""
    if "language" not in g:
        wish = request.headers.get("Accept-Language", "")
        g.language = language_of(known_languages(), wish, request.cookies.get(COOKIE))
    found: Language = g.language
    return found


def in_words(value: Any) -> Any:
    """Return a text (or a structure with texts in it) in the language of the request."""
    return translate_all(value, language())


def speak(app: Flask) -> None:
    """Add translation of templates and pages to an app."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda form: language().find(form),
        lambda one, many, count: language().find_many(one, many, count),
        newstyle=True,
        pgettext=lambda context, form: language().find(form, context),
    )
    app.context_processor(lambda: {"language": language(), "languages": list(known_languages().values())})

    @app.after_request
    def say_what_it_depends_on(response: Response) -> Response:
        """Set ``Vary`` where the answer depends on the language, for caches."""
        if "language" in g:
            response.vary.update(("Cookie", "Accept-Language"))
        return response

    del say_what_it_depends_on
