"""Bring the catalogues of all languages up to date with what the program says: ``make words``.

New sentences come in untranslated, those that are said no more go. A sentence that was mended keeps its translation,
marked fuzzy, with the sentence that was translated (``#| msgid``): pages show it in English until somebody has looked
at it. Each sentence names the files in which it stands, and stands in their order. The same program gives the same
catalogues: there is no date in them, and no line number.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from babel import Locale
from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from firmware_host.games.lesson_files import sentences
from web_panel.languages import FOLDER, SCRIPTS, WHOLE, share

ROOT = Path(__file__).parents[1]


def python(
    lines: IO[bytes], keywords: Iterable[str], *_: object, **_options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Yield what a module says, as Babel wants it: like Babel's own method, which reads tokens, but quicker."""
    text = lines.read()
    if not any(f"{name}(".encode() in text for name in keywords):
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
    "simulator": [*PYTHON, *PAGES],
    "web_panel": [*PYTHON, *PAGES],
}
"""Where sentences stand, and in which kinds of files."""
WIDTH = 120
SHOWN = 20
"""So many sentences without a translation are printed for each language."""
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


def extract() -> Catalog:
    """Return what the program says, untranslated: where each sentence stands, with a comment where scripts say it.

    Scripts translate what the simulator and the board's drivers answer, as they have no languages.
    """
    catalogue = Catalog(charset="utf-8")
    scripts = {(package, "javascript") for package in PACKAGES} | {("simulator", python), ("hw", python)}
    for package, methods in PACKAGES.items():
        for method in methods:
            comments = [SCRIPTS] if (package, method[1]) in scripts else []
            # Sorted: a folder lists its files in any order.
            found = extract_from_dir(ROOT / package, [method], OPTIONS, KEYWORDS)
            for file, line, message, _, context in sorted(found, key=lambda one: one[:2]):
                if message:
                    place = (f"{package}/{file}", line)
                    catalogue.add(message, locations=[place], context=context, auto_comments=comments)
    return catalogue


def update_catalogue(path: Path, template: Catalog) -> str:
    """Return the text of a catalogue, brought up to date."""
    with path.open("rb") as lines:
        catalogue = read_po(lines, locale=path.stem)
    catalogue.update(template)
    for context, sentence, before in previous(path.read_text(encoding="utf-8")):
        if (message := catalogue.get(sentence, context)) and message.fuzzy:
            message.previous_id = before
            message.user_comments = [line for line in message.user_comments if not line.startswith("|")]
    text = io.BytesIO()
    write_po(text, catalogue, width=WIDTH, omit_header=True, sort_by_file=True, ignore_obsolete=True,
             include_previous=True, include_lineno=False)  # fmt: skip
    return _header(path, catalogue) + text.getvalue().decode()


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
    comment = [line for line in path.read_text(encoding="utf-8").split("msgid", 1)[0].splitlines() if line]
    fields = {
        "Language": str(Locale.parse(path.stem)),
        "Plural-Forms": catalogue.plural_forms,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    header = [f'"{name}: {value}\\n"' for name, value in fields.items()]
    return "\n".join([*comment, 'msgid ""', 'msgstr ""', *header, "", ""])


def main(paths: Sequence[str]) -> int:
    """Update these files; all languages of the panel where none is named."""
    template = extract()
    for path in [Path(one) for one in paths] or sorted(FOLDER.glob("*.po")):
        text = update_catalogue(path, template)
        path.write_text(text, encoding="utf-8")
        with path.open("rb") as lines:
            entries = [message for message in read_po(lines) if message.id]
        for _, sentence, before in previous(text):
            print(f"{path.name}: look at the translation of {sentence!r}; translated was {before!r}")
        missing = [message.id for message in entries if not message.string or not all(message.string)]
        for sentence in missing[:SHOWN]:
            print(f"{path.name}: not translated: {sentence!r}")
        fuzzy = sum(message.fuzzy for message in entries)
        told = share(text)
        print(f"{path.name}: {len(template)} sentences, {len(missing)} not translated, {fuzzy} fuzzy: {told:.1%}")
        if told < WHOLE:
            print(f"{path.name}: less than {WHOLE:.0%}, so this language is not offered")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
