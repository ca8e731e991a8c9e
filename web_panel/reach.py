"""By which address phones are led here: the likeliest one, or the one that the host has chosen among several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload
from urllib.parse import urlsplit

from firmware_host.table.errors import TableError
from firmware_host.text.words import say


class Reach(Sequence[str]):
    """The base addresses of the pages, the one for codes first: what the host has chosen, as long as it leads here."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """``addresses`` may change at any time: they are asked for anew whenever one is needed."""
        self._addresses = addresses
        self._chosen: str | None = None

    def _now(self) -> list[str]:
        return sorted(self._addresses, key=lambda one: one != self._chosen)

    def choices(self) -> list[str]:
        """Return the addresses by which another machine may reach this one, the likeliest first."""
        return [one for one in self._addresses if urlsplit(one).hostname not in {"127.0.0.1", "localhost", "::1"}]

    def choose(self, address: str) -> None:
        """Lead phones to one of :meth:`choices` from now on. Raise TableError."""
        if address not in self.choices():
            raise TableError("bad_address", say("this table has no such address any more"))
        self._chosen = address

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Return one of them, or some."""
        return self._now()[index]

    def __len__(self) -> int:
        """Return how many there are now."""
        return len(self._addresses)
