"""The interface of the panel to the running table; the runtime implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from firmware_host.games.capabilities import Attempt
from firmware_host.games.game import Game
from firmware_host.games.puzzles import Puzzle
from firmware_host.table.events import Event
from firmware_host.table.ledger import Moment

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""


class LessonService(Protocol):
    """Lessons and puzzles at the table. Thread-safe; each method raises TableError if the table refuses it."""

    def list_lessons(self) -> list[dict[str, Any]]:
        """Return the lessons of the game at the table, in order: ``name`` and ``title``."""
        ...

    def begin(self, name: str, claim: str, *, host: bool, phone: bool = False) -> int:
        """Begin a lesson for the phone that holds a claim, and return its seat; the game at the table waits.

        A running game is suspended only for the ``host``. With ``phone`` the board has no part in the lesson: a choice
        on the phone is done at once.
        """
        ...

    def begin_puzzle(self, puzzle: Puzzle, claim: str, *, host: bool) -> int:
        """Set a puzzle of the game at the table up on its board, as :meth:`begin` does a lesson."""
        ...

    def next(self) -> None:
        """Go on to the next exercise once this one is done."""
        ...

    def back(self) -> None:
        """Begin the exercise again; if nothing was done in it, the exercise before."""
        ...

    def show(self) -> None:
        """Show the answer."""
        ...

    def stop(self, *, by_host: bool = False) -> None:
        """End the lesson: the suspended game is at the table again.

        ``by_host``: the host ends somebody's lesson. Then only the host begins another until a game has begun.
        """
        ...

    @property
    def open(self) -> bool:
        """Return whether others than the host may begin lessons and puzzles between games."""
        ...

    def allow(self) -> None:
        """Let everybody begin lessons and puzzles again."""
        ...


class ReviewService(Protocol):
    """Reviews of finished games, made in the background. Thread-safe."""

    @property
    def possible(self) -> bool:
        """Whether reviews can be made here."""
        ...

    def of(self, game_id: str) -> View:
        """Return the review of a game, or its progress; state ``none`` if it was not requested."""
        ...

    def begin(self, game_id: str, game: Game[Any], mode: str, moments: Sequence[Moment]) -> None:
        """Queue the review of a finished game; nothing happens if it is queued or made already."""
        ...


class TableService(Protocol):
    """Everything a phone can do or see. Thread-safe."""

    def now(self) -> float:
        """Return the time to stamp on events, seconds."""
        ...

    def submit(self, event: Event) -> None:
        """Hand an event to the table and return when it is journalled and shown.

        Raise TableError (with its message for the person) when the table refuses it.
        """
        ...

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat, or for people without one (None)."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after`` or ``timeout`` seconds have passed; return it."""
        ...

    def closing(self) -> bool:
        """Return whether the table is being closed: streams end."""
        ...

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        ...

    def why_not(self, attempt: Attempt) -> str | None:
        """Return the rule that forbids an attempt of the acting seat, as a clause.

        None if the attempt is possible, if no seat acts alone, or if the game gives no reasons. Raise TableError for a
        node or a piece that the game does not have.
        """
        ...

    def hint(self, seat: int, told: int) -> View | None:
        """Return a hint for a seat; None while the search runs: ask again.

        ``told``: 1 which piece, 2 up to three actions with their consequences, 3 the lights lead to the best of them.
        The request is journalled at once. The answer is for the requesting phone alone. Raise TableError if the host
        allows the seat no hints, if it has nothing to choose now, or if no search is available.
        """
        ...

    def review(self) -> View:
        """Return the review of the finished game at this table, or its progress: docs/view.md."""
        ...

    def hurry(self) -> None:
        """Make a thinking computer act soon; nothing happens if none thinks."""
        ...

    def new_game(self, mode: str | None = None, *, turned: bool = False) -> None:
        """After the end: open a lobby for the next game. People keep their seats if the mode has them.

        ``turned``: each moves on by one seat instead, so that another player begins.

        Raise TableError while a game is running.
        """
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

    def lend_hands(self, everybody: bool) -> None:
        """Let the hand of a simulated board move everybody's pieces, or only its usual ones."""
        ...

    def hardware(self) -> dict[str, Any]:
        """Return the state of the board: ``board``, ``kind``, ``backend``, ``nodes``, ``scan_hz``, ``scans_per_s``,
        ``health`` (words), ``lights`` (``pixels``, ``trouble``), ``simulated``, ``hands`` (whose pieces the simulated
        hand moves: ``none``, ``computer`` or ``all``; None: no simulated hand).
        """
        ...


class WorkshopService(Protocol):
    """What the host does with the board itself. Thread-safe; refusals are TableErrors."""

    def state(self) -> dict[str, Any]:
        """Return the present task, and the result of the last check."""
        ...

    def begin(self, what: str, *, pause: bool) -> None:
        """Take the board from the table and ``check`` or ``map`` it; ``pause``: a running game is paused for it."""
        ...

    def answer(self, choice: str) -> None:
        """Choose one of the answers of the present step."""
        ...

    def stop(self) -> None:
        """Give the board back to the table."""
        ...


class ProofService(TableService, Protocol):
    """A table with seals, lessons and reviews."""

    @property
    def lessons(self) -> LessonService:
        """Return the lessons at this table."""
        ...

    @property
    def reviews(self) -> ReviewService:
        """Return the reviews that this table makes."""
        ...

    def proof(self) -> View:
        """Return every seal of the game at the table, in the form of :meth:`firmware_host.archive.proof.Proof.to_dict`.

        No opening is included before its turn was revealed.
        """
        ...
