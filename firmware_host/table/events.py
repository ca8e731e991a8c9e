"""What can happen to a table. Every event carries ``at``, seconds on the runtime's monotonic clock.

Events from people carry the seat that speaks; an event that the table's state does not list is the caller's error
(:class:`firmware_host.table.errors.TableError`) and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.games.game import Analysis
from firmware_host.table.clocks import ClockSetting
from firmware_host.table.dealing import Seed


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at a time."""

    at: float


@dataclass(frozen=True, kw_only=True)
class Tick(Event):
    """Time has passed: settle, waits and motions are looked at."""


@dataclass(frozen=True, kw_only=True)
class SensorChanged(Event):
    """A node's debounced reading has changed; ``sight`` as in :mod:`firmware_host.table.senses`."""

    node: str
    sight: str

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sight) of what has changed."""
        return ((self.node, self.sight),)


@dataclass(frozen=True, kw_only=True)
class BoardChanged(Event):
    """Several nodes have changed with one scan, (node, sight) each: there was no board between before and after."""

    sights: tuple[tuple[str, str], ...]

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sight) of what has changed."""
        return self.sights


@dataclass(frozen=True, kw_only=True)
class BoardLost(Event):
    """The sensors have stopped answering; ``reason`` is shown."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class BoardBack(Event):
    """The sensors answer again."""


@dataclass(frozen=True, kw_only=True)
class SensorMasked(Event):
    """A node's sensor is not to be believed any more. ``seat`` None: the host says so, or the program found out.

    Of what a player says the reason is always the same, and only so many at a time are taken.
    """

    node: str
    reason: str
    seat: int | None = None


@dataclass(frozen=True, kw_only=True)
class SensorUnmasked(Event):
    """A node's sensor is believed again."""

    node: str
    seat: int | None = None


@dataclass(frozen=True, kw_only=True)
class Noticed(Event):
    """Something is wrong with a part, and play goes on: ``text`` says it and what to do, None that it is over.

    ``what`` tells one such matter from another (``lights``, ``scans``).
    """

    what: str
    text: str | None


@dataclass(frozen=True, kw_only=True)
class ModeChosen(Event):
    """In the lobby: another mode of the game. Seats that the mode does not have are vacated."""

    mode: str


@dataclass(frozen=True, kw_only=True)
class SeatTaken(Event):
    """In the lobby a person (or ``computer``) takes a seat.

    ``claim`` is a random word that only this phone's signed cookie carries: it tells this sitting from an earlier one.
    ``level`` is that of a computer (:mod:`firmware_host.games.levels`), None: the game's usual one.
    """

    seat: int
    name: str
    claim: str
    computer: bool = False
    level: int | None = None


@dataclass(frozen=True, kw_only=True)
class ComputerSeated(Event):
    """The host lets a computer play a seat from now on: at another level, or in place of a person who is away."""

    seat: int
    level: int | None = None


@dataclass(frozen=True, kw_only=True)
class Thinking(Event):
    """A computer has been thinking for a while about the action of a seat; None: it has found one. Not journalled."""

    seat: int | None


@dataclass(frozen=True, kw_only=True)
class SeatLeft(Event):
    """In the lobby a seat is given up."""

    seat: int


@dataclass(frozen=True, kw_only=True)
class SeatNamed(Event):
    """In the lobby: the seat's player has another name from now on."""

    seat: int
    name: str


@dataclass(frozen=True, kw_only=True)
class SeatColoured(Event):
    """In the lobby: a seat's lights are of this colour (1 to 8); the seat that had it gets the other's in exchange."""

    seat: int
    colour: int


@dataclass(frozen=True, kw_only=True)
class ClocksChosen(Event):
    """In the lobby: time is kept in this way; None: not at all."""

    setting: ClockSetting | None


@dataclass(frozen=True, kw_only=True)
class ClocksStopped(Event):
    """The program ends, or another game comes to the table: what stands on the clocks is written down."""


@dataclass(frozen=True, kw_only=True)
class SeatAsked(Event):
    """A phone without a seat asks the host for one that a person holds; ``code`` names it to people."""

    seat: int
    code: str


@dataclass(frozen=True, kw_only=True)
class AskRefused(Event):
    """The host refuses the phone that shows this code, or that phone asks no more."""

    code: str


@dataclass(frozen=True, kw_only=True)
class SeatMoved(Event):
    """The host lets another phone have a person's seat: from now on its signed cookie carries this ``claim``."""

    seat: int
    claim: str


@dataclass(frozen=True, kw_only=True)
class GamePaused(Event):
    """The host pauses the game: nothing that players do counts, and the board is not judged. Not journalled.

    ``reason``: the program itself does, and the host has to read why before it goes on.
    """

    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class GameResumed(Event):
    """The host lets the game go on; the board is looked at as after a restart."""


@dataclass(frozen=True, kw_only=True)
class ActionUndone(Event):
    """The host takes the last action back, at once, wherever players could have proposed it."""


@dataclass(frozen=True, kw_only=True)
class TurnVoided(Event):
    """The host declares the seals of this turn void: all seal again."""


@dataclass(frozen=True, kw_only=True)
class GameStarted(Event):
    """All seats are taken and somebody pressed start.

    ``seed`` is what a game that is shuffled is dealt from; None: what the table has drawn, and sealed, in the lobby.
    ``position`` is the text of a position to begin with instead of the game's own start.
    """

    seat: int | None = None
    seed: Seed | None = None
    position: str | None = None


@dataclass(frozen=True, kw_only=True)
class SealCommitted(Event):
    """A seat seals its placement: ``commitment`` is 64 hex digits, and final."""

    seat: int
    turn: int
    commitment: str


@dataclass(frozen=True, kw_only=True)
class SealReady(Event):
    """A phone says that it is awake and holds its seat's opening, after all have sealed.

    Phones send openings only when all are ready: so a phone that is lost is noticed while nobody's opening has left
    the phone that keeps it.
    """

    seat: int
    turn: int


@dataclass(frozen=True, kw_only=True)
class SealOpened(Event):
    """A seat opens its seal after all have sealed. ``nonce`` is 32 hex digits."""

    seat: int
    turn: int
    action: str
    nonce: str


@dataclass(frozen=True, kw_only=True)
class ActionChosen(Event):
    """The acting seat names the step it wants to make next: the lights guide it there (a computer is bound to it).

    An empty ``action`` takes that back. ``reason`` says why, in a sentence, where a computer can.
    """

    seat: int
    action: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Confirmed(Event):
    """The acting seat says on the phone that this action lies on the board (a stack or a masked node hides it)."""

    seat: int
    action: str


@dataclass(frozen=True, kw_only=True)
class Resigned(Event):
    """A seat resigns."""

    seat: int


@dataclass(frozen=True, kw_only=True)
class Proposed(Event):
    """A seat proposes something that all players must agree to.

    ``what`` is ``take-back`` (the last action), ``reseal`` (``about`` has lost the phone that holds its seal, and seals
    anew; None: the one who proposes), ``void`` (all seal the turn anew), ``loop`` (the phase circles, and no search has
    decided whether anything leads out), or ``decided`` (no play can change who wins).
    """

    seat: int
    what: str
    about: int | None = None


@dataclass(frozen=True, kw_only=True)
class Agreed(Event):
    """A seat agrees to the open proposal."""

    seat: int
    what: str


@dataclass(frozen=True, kw_only=True)
class Declined(Event):
    """A seat declines the open proposal, or its proposer withdraws it."""

    seat: int
    what: str


@dataclass(frozen=True, kw_only=True)
class HintTaken(Event):
    """A seat asks for a hint about what it can do now. ``told``: 1 which piece, 2 which actions, 3 shown by light.

    ``action`` is what the lights then lead to. A hint about what is sealed is never shown by light, and no event says
    what it was.
    """

    seat: int
    told: int
    action: str | None = None


@dataclass(frozen=True, kw_only=True)
class HintsAllowed(Event):
    """The host says whether a seat may ask for hints; None: every seat."""

    on: bool
    seat: int | None = None


@dataclass(frozen=True, kw_only=True)
class Foreseen(Event):
    """A search beside the table answers: what it knows of a position, given as text, after looking for ``seconds``.

    Play may have moved on meanwhile; then the answer is let go.
    """

    position: str
    foresight: Analysis
    seconds: float
