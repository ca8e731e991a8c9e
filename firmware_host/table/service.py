"""What screens and the host's pages ask of what they show, where more than one class can answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""


class Viewed(Protocol):
    """What a screen follows. Thread-safe."""

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat, or for people without one (None)."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after`` or ``timeout`` seconds have passed; return it."""
        ...

    def closing(self) -> bool:
        """Return whether it is being closed: streams end."""
        ...


class Shown(Viewed, Protocol):
    """What all screens follow: a running table, or a replay."""

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        ...

    def review(self) -> View:
        """Return the review of the finished game, or its progress: docs/view.md."""
        ...


class HostService(Protocol):
    """What only the host may do, in addition to the table's events. Thread-safe; refusals are TableErrors."""

    def token(self) -> str:
        """Return the host's present token; it may change between calls."""
        ...

    def note_entered(self) -> None:
        """Note, for good, that a phone has shown the host's token."""
        ...

    def has_owner(self) -> bool:
        """Return whether a phone has ever shown the host's token, or a game was played here."""
        ...

    def are_codes_shown(self) -> bool:
        """Return whether everybody in the room may see the codes of free seats, or the host alone."""
        ...

    def show_codes(self, shown: bool) -> None:
        """Show the codes of free seats to everybody, or to the host alone, until the host changes it."""
        ...

    def choices(self) -> list[dict[str, Any]]:
        """Return what can be played: ``board``, ``title``, ``game``, ``nodes`` and ``sensors`` (how many), ``aim`` and
        ``minutes`` (from the game, or None), ``players`` (how many may play), ``modes``, ``options`` (name →
        words), ``colours`` (whether players choose theirs), ``current``.
        """
        ...

    def new_game(self, board: str, mode: str, rules: Sequence[str]) -> None:
        """Open a lobby for another game at any time; a running game is suspended.

        ``board`` is one of :meth:`choices`. People keep their seats if these exist.
        """
        ...

    def play_pairing(self, tournament: int, round_: int, board: int) -> None:
        """Open the lobby of a board of a club's round that is assigned to this table (``pairings`` of the view).

        Whoever is not one of its players, on the right seat, leaves the seat. Raise TableError while a game runs.
        """
        ...

    def games(self, first: int, most: int) -> dict[str, Any]:
        """Return ``games``, a range of the started games, newest first, and their total number ``in_all``.

        A game: ``id``, ``title``, ``mode``, ``started``, ``ended``, ``names``, ``state`` (``over``, ``set aside``,
        ``abandoned``, ``running``), ``words``, ``withheld`` (whether its record is, for now).
        ``first`` counts from 0.
        """
        ...

    def take_up(self, game_id: str) -> None:
        """Resume a suspended or abandoned game; the running one is suspended."""
        ...

    def can_repair(self) -> bool:
        """Return whether a game is damaged, and what is whole of it can be saved."""
        ...

    def repair(self) -> None:
        """Save what is whole of a damaged game, in the lobby; then it can be taken up. The damaged files are kept."""
        ...

    def record(self, game_id: str) -> list[str]:
        """Return the lines of a game's record, as ``lodestone record export`` writes them.

        Raise TableError, code ``withheld``, if they contain what nobody at the table may know before the game is over.
        """
        ...

    def has_played(self, game: str) -> bool:
        """Tell whether anybody has played a game (its name) at this table."""
        ...

    def is_over(self, game_id: str) -> bool:
        """Tell whether this game has been played to its end. Raise TableError for an unknown one."""
        ...

    def whole_record(self, game_id: str) -> list[str]:
        """Return the record of any game, for making scenes: it must never be handed out unfiltered."""
        ...

    def lights(self) -> dict[str, Any]:
        """Return the settings of the lights: ``brightness`` (per cent), ``night``, ``off``, ``sleep``
        (minutes without a touch after which the lights go out, 0: never), ``show`` (they move gently between games).
        """
        ...

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        """Set all fields of :meth:`lights`."""
        ...

    def company(self) -> dict[str, Any]:
        """Return whether the host lets computers say something (``words``) and people give ``signs``."""
        ...

    def set_company(self, words: bool, signs: bool) -> None:
        """Set both fields of :meth:`company`."""
        ...

    def lend_hands(self, everybody: bool) -> None:
        """Let the hand of a simulated board move everybody's pieces, or only its usual ones."""
        ...

    def hardware(self) -> dict[str, Any]:
        """Return the state of the board: ``board``, ``kind``, ``backend``, ``nodes``, ``scan_hz``, ``scans_per_s``,
        ``health`` (words), ``lights`` (``pixels``, ``trouble``), ``simulated``, ``hands`` (whose pieces the simulated
        hand moves: ``none``, ``computer`` or ``all``; None: no simulated hand).
        """
        ...
