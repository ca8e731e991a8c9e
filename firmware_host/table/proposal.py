"""A question to all players: what is proposed, and which seats have agreed or declined."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_host.games.game import Decision
from firmware_host.text.words import fill, say

OBJECTION_S = 20.0
"""How long the phone that is said to be lost may object, seconds: if it is in use, it shows the question at once.

A phone that a turn waits for has the same time to open its seal before that turn is void.
"""

PAUSE_S = 30.0
"""How long a seat waits before it repeats a declined proposal while the game has not moved on, seconds."""

WORDS = {
    "take-back": say("to take back the last action"),
    "reseal": say("that {name} seals this turn again, as that seal is lost; all other seals stay valid"),
    "void": say("that all seal this turn again"),
    "loop": say("to call this a loop that nothing leads out of"),
    "decided": say("to end the game"),
}
_SAID_TO_BE_LOST = say(
    "that {name} seals this turn again, as that seal is lost; all other seals stay valid, "
    "unless {name} objects within {seconds} seconds"
)
_VOID_UNLESS_OPEN = say("that all seal this turn again, unless every seal is open within {seconds} seconds")
_PLACEMENTS = say("to take back the placements of turn {turn}: all seal that turn again")
_COME_OFF = say("{what}: the stones on {nodes} come off")
_COME_OFF_AT_THE_END = say("{what}: the stones on {nodes} come off and the game ends")


@dataclass(frozen=True)
class Proposal:
    """An open question to all: ``what`` a key of WORDS, ``by`` the seat that asks, ``agreed`` the seats that agree.

    ``nodes`` are the nodes that a loop would clear, as known when it was asked, ``ends`` whether that ends the game:
    people agree to what they have read. ``decision`` is why the game's end can be proposed. ``about`` is the seat whose
    seal is lost: it is not asked.
    """

    what: str
    by: int
    agreed: frozenset[int]
    nodes: tuple[str, ...] = ()
    ends: bool = False
    decision: Decision | None = None
    about: int | None = None
    name: str = ""
    """The name of that seat's player."""
    turn: int | None = None
    """The turn whose placements are taken back, if the last moment was a reveal."""
    moment: object = None
    """The moment of the game that it is about. Once the game has moved on, agreeing would do something else."""
    due: float | None = None
    """When the time for objections ends: that seat may object to the loss of its seal; where the turn is to be void,
    phones that are waited for may open.
    """

    @property
    def words(self) -> str:
        """Return the sentence of the proposal."""
        if self.about is not None:
            lost = WORDS["reseal"] if self.due is None else _SAID_TO_BE_LOST
            return fill(lost, name=self.name, seconds=round(OBJECTION_S))
        if self.due is not None:
            return fill(_VOID_UNLESS_OPEN, seconds=round(OBJECTION_S))
        if self.turn is not None:
            return fill(_PLACEMENTS, turn=self.turn)
        if self.decision:
            return say("{what}: {reason}", what=WORDS[self.what], reason=self.decision.words)
        if not self.nodes:
            return WORDS[self.what]
        return fill(
            _COME_OFF_AT_THE_END if self.ends else _COME_OFF, what=WORDS[self.what], nodes=", ".join(self.nodes)
        )

    def with_vote(self, seat: int) -> Proposal:
        """Return the proposal with one more seat that agrees."""
        return replace(self, agreed=self.agreed | {seat})


@dataclass(frozen=True)
class Declined:
    """A declined proposal: the seat, after how many moments, and until when it can't be repeated."""

    what: str
    by: int
    about: int | None
    moments: int
    until: float
