"""The door through which the panel reaches the running table; the runtime stands behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from firmware_host.games.game import Game
from firmware_host.games.offers import Attempt
from firmware_host.games.puzzles import Puzzle
from firmware_host.table.events import Event
from firmware_host.table.moments import Moment

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""


class LessonService(Protocol):
    """Lessons and puzzles at the table. Thread-safe; each method raises TableError where the table refuses it."""

    def offered(self) -> list[dict[str, Any]]:
        """Return the lessons of the game at the table, in order: ``name`` and ``title``."""
        ...

    def begin(self, name: str, claim: str, *, host: bool, phone: bool = False) -> int:
        """Begin a lesson for the phone that holds a claim, and return its seat; the game at the table waits.

        A game that runs waits at the ``host``'s word alone. With ``phone`` the board has no part in the lesson: what is
        chosen on the phone lies at once.
        """
        ...

    def begin_puzzle(self, puzzle: Puzzle, claim: str, *, host: bool) -> int:
        """Set a puzzle of the game at the table up on its board, as :meth:`begin` does a lesson."""
        ...

    def next(self) -> None:
        """Go on to the next exercise once this one is done."""
        ...

    def back(self) -> None:
        """Begin the exercise anew; where nothing was done in it, the one before."""
        ...

    def show(self) -> None:
        """Show the answer."""
        ...

    def stop(self) -> None:
        """End the lesson: the game that waited is at the table again."""
        ...


class ReviewService(Protocol):
    """Reviews of games that are over, made beside the table. Thread-safe."""

    @property
    def possible(self) -> bool:
        """Whether reviews can be made here."""
        ...

    def of(self, game_id: str) -> View:
        """Return the review of a game, or how far it is; state ``none`` for one that nobody has asked for."""
        ...

    def begin(self, game_id: str, game: Game[Any], mode: str, moments: Sequence[Moment]) -> None:
        """Have a game that is over reviewed, after those that were asked for before; nothing happens if it is."""
        ...


class TableService(Protocol):
    """Thread-safe. Everything a phone can do or see goes through here."""

    def now(self) -> float:
        """Return the time to stamp on events, seconds."""
        ...

    def submit(self, event: Event) -> None:
        """Hand an event to the table and return when it is journalled and shown.

        Raise TableError (with its message for the person) when the table refuses it.
        """
        ...

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) as seen from a seat, or by anybody (None)."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after`` or ``timeout`` seconds have passed; return it."""
        ...

    def closing(self) -> bool:
        """Tell whether the table is being closed: streams end."""
        ...

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        ...

    def why_not(self, attempt: Attempt) -> str | None:
        """Return by which rule an attempt of the seat that acts is not possible, as a clause.

        None where it is possible, where nobody acts alone, or where the game gives no reasons. Raise TableError for a
        node or a piece that the game does not have.
        """
        ...

    def hint(self, seat: int, told: int) -> View | None:
        """Tell a seat what it could do; None while that is thought about: ask again.

        ``told``: 1 which piece, 2 up to three actions with what they lead to, 3 the lights lead to the best of them.
        That it was asked for is journalled at once. The answer is for the phone that asked alone. Raise TableError
        where the host allows the seat no hints, where it has nothing to choose now, and where nobody thinks.
        """
        ...

    def review(self) -> View:
        """Return the review of the game that has ended at this table, or how far it is: docs/view.md."""
        ...

    def hurry(self) -> None:
        """Have a computer that thinks act soon; nothing happens where none does."""
        ...

    def new_game(self, mode: str | None = None, *, turned: bool = False) -> None:
        """After the end: open a lobby for the next game, people keep their seats where the mode has them.

        ``turned``: each moves on by one seat instead, so that somebody else begins.

        Raise TableError while a game is running.
        """
        ...


class HostService(Protocol):
    """Thread-safe. What only the host may do beside the table's own events; refusals are TableErrors."""

    def token(self) -> str:
        """Return the word by which the host is known, as it is now: asked anew each time."""
        ...

    def codes_shown(self) -> bool:
        """Tell whether everybody in the room may see the codes of free seats, or the host alone."""
        ...

    def show_codes(self, shown: bool) -> None:
        """Show the codes of free seats to everybody, or to the host alone, until the host wants it otherwise."""
        ...

    def choices(self) -> list[dict[str, Any]]:
        """Return what can be played: ``board``, ``title``, ``game``, ``nodes`` and ``sensors`` (how many), ``aim`` and
        ``minutes`` (as the game tells them, or None), ``players`` (how many may play), ``modes``, ``options`` (name →
        words), ``colours`` (players choose theirs), ``current``.
        """
        ...

    def new_game(self, board: str, mode: str, rules: Sequence[str]) -> None:
        """Open a lobby for another game at any time; a game that is running is set aside.

        ``board`` is one of :meth:`choices`. People keep their seats as far as these exist.
        """
        ...

    def games(self, first: int, most: int) -> dict[str, Any]:
        """Return ``games``, some of those that were started, newest first, and how many there are ``in_all``.

        A game: ``id``, ``title``, ``mode``, ``started``, ``ended``, ``names``, ``state`` (``over``, ``set aside``,
        ``abandoned``, ``running``), ``words``, ``withheld`` (its record is, for now).
        ``first`` counts from 0.
        """
        ...

    def take_up(self, game_id: str) -> None:
        """Go on with a game that was set aside or abandoned; the running one is set aside."""
        ...

    def record(self, game_id: str) -> list[str]:
        """Return the lines of a game's record, as ``lodestone record export`` writes them.

        Raise TableError, ``withheld`` where they tell what nobody at the table may know before the game is over.
        """
        ...

    def whole_record(self, game_id: str) -> list[str]:
        """Return the same of any game, for scenes to be made of: never to be handed out as it is."""
        ...

    def lights(self) -> dict[str, Any]:
        """Return how bright the board is and when it rests: ``brightness`` (per cent), ``night``, ``off``, ``sleep``
        (minutes without a touch after which the lights go out, 0: never), ``show`` (they move gently between games).
        """
        ...

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        """Have it otherwise from now on: all fields of :meth:`lights`."""
        ...

    def lend_hands(self, everybody: bool) -> None:
        """Let a simulated board's hand move everybody's pieces, or those that it moved before."""
        ...

    def hardware(self) -> dict[str, Any]:
        """Return how the board does: ``board``, ``kind``, ``backend``, ``nodes``, ``scan_hz``, ``scans_per_s``,
        ``health`` (words), ``lights`` (``pixels``, ``trouble``), ``simulated``, ``hands`` (whose pieces the simulated
        hand moves: ``none``, ``computer`` or ``all``; None: there is none).
        """
        ...


class WorkshopService(Protocol):
    """Thread-safe. What the host does with the board itself; refusals are TableErrors."""

    def state(self) -> dict[str, Any]:
        """Return what is to be done now, and what the last check has found."""
        ...

    def begin(self, what: str, *, pause: bool) -> None:
        """Take the board from the table and ``check`` or ``map`` it; ``pause``: a game that runs is paused for it."""
        ...

    def answer(self, choice: str) -> None:
        """Take one of the choices of the step."""
        ...

    def stop(self) -> None:
        """Give the board back to the table."""
        ...


class ProofService(TableService, Protocol):
    """A door of a table at which something may be sealed, learnt, or reviewed."""

    @property
    def lessons(self) -> LessonService:
        """Return the lessons at this table."""
        ...

    @property
    def reviews(self) -> ReviewService:
        """Return the reviews that this table makes."""
        ...

    def proof(self) -> View:
        """Return every seal of the game at the table, as :meth:`firmware_host.archive.proof.Proof.shown` has them.

        No opening is among them before its turn was revealed.
        """
        ...
