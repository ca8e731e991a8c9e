"""Which event each phase of a table takes: the whole machine at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.table import events as ev

PLAYING = frozenset({"setup", "sealing", "revealing", "placing", "resolving"})
ANY = PLAYING | {"lobby", "clearing", "over"}

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
    ev.SeatNamed: frozenset({"lobby"}),
    ev.SeatColoured: frozenset({"lobby"}),
    ev.SeatAsked: ANY,
    ev.AskRefused: ANY,
    ev.SeatMoved: ANY,
    ev.Held: PLAYING | {"clearing"},
    ev.GoneOn: ANY,
    ev.TakenBack: PLAYING,
    ev.GameStarted: frozenset({"lobby"}),
    ev.SealCommitted: frozenset({"sealing"}),
    ev.SealReady: frozenset({"revealing"}),
    ev.SealOpened: frozenset({"revealing"}),
    ev.ActionChosen: frozenset({"resolving"}),
    ev.Confirmed: frozenset({"resolving", "placing"}),
    ev.Resigned: PLAYING,
    ev.Proposed: PLAYING,
    ev.Agreed: PLAYING,
    ev.Declined: PLAYING,
    ev.GuidanceChosen: PLAYING,
    ev.Foreseen: ANY,
}
"""Which events each phase takes."""

DEEDS = (
    ev.SealCommitted,
    ev.SealReady,
    ev.SealOpened,
    ev.ActionChosen,
    ev.Confirmed,
    ev.Resigned,
    ev.Proposed,
    ev.Agreed,
    ev.Declined,
    ev.GuidanceChosen,
)
"""What players do in a game: nothing of it counts while the host holds the table."""

QUIET = (ev.Tick, ev.SensorChanged, ev.BoardChanged, ev.Foreseen)
"""Events that come often and mostly change nothing that people see."""

SAYS: Mapping[type[ev.Event], str] = {
    ev.ModeChosen: "choosing a mode",
    ev.SeatTaken: "taking a seat",
    ev.SeatLeft: "leaving a seat",
    ev.SeatNamed: "choosing a name",
    ev.SeatColoured: "choosing a colour",
    ev.Held: "pausing",
    ev.TakenBack: "taking back",
    ev.GameStarted: "starting",
    ev.SealCommitted: "sealing",
    ev.SealReady: "being ready to open",
    ev.SealOpened: "opening a seal",
    ev.ActionChosen: "choosing a step",
    ev.Confirmed: "confirming",
    ev.Resigned: "resigning",
    ev.Proposed: "proposing",
    ev.Agreed: "agreeing",
    ev.Declined: "declining",
    ev.GuidanceChosen: "choosing guidance",
}
"""What a refused event is called in a message."""
