"""What a data folder is, for program, backup, and installer: ``contents.toml``, here and of each extension."""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from firmware_host.archive.files import read_small, write_whole
from firmware_host.text.words import Refused

LISTS = (
    Path(__file__).with_name("contents.toml"),
    *sorted(Path(__file__).parents[1].glob("extensions/*/contents.toml")),
)
CONTENTS: dict[str, frozenset[str]] = {
    pattern: frozenset(traits.split())
    for path in LISTS
    for pattern, traits in tomllib.loads(path.read_text("utf-8")).items()
}
"""Pattern of names in a data folder → what holds for them: some of ``secret``, ``passing``, ``shared``, ``held``."""
LARGEST = 64 << 20
"""Maximum size of a held file, bytes."""
Held = dict[str, tuple[tuple[int, int, int], bytes]]
"""Name → inode, size and time of the last change, and the content."""
_log = logging.getLogger(__name__)


def has_trait(name: str, trait: str) -> bool:
    """Tell whether something holds for a file or folder of this name."""
    return any(trait in traits and fnmatchcase(name, pattern) for pattern, traits in CONTENTS.items())


def refuse_kept(path: Path) -> None:
    """Raise Refused for what a data folder keeps under such a name: a command's result never takes its place."""
    below = Path(os.path.realpath(path))
    for folder in below.parents:
        is_data = any((folder / mark).exists() for mark in ("journal.sqlite", "key", ".lodestone"))
        if is_data and any(fnmatchcase(below.name, pattern) for pattern in CONTENTS):
            raise Refused(f"{path}: belongs to a table's data folder ({folder}); name a file elsewhere")
        below = folder


class HeldFiles:
    """The small files of an open table's folder, as they last were: with the journal they are written again."""

    def __init__(self, data: Path) -> None:
        """Hold the files as they are now."""
        # Made once, as in files.beside.
        self._places = {name: data / name for name, traits in CONTENTS.items() if "held" in traits}
        self._held: Held = {}
        self.hold(self.look())

    def hold(self, found: Held) -> None:
        """Hold files that were found while the folder was in its place; a missing one is held no longer."""
        self._held = found

    def write_missing(self) -> None:
        """Write those again that are missing now; what can't be written is logged, and missing."""
        for name, (_, content) in self._held.items():
            place = self._places[name]
            if not os.path.lexists(place):
                try:
                    write_whole(place, content, mode=0o600 if has_trait(name, "secret") else None)
                except OSError as error:
                    _log.warning("%s can't be written again: %s", place, error.strerror)

    def look(self) -> Held:
        """Return the files as they are now; only those are read that have changed."""
        return dict(self._present())

    def _present(self) -> Iterator[tuple[str, tuple[tuple[int, int, int], bytes]]]:
        for name, place in self._places.items():
            with suppress(OSError):
                found = place.stat()
                mark = found.st_ino, found.st_size, found.st_mtime_ns
                known = self._held.get(name)
                yield name, known if known and known[0] == mark else (mark, read_small(place, LARGEST))
