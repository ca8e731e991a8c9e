"""The puzzles that a position is, as a question to the search beside the table and as a request to the engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.analysis.questions import ENDS_MEMORY, Answer, check_accepted, check_kind, each, strictly
from firmware_host.analysis.questions import SECONDS as LONGEST
from firmware_host.extensions.puzzles.puzzle import Puzzle, puzzles_at
from firmware_host.services.engine import POSITION, SECONDS, SearchTime, position_of
from firmware_host.services.json_lines import Verb
from firmware_host.text.json_reader import Fields
from firmware_host.text.json_reader import seconds as seconds_of


@dataclasses.dataclass(frozen=True)
class PuzzleAnswer(Answer):
    """The puzzles that a position is."""

    puzzles: Sequence[Puzzle] = ()


@dataclasses.dataclass(frozen=True)
class PuzzleQuestion:
    """A question for the puzzles that a position is: of each kind one at most."""

    game: str
    position: str
    seconds: float = LONGEST

    memory = ENDS_MEMORY

    def request(self) -> dict[str, Any]:
        """Return the engine's request, without its id."""
        return {"do": "pose", "game": self.game, "position": self.position, "seconds": self.seconds}

    @staticmethod
    def read(given: Mapping[str, Any]) -> PuzzleAnswer:
        """Return the answer in an engine's. Raise UnreadableAnswer."""
        with strictly():
            check_accepted(given)
            return PuzzleAnswer(puzzles=tuple(_puzzle(one) for one in check_kind(given["puzzles"], list)))


def _puzzle(given: Any) -> Puzzle:
    game, kind, position = (check_kind(given[name], str) for name in ("game", "kind", "position"))
    seat, ends, looked = (check_kind(given[name], int) for name in ("seat", "ends", "looked"))
    replies = {check_kind(one, str): check_kind(wrong, str) for one, wrong in given["replies"].items()}
    return Puzzle(game, kind, position, seat, each(given["answer"], str), ends, looked, replies)


def _pose(request: Fields) -> dict[str, Any]:
    game, position = position_of(request)
    out_of_time = SearchTime(seconds_of(request, "seconds", SECONDS)).over
    return {"puzzles": [dataclasses.asdict(puzzle) for puzzle in puzzles_at(game, position, out_of_time)]}


POSE = Verb("pose", f"{POSITION} seconds", _pose)
"""The verb of the engine protocol."""
