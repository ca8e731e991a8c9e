"""Bring the catalogues of all languages up to date with what the program says: ``make words``.

What an extension alone says stands in catalogues of its own, in ``languages/`` of its folder; they go with the folder.

New sentences come in untranslated, those that are said no more go. A sentence that was mended keeps its translation,
marked fuzzy, with the sentence that was translated (``#| msgid``): pages show it in English until somebody has looked
at it. Each sentence names the files in which it stands, and stands in their order. The same program gives the same
catalogues: there is no date in them, and no line number.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from babel import Locale
from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from firmware_host.games.lessons import sentences
from web_panel.languages import FOLDER, NAME, SCRIPTS, WHOLE, share

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "firmware_host/extensions"


def python(
    lines: IO[bytes], keywords: Iterable[str], *_: object, **_options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Yield what a module says, as Babel wants it: like Babel's own method, which reads tokens, but quicker."""
    text = lines.read()
    if not re.search(rf"\b({'|'.join(keywords)})\(".encode(), text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            if name in keywords and node.args:
                yield node.lineno, name, tuple(_constant(value) for value in node.args), []


def _constant(value: ast.expr) -> str | None:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


PYTHON: list[Any] = [("**.py", python)]
PAGES: list[Any] = [("**/static/**.js", "javascript"), ("**/templates/**.html", "jinja2")]


def lessons(lines: IO[bytes], *_: object, **_options: object) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield what people read of a lesson file, as Babel wants it."""
    for sentence in sentences(lines.read().decode()):
        yield 1, None, sentence, []


LESSONS = [("**/lessons/**.toml", lessons)]
PACKAGES: dict[str, list[Any]] = {
    "firmware_host": [*PYTHON, *LESSONS, *PAGES],
    "hw": PYTHON,
    "simulator": PYTHON,
    "web_panel": [*PYTHON, *PAGES],
}
"""Where sentences stand, and in which kinds of files."""
WIDTH = 120
SHOWN = 20
"""Maximum number of untranslated sentences that are printed for each language."""
OPTIONS = {
    "**/static/**.js": {"parse_template_string": "true"},
    "**/templates/**.html": {"trimmed": "true", "silent": "false"},
}
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    # Python
    "say": None,
    "say_in": ((1, "c"), 2),
    "say_many": (1, 2),
    "Message": None,
    # JavaScript
    "sayAround": None,
    "sayIn": ((1, "c"), 2),
    "sayMany": (1, 2),
    # Templates
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}


def folders() -> list[Path]:
    """Return the folders of catalogues: the panel's, and those of extensions that say something that it does not."""
    return [FOLDER, *sorted(EXTENSIONS.glob("*/languages"))]


def parts() -> dict[Path, Catalog]:
    """Return folder of catalogues → what stands in them: the panel's, and what an extension alone says, or its scripts.

    Scripts get the sentences that are marked as theirs, and the panel's catalogue marks those of the panel's scripts.
    """
    inside = EXTENSIONS.relative_to(ROOT).as_posix()
    found = {FOLDER: extract(lambda path: not path.startswith(f"{inside}/"))}
    for folder in sorted(path for path in EXTENSIONS.iterdir() if (path / "extension.py").exists()):
        own = extract(lambda path, name=folder.name: path.startswith(f"{inside}/{name}/"))
        for message in [one for one in own if one.id]:
            panels = found[FOLDER].get(_key(message), message.context)
            if panels and (SCRIPTS in panels.auto_comments or SCRIPTS not in message.auto_comments):
                own.delete(_key(message), message.context)
        if len(own):
            found[folder / "languages"] = own
    return found


def _key(message: Message) -> str:
    return message.id[0] if isinstance(message.id, (tuple, list)) else str(message.id)


class Sentence(NamedTuple):
    """Something that the program says: where, and with which comments."""

    path: str
    line: int
    message: Any
    context: str | None
    comments: list[str]


@cache
def said() -> list[Sentence]:
    """Read all files, once: the whole program and each extension take their part of it."""
    scripts = {(package, "javascript") for package in PACKAGES} | {("simulator", python), ("hw", python)}
    found = []
    for package, methods in PACKAGES.items():
        for method in methods:
            comments = [SCRIPTS] if (package, method[1]) in scripts else []
            # Sorted: a folder lists its files in any order.
            extracted = sorted(extract_from_dir(ROOT / package, [method], OPTIONS, KEYWORDS), key=lambda one: one[:2])
            found += [
                Sentence(f"{package}/{file}", line, form, where, comments) for file, line, form, _, where in extracted
            ]
    return [one for one in found if one.message]


def extract(wanted: Callable[[str], bool] = lambda _path: True) -> Catalog:
    """Return what the program says, untranslated: where each sentence stands, with a comment where scripts say it.

    ``wanted`` tells which files count. Scripts translate what the simulator and the board's drivers answer, as they
    have no languages.
    """
    catalogue = Catalog(charset="utf-8")
    for path, line, message, context, comments in said():
        if wanted(path):
            catalogue.add(message, locations=[(path, line)], context=context, auto_comments=comments)
    return catalogue


def update_catalogue(path: Path, template: Catalog) -> str:
    """Return the text of a catalogue, brought up to date. What was said elsewhere before keeps its translation."""
    if path.exists():
        with path.open("rb") as lines:
            catalogue = read_po(lines, locale=path.stem)
    else:
        catalogue = Catalog(locale=path.stem)
    catalogue.update(deepcopy(template))  # It takes the messages themselves.
    for other in elsewhere(path):
        for message in [one for one in catalogue if one.id and (not any(one.string or ()) or one.fuzzy)]:
            known = other.get(_key(message), message.context)
            if known and known.id == message.id and any(known.string or ()) and not known.fuzzy:
                message.string, message.flags, message.previous_id = known.string, message.flags - {"fuzzy"}, []
    for context, sentence, before in previous(path.read_text(encoding="utf-8") if path.exists() else ""):
        if (message := catalogue.get(sentence, context)) and message.fuzzy:
            message.previous_id = before
            message.user_comments = [line for line in message.user_comments if not line.startswith("|")]
    text = io.BytesIO()
    write_po(text, catalogue, width=WIDTH, omit_header=True, sort_by_file=True, ignore_obsolete=True,
             include_previous=True, include_lineno=False)  # fmt: skip
    return _header(path, catalogue) + text.getvalue().decode()


def elsewhere(path: Path) -> Iterator[Catalog]:
    """Yield the other catalogues of a language: a sentence may have moved."""
    for folder in folders():
        if (folder / path.name).exists() and folder != path.parent:
            with (folder / path.name).open("rb") as lines:
                yield read_po(lines, locale=path.stem)


def previous(text: str) -> Iterator[tuple[str | None, str, list[str]]]:
    """Yield context, sentence and former sentence of each fuzzy entry: what Babel writes as ``#|`` it does not read."""
    for entry in text.split("\n\n"):
        lines = [line.removeprefix("#| ") for line in entry.splitlines() if line.startswith("#| ")]
        if lines:
            empty = 'msgstr[0] ""' if any(line.startswith("msgid_plural") for line in lines) else 'msgstr ""'
            now, before = (next(one for one in read_po(io.StringIO(form)) if one.id)
                           for form in (entry, "\n".join([*lines, empty])))  # fmt: skip
            yield now.context, now.id, before.id if isinstance(before.id, tuple) else [before.id]


def _header(path: Path, catalogue: Catalog) -> str:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    comment = [line for line in text.split("msgid", 1)[0].splitlines() if line]
    language = Locale.parse(path.stem)
    fields = {
        "Language": str(language),
        NAME: language.get_display_name() or path.stem,
        "Plural-Forms": catalogue.plural_forms,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    header = [f'"{name}: {value}\\n"' for name, value in fields.items()]
    return "\n".join([*comment, 'msgid ""', 'msgstr ""', *header, "", ""])


def main(paths: Sequence[str]) -> int:
    """Update these files, for all that the panel says; where none is named, all of the panel and of extensions."""
    found = parts()
    wanted = [(Path(one), found[FOLDER]) for one in paths]
    for folder, own in [] if paths else found.items():
        wanted += [(folder / path.name, own) for path in sorted(FOLDER.glob("*.po"))]
    texts = [(path, template, update_catalogue(path, template)) for path, template in wanted]
    for path, template, text in texts:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        with path.open("rb") as lines:
            entries = [message for message in read_po(lines) if message.id]
        for _, sentence, before in previous(text):
            print(f"{name}: look at the translation of {sentence!r}; translated was {before!r}")
        missing = [message.id for message in entries if not message.string or not all(message.string)]
        for sentence in missing[:SHOWN]:
            print(f"{name}: not translated: {sentence!r}")
        fuzzy = sum(message.fuzzy for message in entries)
        part = share(text)
        print(f"{name}: {len(template)} sentences, {len(missing)} not translated, {fuzzy} fuzzy: {part:.1%}")
        if part < WHOLE:
            print(f"{name}: less than {WHOLE:.0%}, so this language is not offered")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
