"""What can happen to a table, when, and what the world must do about it.

Every event carries ``at``, seconds on the runtime's monotonic clock. Events from people carry the seat that sends them.
Each event says at its class which phases take it, and how it is called where it is refused; that is the caller's error
(:class:`firmware_host.table.errors.TableError`) and changes nothing. After the events come the effects that the caller
carries out.

What a request may put into an event is declared by the types of the event's fields: ``Annotated`` adds the keywords of
JSON Schema (:mod:`firmware_host.text.json_schema`) by which the panel and the table service check it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, cast, dataclass_transform

from firmware_host.games.game import Analysis
from firmware_host.games.positions import Seed
from firmware_host.table.clocks import ClockSetting
from firmware_host.text.words import Text, say, say_in

BOUNDS = (("minimum", -1_000_000), ("maximum", 1_000_000))
Whole = Annotated[int, BOUNDS]
Seat = Annotated[int, "Seat"]
Colour = Annotated[int, (*BOUNDS, ("description", "1 to 8"))]
ComputerLevel = Annotated[int, (*BOUNDS, ("description", "1, the weakest, to 5"))]
_WORD = (("maxLength", 200), ("description", "Printable characters only"))
Word = Annotated[str, _WORD]
What = Annotated[str, (_WORD[0], ("description", "take-back, reseal, void, loop, decided or draw"))]


# -- phases ------------------------------------------------------------------------------------------------------------

LOBBY, SEALING, REVEALING, RESOLVING = (frozenset({one}) for one in ("lobby", "sealing", "revealing", "resolving"))
PLAYING = frozenset({"setup", "sealing", "revealing", "placing", "resolving"})
BEGUN = PLAYING | {"clearing", "over"}
"""Until the next game is chosen: the last action of a game can be taken back, too."""
ANY = BEGUN | LOBBY

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


@dataclass(frozen=True)
class Request:
    """A request of the panel that is nothing but an event: its path, what it does, the event's fields that it has.

    Paths below ``/api/host/`` are the host's, others a player's: the seat of a player's event is the player's own.
    """

    path: str
    summary: str
    fields: str


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at a time."""

    phases: ClassVar[frozenset[str]]
    """The phases that take it."""
    title: ClassVar[str] = ""
    """What it does, in the message of a phase that refuses it."""
    by_player: ClassVar[bool] = False
    """Whether a player of a game sends it: refused while the host pauses the table."""
    quiet: ClassVar[bool] = False
    """Whether it comes often and mostly changes nothing that people see."""
    requests: ClassVar[Sequence[Request]] = ()
    """The panel's requests that are nothing but this event."""
    line: ClassVar[str] = ""
    """Its request in the table service's protocol (docs/table-protocol.md), and the fields that the line has."""
    always: ClassVar[Mapping[str, object]] = {}
    """What an event of such a line always has."""

    at: float


E = TypeVar("E", bound=type[Event])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(
    phases: frozenset[str],
    title: str = "",
    *,
    by_player: bool = False,
    quiet: bool = False,
    line: str = "",
    always: Mapping[str, object] | None = None,
) -> Callable[[E], E]:
    """Return a decorator that makes a class an event, as in :class:`Event`. What may be refused needs a ``title``."""

    def declare(of: E) -> E:
        if phases != ANY and not title:
            raise TypeError(f"{of.__name__}: a phase may refuse it, so it needs a name for people")
        of.phases, of.title, of.by_player, of.quiet = phases, title, by_player, quiet
        of.line, of.always = line, always or {}
        return cast("E", dataclass(frozen=True, kw_only=True)(of))

    return declare


def post(path: str, summary: str, fields: str = "") -> Callable[[E], E]:
    """Return a decorator: the event is a :class:`Request` by itself."""

    def declare(of: E) -> E:
        of.requests = (Request(path, summary, fields), *of.requests)
        return of

    return declare


# -- the events --------------------------------------------------------------------------------------------------------


@event(ANY, quiet=True)
class Tick(Event):
    """Time has passed: settling, waiting times and motions are checked."""


@event(ANY, quiet=True)
class SensorChanged(Event):
    """A node's debounced reading has changed; ``sensed`` as in :mod:`firmware_host.table.sensor_model`."""

    node: str
    sensed: str

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of the changed node."""
        return ((self.node, self.sensed),)


@event(ANY, quiet=True)
class BoardChanged(Event):
    """Several nodes changed with one scan, (node, sensed state) each: no board was seen between before and after."""

    sensed_states: tuple[tuple[str, str], ...]

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of each changed node."""
        return self.sensed_states


@event(ANY, line="lose-board", always={"reason": say("The board does not answer: {error}", error="lose-board")})
class BoardLost(Event):
    """The sensors have stopped answering; ``reason`` is shown."""

    reason: str


@event(ANY, line="regain-board")
class BoardBack(Event):
    """The sensors answer again."""


@event(ANY)
class Noticed(Event):
    """A part has a fault, and play goes on: ``text`` says what is wrong and what to do; None: the fault is over.

    ``what`` is the kind of fault (``lights``, ``scans``).
    """

    what: str
    text: str | None


@post("/api/host/mode", "Choose another mode in the lobby", "mode")
@event(LOBBY, say("choosing a mode"))
class ModeChosen(Event):
    """In the lobby: the game's mode changes. Seats that the mode does not have are vacated."""

    mode: Word


@event(LOBBY, say("taking a seat"))
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


@event(PLAYING | {"lobby", "clearing"}, say("giving a seat to a computer"))
class ComputerSeated(Event):
    """The host lets a computer play a seat from now on: at another level, or in place of an absent person."""

    seat: int
    level: int | None = None


@event(ANY)
class Thinking(Event):
    """A computer has been thinking about a seat's action for a while; None: it has found one. Not journalled."""

    seat: int | None


@post("/api/host/dismiss", "The seat's player leaves the seat, in the lobby", "seat")
@event(LOBBY, say("leaving a seat"))
class SeatLeft(Event):
    """In the lobby: a seat is vacated."""

    seat: Seat


@event(LOBBY, say("choosing a name"))
class SeatNamed(Event):
    """In the lobby: the seat's player changes its name."""

    seat: Seat
    name: Word


@post("/api/colour", "Choose the colour of your lights, in the lobby", "colour")
@post("/api/host/colour", "Give a seat a colour, in the lobby", "seat colour")
@event(LOBBY, say("choosing a colour"))
class SeatColoured(Event):
    """In the lobby: a seat's lights get this colour (1 to 8); a seat that has it gets the first one's in exchange."""

    seat: Seat
    colour: Colour


@event(LOBBY, say("choosing clocks"))
class ClocksChosen(Event):
    """In the lobby: the time control is chosen; None: no clocks."""

    setting: ClockSetting | None


@event(ANY, quiet=True)
class ClocksStopped(Event):
    """The program ends, or another game comes to the table: the state of the clocks is journalled."""


@event(ANY)
class SeatAsked(Event):
    """A phone without a seat asks the host for one that a person holds; ``code`` names it to people."""

    seat: int
    code: str


@post("/api/host/refuse", "Refuse the phone that shows this code", "code")
@event(ANY)
class AskRefused(Event):
    """The host refuses the phone that shows this code, or that phone withdraws its request."""

    code: Word


@event(ANY)
class SeatMoved(Event):
    """The host gives a person's seat to another phone: from now on its signed cookie carries this ``claim``."""

    seat: int
    claim: str


@post("/api/host/pause", "Pause the game: nothing that players do counts")
@event(PLAYING | {"clearing"}, say("pausing"), line="pause")
class GamePaused(Event):
    """The host pauses the game: players' events are refused, and the board is not judged, also after a
    restart.

    ``reason`` is set if the program paused the game; the host has to read it before the game goes on.
    """

    reason: str | None = None


@post("/api/host/continue", "Let the game go on")
@event(ANY, line="resume")
class GameResumed(Event):
    """The host resumes the game; the board is checked as after a restart."""


@post("/api/host/take-back", "Take the last action back, at once")
@event(BEGUN, say("taking back"), line="take-back")
class ActionUndone(Event):
    """The host takes the last action back at once, in any state in which players could propose it."""


@post("/api/host/void", "Declare the seals of this turn void: all seal again")
@event(PLAYING, say("voiding a turn"), line="void")
class TurnVoided(Event):
    """The host declares the seals of this turn void: all seal again."""


@event(LOBBY, say("starting"))
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


@event(PLAYING, say("drawing a lot"))
class LotOpened(Event):
    """This table opens its secret number, 64 hex digits, for the lot that draws the next piece of the stack.

    ``seat`` is the first of the table's seats, by which the log names it.
    """

    seat: Seat
    number: str


@post("/api/seal", "Seal the placement of this turn; final", "turn commitment")
@event(SEALING, say("sealing"), by_player=True)
class SealCommitted(Event):
    """A seat seals its placement: ``commitment`` is 64 hex digits, and final."""

    seat: Seat
    turn: Whole
    commitment: Word


@post("/api/ready", "Say that this phone is awake and holds its opening", "turn")
@event(REVEALING, say("getting ready to open"), by_player=True)
class SealReady(Event):
    """A phone reports, after all have sealed, that it is awake and holds its seat's opening.

    Phones send openings only when all are ready: a lost phone is noticed before any opening has left its phone.
    """

    seat: Seat
    turn: Whole


@post("/api/open", "Open the seal when all have sealed", "turn action nonce")
@event(REVEALING, say("opening a seal"), by_player=True)
class SealOpened(Event):
    """A seat opens its seal after all have sealed. ``nonce`` is 32 hex digits."""

    seat: Seat
    turn: Whole
    action: Word
    nonce: Word


@post("/api/choose", "Choose the next step", "action")
@event(RESOLVING, say("choosing a step"), by_player=True, line="choose seat action")
class ActionChosen(Event):
    """The acting seat chooses its next step: the lights guide hands to it (a computer's choice is binding).

    An empty ``action`` cancels the choice. ``reason`` explains a computer's choice in a sentence, if it can.
    """

    seat: Seat
    action: Word
    reason: str | None = None


@post("/api/confirm", "Say that this step lies on the board", "action")
@event(BEGUN - {"setup"}, say("confirming"), by_player=True, line="confirm seat action")
class Confirmed(Event):
    """The acting seat confirms on the phone that this action lies on the board (a stack or a masked node hides it)."""

    seat: Seat
    action: Word


@post("/api/resign", "Resign")
@event(PLAYING, say("resigning"), by_player=True, line="resign seat")
class Resigned(Event):
    """A seat resigns."""

    seat: Seat


@post("/api/propose", "Propose what all must agree to; `about`: who lost a seal", "what about")
@event(BEGUN, say("proposing"), by_player=True, line="propose seat what about")
class Proposed(Event):
    """A seat proposes something that all players must agree to.

    ``what`` is ``take-back`` (the last action), ``reseal`` (``about`` has lost the phone that holds its seal and seals
    again; None: the proposing seat), ``void`` (all seal the turn again), ``loop`` (the phase circles, and no search has
    decided whether it can end otherwise), ``decided`` (no play can change who wins), or ``draw``.
    """

    seat: Seat
    what: What
    about: Seat | None = None


@post("/api/agree", "Agree to the open proposal", "what")
@event(BEGUN, say("agreeing"), by_player=True, line="agree seat what")
class Agreed(Event):
    """A seat agrees to the open proposal."""

    seat: Seat
    what: What


@post("/api/decline", "Decline the open proposal, or take it back", "what")
@event(BEGUN, say("declining"), by_player=True, line="decline seat what")
class Declined(Event):
    """A seat declines the open proposal, or its proposer withdraws it."""

    seat: Seat
    what: What


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


@event(ANY)
class FarTablesChanged(Event):
    """The other tables of the room have changed; None: this table is in no room. Not journalled."""

    far: FarTables | None


@event(ANY)
class EntryReceived(Event):
    """Another table's entry of the shared game: ``kind`` and ``data`` as in the journal."""

    kind: str
    data: Mapping[str, Any]
    own: bool = False
    """Whether this table has accepted it once already, and has lost that since."""


@event(ANY, quiet=True)
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


# -- refusals ----------------------------------------------------------------------------------------------------------


def not_now(event: type[Event], phase: str) -> Text:
    """Return why a phase refuses an event."""
    return say("{action} is not possible now: {phase}", action=event.title, phase=_PHASES[phase])
