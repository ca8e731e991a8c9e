"""What can happen to a table, when, and what the world must do about it.

Every event carries ``at``, seconds on the runtime's monotonic clock. Events from people carry the seat that sends them.
From top to bottom: the events, the effects that the caller carries out, and the phases that accept each event. An event
that the phase does not list is the caller's error (:class:`firmware_host.table.errors.TableError`) and changes nothing.

What a request may put into an event is declared by the types of the event's fields: ``Annotated`` adds the keywords of
JSON Schema (:mod:`firmware_host.text.json_schema`) by which the panel and the table service check it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from firmware_host.games.game import Analysis
from firmware_host.games.positions import Seed
from firmware_host.table.clocks import ClockSetting
from firmware_host.text.words import Text, say, say_in

_BOUNDS = (("minimum", -1_000_000), ("maximum", 1_000_000))
Whole = Annotated[int, _BOUNDS]
Seat = Annotated[int, "Seat"]
Colour = Annotated[int, (*_BOUNDS, ("description", "1 to 8"))]
ComputerLevel = Annotated[int, (*_BOUNDS, ("description", "1, the weakest, to 5"))]
HintLevel = Annotated[int, (*_BOUNDS, ("description", "1, 2 or 3"))]
_WORD = (("maxLength", 200), ("description", "Printable characters only"))
Word = Annotated[str, _WORD]
What = Annotated[str, (_WORD[0], ("description", "take-back, reseal, void, loop, decided or draw"))]


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at a time."""

    at: float


@dataclass(frozen=True, kw_only=True)
class Tick(Event):
    """Time has passed: settling, waiting times and motions are checked."""


@dataclass(frozen=True, kw_only=True)
class SensorChanged(Event):
    """A node's debounced reading has changed; ``sensed`` as in :mod:`firmware_host.table.sensor_model`."""

    node: str
    sensed: str

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of the changed node."""
        return ((self.node, self.sensed),)


@dataclass(frozen=True, kw_only=True)
class BoardChanged(Event):
    """Several nodes changed with one scan, (node, sensed state) each: no board was seen between before and after."""

    sensed_states: tuple[tuple[str, str], ...]

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of each changed node."""
        return self.sensed_states


@dataclass(frozen=True, kw_only=True)
class BoardLost(Event):
    """The sensors have stopped answering; ``reason`` is shown."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class BoardBack(Event):
    """The sensors answer again."""


@dataclass(frozen=True, kw_only=True)
class SensorMasked(Event):
    """A node's sensor is ignored from now on. ``seat`` None: the host or the program decided it.

    The program gives the ``fault`` that it has found, a short text for programs, and the ``reason`` in words; what
    people decide has no further reason. The number of sensors that players may have ignored is limited.
    """

    node: Word
    reason: str = ""
    seat: Seat | None = None
    fault: str | None = None


@dataclass(frozen=True, kw_only=True)
class SensorUnmasked(Event):
    """A node's sensor is used again."""

    node: Word
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Noticed(Event):
    """A part has a fault, and play goes on: ``text`` says what is wrong and what to do; None: the fault is over.

    ``what`` is the kind of fault (``lights``, ``scans``).
    """

    what: str
    text: str | None


@dataclass(frozen=True, kw_only=True)
class ModeChosen(Event):
    """In the lobby: the game's mode changes. Seats that the mode does not have are vacated."""

    mode: Word


@dataclass(frozen=True, kw_only=True)
class SeatTaken(Event):
    """In the lobby a person (or ``computer``) takes a seat.

    ``claim`` is a random word that only this phone's signed cookie carries; it is new each time a seat is taken.
    ``level`` is a computer's level (:mod:`firmware_host.games.levels`); None: the game's usual level.
    """

    seat: int
    name: str
    claim: str
    computer: bool = False
    level: int | None = None


@dataclass(frozen=True, kw_only=True)
class ComputerSeated(Event):
    """The host lets a computer play a seat from now on: at another level, or in place of an absent person."""

    seat: int
    level: int | None = None


@dataclass(frozen=True, kw_only=True)
class Thinking(Event):
    """A computer has been thinking about a seat's action for a while; None: it has found one. Not journalled."""

    seat: int | None


@dataclass(frozen=True, kw_only=True)
class SeatLeft(Event):
    """In the lobby: a seat is vacated."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class SeatNamed(Event):
    """In the lobby: the seat's player changes its name."""

    seat: Seat
    name: Word


@dataclass(frozen=True, kw_only=True)
class SeatColoured(Event):
    """In the lobby: a seat's lights get this colour (1 to 8); a seat that has it gets the first one's in exchange."""

    seat: Seat
    colour: Colour


@dataclass(frozen=True, kw_only=True)
class ClocksChosen(Event):
    """In the lobby: the time control is chosen; None: no clocks."""

    setting: ClockSetting | None


@dataclass(frozen=True, kw_only=True)
class ClocksStopped(Event):
    """The program ends, or another game comes to the table: the state of the clocks is journalled."""


@dataclass(frozen=True, kw_only=True)
class SeatAsked(Event):
    """A phone without a seat asks the host for one that a person holds; ``code`` names it to people."""

    seat: int
    code: str


@dataclass(frozen=True, kw_only=True)
class AskRefused(Event):
    """The host refuses the phone that shows this code, or that phone withdraws its request."""

    code: Word


@dataclass(frozen=True, kw_only=True)
class SeatMoved(Event):
    """The host gives a person's seat to another phone: from now on its signed cookie carries this ``claim``."""

    seat: int
    claim: str


@dataclass(frozen=True, kw_only=True)
class GamePaused(Event):
    """The host pauses the game: players' events are refused, and the board is not judged, also after a
    restart.

    ``reason`` is set if the program paused the game; the host has to read it before the game goes on.
    """

    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class GameResumed(Event):
    """The host resumes the game; the board is checked as after a restart."""


@dataclass(frozen=True, kw_only=True)
class ActionUndone(Event):
    """The host takes the last action back at once, in any state in which players could propose it."""


@dataclass(frozen=True, kw_only=True)
class TurnVoided(Event):
    """The host declares the seals of this turn void: all seal again."""


@dataclass(frozen=True, kw_only=True)
class GameStarted(Event):
    """All seats are taken and somebody pressed start.

    ``seed`` deals a shuffled game; None: the seed that the table has drawn, and sealed, in the lobby. ``lots`` are the
    commitments of all tables of a room (first seat → commitment) to the lots that draw a shuffled stack instead.
    ``position`` is the text of a starting position that replaces the game's own. ``together``: all tables of the room
    are ready; else the wish is passed on to them.
    """

    together: bool = False
    seat: int | None = None
    seed: Seed | None = None
    lots: Mapping[int, str] | None = None
    position: str | None = None


@dataclass(frozen=True, kw_only=True)
class LotOpened(Event):
    """This table opens its secret number, 64 hex digits, for the lot that draws the next piece of the stack.

    ``seat`` is the first of the table's seats, by which the log names it.
    """

    seat: Seat
    number: str


@dataclass(frozen=True, kw_only=True)
class SealCommitted(Event):
    """A seat seals its placement: ``commitment`` is 64 hex digits, and final."""

    seat: Seat
    turn: Whole
    commitment: Word


@dataclass(frozen=True, kw_only=True)
class SealReady(Event):
    """A phone reports, after all have sealed, that it is awake and holds its seat's opening.

    Phones send openings only when all are ready: a lost phone is noticed before any opening has left its phone.
    """

    seat: Seat
    turn: Whole


@dataclass(frozen=True, kw_only=True)
class SealOpened(Event):
    """A seat opens its seal after all have sealed. ``nonce`` is 32 hex digits."""

    seat: Seat
    turn: Whole
    action: Word
    nonce: Word


@dataclass(frozen=True, kw_only=True)
class ActionChosen(Event):
    """The acting seat chooses its next step: the lights guide hands to it (a computer's choice is binding).

    An empty ``action`` cancels the choice. ``reason`` explains a computer's choice in a sentence, if it can.
    """

    seat: Seat
    action: Word
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Confirmed(Event):
    """The acting seat confirms on the phone that this action lies on the board (a stack or a masked node hides it)."""

    seat: Seat
    action: Word


@dataclass(frozen=True, kw_only=True)
class Resigned(Event):
    """A seat resigns."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class Proposed(Event):
    """A seat proposes something that all players must agree to.

    ``what`` is ``take-back`` (the last action), ``reseal`` (``about`` has lost the phone that holds its seal and seals
    again; None: the proposing seat), ``void`` (all seal the turn again), ``loop`` (the phase circles, and no search has
    decided whether it can end otherwise), ``decided`` (no play can change who wins), or ``draw``.
    """

    seat: Seat
    what: What
    about: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Agreed(Event):
    """A seat agrees to the open proposal."""

    seat: Seat
    what: What


@dataclass(frozen=True, kw_only=True)
class Declined(Event):
    """A seat declines the open proposal, or its proposer withdraws it."""

    seat: Seat
    what: What


@dataclass(frozen=True, kw_only=True)
class HintTaken(Event):
    """A seat asks for a hint about its next action. ``level``: 1 which piece, 2 which actions, 3 drawn as well.

    A hint chooses nothing: no event contains it, and neither lights nor hands follow it.
    """

    seat: Seat
    level: HintLevel


@dataclass(frozen=True, kw_only=True)
class HintsAllowed(Event):
    """The host allows or forbids a seat to ask for hints; None: every seat."""

    on: bool
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Greeted(Event):
    """A person gives the others a sign, one of :data:`firmware_host.table.company.SIGNS`. Not journalled."""

    seat: Seat
    sign: Word


@dataclass(frozen=True, kw_only=True)
class Spoken(Event):
    """A computer says something, a sentence of the program's own. Not journalled."""

    seat: int
    text: str


@dataclass(frozen=True, kw_only=True)
class CompanyChosen(Event):
    """The host allows, or forbids, the ``words`` of computers and the ``signs`` of people, at this table at all times.

    Not journalled: the host's page keeps it.
    """

    words: bool
    signs: bool


@dataclass(frozen=True)
class FarTables:
    """What a table knows of the other tables of its room (:mod:`firmware_host.link`).

    ``seats`` maps a seat that is played at another table to that table's name. ``writes``: whether this table writes
    the next entry of the game that they share. ``waits`` says why hands have to wait with the next action, if they do.
    """

    seats: Mapping[int, str]
    writes: bool = False
    waits: str | None = None
    resigning: frozenset[int] = frozenset()
    """The seats here that want to resign while another table writes the next entry; the table itself keeps them."""
    begins: bool = False
    """Whether somebody here wants the game to begin; the table itself keeps it."""


@dataclass(frozen=True, kw_only=True)
class FarTablesChanged(Event):
    """The other tables of the room have changed; None: this table is in no room. Not journalled."""

    far: FarTables | None


@dataclass(frozen=True)
class Pairing:
    """A board of a club's round that is to be played at this table. ``first`` is the name of who has the first seat."""

    tournament: int
    name: str
    """The tournament's."""
    round: int
    board: int
    game: str
    rules: tuple[str, ...]
    """The options that are on."""
    mode: str
    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class PairingsChanged(Event):
    """The table's club has assigned other boards to it. Not journalled: the club says it again."""

    pairings: Sequence[Pairing]


@dataclass(frozen=True, kw_only=True)
class EntryReceived(Event):
    """Another table's entry of the shared game: ``kind`` as in the journal, ``data`` as in docs/far-tables.md."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AnalysisFound(Event):
    """A search answers: its analysis of a position, given as text, after ``seconds`` of search.

    The answer is dropped if play has moved on meanwhile.
    """

    position: str
    analysis: Analysis
    seconds: float


# -- effects: what the caller does after an event, in order ------------------------------------------------------------


@dataclass(frozen=True)
class AppendEntry:
    """Append this entry to the journal, durably, before anything after it is shown."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class ShowView:
    """Something that people see has changed: draw lights and views again."""


@dataclass(frozen=True)
class Failed:
    """An unexpected error while the board was judged: log it. What the judgement would have changed stays as it was."""

    error: BaseException


Effect = AppendEntry | ShowView | Failed


# -- phases: the whole state machine at a glance -----------------------------------------------------------------------


PLAYING = frozenset({"setup", "sealing", "revealing", "placing", "resolving"})
BEGUN = PLAYING | {"clearing", "over"}
"""Until the next game is chosen: the last action of a game can be taken back, too."""
ANY = BEGUN | {"lobby"}

ALLOWED: Mapping[type[Event], frozenset[str]] = {
    Tick: ANY,
    SensorChanged: ANY,
    BoardChanged: ANY,
    BoardLost: ANY,
    BoardBack: ANY,
    SensorMasked: ANY,
    SensorUnmasked: ANY,
    Noticed: ANY,
    ModeChosen: frozenset({"lobby"}),
    SeatTaken: frozenset({"lobby"}),
    SeatLeft: frozenset({"lobby"}),
    ComputerSeated: PLAYING | {"lobby", "clearing"},
    Thinking: ANY,
    SeatNamed: frozenset({"lobby"}),
    SeatColoured: frozenset({"lobby"}),
    ClocksChosen: frozenset({"lobby"}),
    ClocksStopped: ANY,
    SeatAsked: ANY,
    AskRefused: ANY,
    SeatMoved: ANY,
    GamePaused: PLAYING | {"clearing"},
    GameResumed: ANY,
    ActionUndone: BEGUN,
    TurnVoided: PLAYING,
    GameStarted: frozenset({"lobby"}),
    LotOpened: PLAYING,
    SealCommitted: frozenset({"sealing"}),
    SealReady: frozenset({"revealing"}),
    SealOpened: frozenset({"revealing"}),
    ActionChosen: frozenset({"resolving"}),
    Confirmed: BEGUN - {"setup"},
    Resigned: PLAYING,
    Proposed: BEGUN,
    Agreed: BEGUN,
    Declined: BEGUN,
    HintTaken: PLAYING,
    HintsAllowed: PLAYING | {"lobby", "clearing"},
    AnalysisFound: ANY,
    FarTablesChanged: ANY,
    PairingsChanged: ANY,
    EntryReceived: ANY,
    Greeted: ANY,
    Spoken: ANY,
    CompanyChosen: ANY,
}
"""The phases that accept each event."""

PLAYER_EVENTS = (
    SealCommitted,
    SealReady,
    SealOpened,
    ActionChosen,
    Confirmed,
    Resigned,
    Proposed,
    Agreed,
    Declined,
    HintTaken,
)
"""Events of players in a game: refused while the host pauses the table."""

QUIET = (ClocksStopped, Tick, SensorChanged, BoardChanged, AnalysisFound)
"""Events that come often and mostly change nothing that people see."""

SAYS: Mapping[type[Event], str] = {
    ModeChosen: say("choosing a mode"),
    SeatTaken: say("taking a seat"),
    SeatLeft: say("leaving a seat"),
    ComputerSeated: say("giving a seat to a computer"),
    SeatNamed: say("choosing a name"),
    SeatColoured: say("choosing a colour"),
    ClocksChosen: say("choosing clocks"),
    GamePaused: say("pausing"),
    ActionUndone: say("taking back"),
    TurnVoided: say("voiding a turn"),
    GameStarted: say("starting"),
    SealCommitted: say("sealing"),
    SealReady: say("getting ready to open"),
    SealOpened: say("opening a seal"),
    ActionChosen: say("choosing a step"),
    Confirmed: say("confirming"),
    Resigned: say("resigning"),
    Proposed: say("proposing"),
    Agreed: say("agreeing"),
    Declined: say("declining"),
    HintTaken: say("asking for a hint"),
    HintsAllowed: say("allowing hints"),
}
"""The name of each refused event in a message."""

_PHASES: Mapping[str, Text] = {
    "lobby": say_in("phase", "the game has not begun"),
    "setup": say_in("phase", "the board is being set up"),
    "sealing": say_in("phase", "all are choosing a placement"),
    "revealing": say_in("phase", "the seals are being opened"),
    "placing": say_in("phase", "the stones are being put down"),
    "resolving": say_in("phase", "one player acts"),
    "clearing": say_in("phase", "pieces are being taken off the board"),
    "over": say_in("phase", "the game is over"),
}


def not_now(event: type[Event], phase: str) -> Text:
    """Return why a phase refuses an event."""
    return say("{action} is not possible now: {phase}", action=SAYS[event], phase=_PHASES[phase])
