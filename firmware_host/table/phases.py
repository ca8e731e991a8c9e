"""Which events each phase of a table accepts: the whole state machine at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.table import events as ev
from firmware_host.text.words import Text, say, say_in

PLAYING = frozenset({"setup", "sealing", "revealing", "placing", "resolving"})
BEGUN = PLAYING | {"clearing", "over"}
"""Until the next game is chosen: the last action of a game can be taken back, too."""
ANY = BEGUN | {"lobby"}

ALLOWED: Mapping[type[ev.Event], frozenset[str]] = {
    ev.Tick: ANY,
    ev.SensorChanged: ANY,
    ev.BoardChanged: ANY,
    ev.BoardLost: ANY,
    ev.BoardBack: ANY,
    ev.SensorMasked: ANY,
    ev.SensorUnmasked: ANY,
    ev.Noticed: ANY,
    ev.ModeChosen: frozenset({"lobby"}),
    ev.SeatTaken: frozenset({"lobby"}),
    ev.SeatLeft: frozenset({"lobby"}),
    ev.ComputerSeated: PLAYING | {"lobby", "clearing"},
    ev.Thinking: ANY,
    ev.SeatNamed: frozenset({"lobby"}),
    ev.SeatColoured: frozenset({"lobby"}),
    ev.ClocksChosen: frozenset({"lobby"}),
    ev.ClocksStopped: ANY,
    ev.SeatAsked: ANY,
    ev.AskRefused: ANY,
    ev.SeatMoved: ANY,
    ev.GamePaused: PLAYING | {"clearing"},
    ev.GameResumed: ANY,
    ev.ActionUndone: BEGUN,
    ev.TurnVoided: PLAYING,
    ev.GameStarted: frozenset({"lobby"}),
    ev.SealCommitted: frozenset({"sealing"}),
    ev.SealReady: frozenset({"revealing"}),
    ev.SealOpened: frozenset({"revealing"}),
    ev.ActionChosen: frozenset({"resolving"}),
    ev.Confirmed: frozenset({"resolving", "placing", "over"}),
    ev.Resigned: PLAYING,
    ev.Proposed: BEGUN,
    ev.Agreed: BEGUN,
    ev.Declined: BEGUN,
    ev.HintTaken: PLAYING,
    ev.HintsAllowed: PLAYING | {"lobby", "clearing"},
    ev.Foreseen: ANY,
}
"""The phases that accept each event."""

PLAYER_EVENTS = (
    ev.SealCommitted,
    ev.SealReady,
    ev.SealOpened,
    ev.ActionChosen,
    ev.Confirmed,
    ev.Resigned,
    ev.Proposed,
    ev.Agreed,
    ev.Declined,
    ev.HintTaken,
)
"""Events of players in a game: refused while the host pauses the table."""

QUIET = (ev.ClocksStopped, ev.Tick, ev.SensorChanged, ev.BoardChanged, ev.Foreseen)
"""Events that come often and mostly change nothing that people see."""

SAYS: Mapping[type[ev.Event], str] = {
    ev.ModeChosen: say("choosing a mode"),
    ev.SeatTaken: say("taking a seat"),
    ev.SeatLeft: say("leaving a seat"),
    ev.ComputerSeated: say("giving a seat to a computer"),
    ev.SeatNamed: say("choosing a name"),
    ev.SeatColoured: say("choosing a colour"),
    ev.ClocksChosen: say("choosing clocks"),
    ev.GamePaused: say("pausing"),
    ev.ActionUndone: say("taking back"),
    ev.TurnVoided: say("voiding a turn"),
    ev.GameStarted: say("starting"),
    ev.SealCommitted: say("sealing"),
    ev.SealReady: say("getting ready to open"),
    ev.SealOpened: say("opening a seal"),
    ev.ActionChosen: say("choosing a step"),
    ev.Confirmed: say("confirming"),
    ev.Resigned: say("resigning"),
    ev.Proposed: say("proposing"),
    ev.Agreed: say("agreeing"),
    ev.Declined: say("declining"),
    ev.HintTaken: say("asking for a hint"),
    ev.HintsAllowed: say("allowing hints"),
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


def not_now(event: type[ev.Event], phase: str) -> Text:
    """Return why a phase refuses an event."""
    return say("{action} is not possible now: {phase}", action=SAYS.get(event) or say("that"), phase=_PHASES[phase])
