"""Objects that installed packages offer as entry points: loaded and checked on first use, then cached."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
from collections.abc import Mapping
from functools import cached_property
from typing import Generic, TypeVar

from hw.ports import HardwareError

OURS = "lodestone-board"
T = TypeVar("T")
_log = logging.getLogger(__name__)


class Plugins(Generic[T]):
    """The objects of one group of entry points, by name: instances of ``made_of``, with that ``name`` if it has one.

    An unusable object is logged once and raises an error on every use; the others work.
    """

    def __init__(self, group: str, what: str, made_of: type[T]) -> None:
        """Load nothing yet; ``what`` (for example ``scheme``) is the first word of messages."""
        self.group, self.what, self.made_of = group, what, made_of
        self._loaded: dict[str, T | HardwareError] = {}

    @cached_property
    def _entries(self) -> Mapping[str, importlib.metadata.EntryPoint]:
        found: dict[str, importlib.metadata.EntryPoint] = {}
        entries = importlib.metadata.entry_points(group=self.group)
        for entry in sorted(entries, key=lambda entry: (_package(entry) != OURS, entry.name)):  # Our own first.
            if _package(entry) == OURS and _was_taken_away(entry.module):
                continue
            if entry.name in found:
                where = f"{entry.value} of package {_package(entry)}"
                _log.warning("%s %r (%s) is left out: there is one of that name already", self.what, entry.name, where)
            else:
                found[entry.name] = entry
        return found

    def names(self) -> list[str]:
        """Return all names, sorted, without loading the objects."""
        return sorted(self._entries)

    def choice(self) -> str:
        """Return what a name has to be, for messages; a package's new entry point is known once it is installed."""
        names = ", ".join(self.names()) or "those of an installed package"
        return f"one of {names} (one just added: install its package, or run make setup in Lodestone's folder)"

    def get(self, name: str) -> T:
        """Return an object by its name. Raise HardwareError listing the known names, or saying why it is unusable."""
        if name not in self._entries:
            raise HardwareError(f"{self.what}: expected {self.choice()}, got {name!r:.60}")
        if name not in self._loaded:
            self._loaded[name] = self._load(self._entries[name])
        found = self._loaded[name]
        if isinstance(found, HardwareError):
            raise found
        return found

    def usable(self) -> dict[str, T]:
        """Load all objects; return the usable ones by name."""
        found = {}
        for name in self.names():
            try:
                found[name] = self.get(name)
            except HardwareError:  # It was logged on loading.
                continue
        return found

    def _load(self, entry: importlib.metadata.EntryPoint) -> T | HardwareError:
        try:
            made: object = entry.load()
            if not isinstance(made, self.made_of):
                why = f"expected an instance of {self.made_of.__module__}.{self.made_of.__name__}, got {made!r:.60}"
            elif "name" in self.made_of.__annotations__ and getattr(made, "name", None) != entry.name:
                why = f"it is announced as {entry.name!r}, but its name is {getattr(made, 'name', None)!r:.60}"
            elif missing := [one for one in self.made_of.__annotations__ if not hasattr(made, one)]:
                why = f"it does not say {', '.join(missing)}, which {self.made_of.__name__} asks for"
            elif (fault := getattr(made, "shape_error", lambda: None)()) is not None:
                why = fault
            else:
                return made
        except Exception as error:  # noqa: BLE001 - whatever somebody's package raises, the others must work
            why = f"{type(error).__name__}: {error}"
        where = f"{entry.value} of package {_package(entry)}"
        refused = HardwareError(f"{self.what}: {entry.name!r} ({where}) can't be used: {why}")
        _log.warning("%s", refused)
        return refused


def _was_taken_away(module: str) -> bool:
    """Return whether somebody has deleted a module of ours, or its folder: to delete it is enough."""
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:
        return True


def _package(entry: importlib.metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist else ""
