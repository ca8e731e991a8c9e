"""Octiles as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random

from firmware_host.games.capabilities import Attempt, TileSupply
from firmware_host.games.foreign import ForeignGame
from firmware_host.games.game import (
    BadAction,
    BadPosition,
    GameError,
    GameOver,
    Layout,
    Occupancy,
    PieceMove,
    Removal,
    ScoreLine,
    Scoring,
    Stack,
    Status,
    Step,
    Transition,
)
from firmware_host.games.octiles import (
    board,
    boardspace,
    deal,
    flat,
    names,
    notation,
    rules,
    stages,
)
from firmware_host.games.octiles.board import HOMES, NODE, NODES, OPPOSITE, TILES, WELLS
from firmware_host.games.octiles.how_to_play import HOW_TO_PLAY
from firmware_host.games.octiles.lessons import CONDITIONS, LESSONS
from firmware_host.games.octiles.names import RUNNERS as RUNNER_NAMES
from firmware_host.games.octiles.player import thinking
from firmware_host.games.octiles.rules import EIGHTHS, RUNNERS, SEATED, Position, face_text
from firmware_host.games.setting_up import SetUpChoice, who_acts
from firmware_host.games.thinking import Budget, Strength, Thought
from firmware_host.text.words import capital, say

LETTER = {side: side[0] for side in board.SIDES}
"""Side → the piece letter of its runners."""


class Octiles:
    """The game; it has no state."""

    name = "octiles"
    title: str = say("Octiles")
    modes = tuple(SEATED)
    pieces: Mapping[str, str] = names.pieces()
    poles: Mapping[str, str] = dict.fromkeys(pieces, "N")
    tiles: Mapping[str, tuple[tuple[int, int], ...]] = {str(tile): lines for tile, lines in board.LINES.items()}
    endings: Mapping[str, str] = {
        "goal": say("All runners of one side are on their goal."),
        rules.DRAW: say("Nobody could move, or the same position has occurred for the third time."),
        rules.RESIGNED: say("The game ended by resignation."),
    }
    removal: Removal | None = None
    scoring: Scoring | None = Scoring(
        score=say("Runners on their goal"),
        tiebreak="",
        line=say("{score} runners on their goal"),
        hint=say("The first to have all runners on the goal wins at once; the others rank by runners there."),
        tied="",
        decides=False,
    )
    how_to_play = HOW_TO_PLAY
    highest = 1
    foreign = boardspace.WORDS
    lessons, conditions = LESSONS, CONDITIONS
    goals = True
    start_options: Sequence[str] = deal.OPTIONS
    lots = len(board.TILES)
    strengths: Sequence[Strength] = thinking.STRENGTHS
    first_steps: Strength | None = thinking.FIRST_STEPS

    def __init__(self) -> None:
        """Draw the board."""
        self._layout = board.layout()

    # -- what it is ----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the board's drawing: stops, pads and wells are its nodes."""
        return self._layout

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return the seats in turn order. Raise GameError for an unknown mode."""
        if mode not in SEATED:
            raise GameError(
                say("mode: expected one of {known}, got {given}", known=", ".join(SEATED), given=repr(mode))
            )
        return tuple(range(1, len(SEATED[mode]) + 1))

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return one tuple a player."""
        return tuple((seat,) for seat in self.seats(mode))

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return the pads of a seat's goal, clockwise."""
        side = SEATED[mode][self.seats(mode).index(seat)]
        return board.HOMES[board.OPPOSITE[side]]

    def start(self, mode: str) -> Position:
        """Return the set-up with the tiles dealt from seed 0."""
        return self.start_with(mode, {})

    def start_with(self, mode: str, options: Mapping[str, object]) -> Position:
        """Return the set-up with tiles dealt from a ``seed``, or given by ``stack`` and ``turned``.

        Raise GameError naming a wrong option.
        """
        self.seats(mode)
        return rules.start(mode, *deal.from_options(mode, options))

    def start_by_lot(self, mode: str) -> Position:
        """Return the set-up before any tile is known: no lot has laid the tiles of the three-player game yet."""
        self.seats(mode)
        return rules.start(mode, tuple(board.TILES), ())

    def lots_needed(self, position: Position) -> int:
        """Return how many tiles have to be known before the seat to move can act."""
        return rules.lots_needed(position)

    def with_lot(self, position: Position, number: int, lot: int) -> Position:
        """Return a position once a lot has picked a tile, and the turning of one that is laid before play."""
        return rules.with_lot(position, number, lot)

    def as_known(self, position: Position, now: Position) -> Position:
        """Return a position of a game with the tiles that are unseen now, later, in ascending order."""
        return rules.as_known(position, now.unseen)

    def parse(self, text: str) -> Position:
        """Return the position of a text; its past is unknown. Raise BadPosition."""
        return rules.parse(text)

    def text(self, position: Position) -> str:
        """Return a position's text."""
        return rules.text(position)

    def turn(self, position: Position) -> int:
        """Return the turn, from 1; for a position from a text the smallest possible number."""
        return position.number

    def actor(self, position: Position) -> int | None:
        """Return the seat to move."""
        return None if self.status(position).over else position.seat

    def simultaneous(self, position: Position) -> bool:  # noqa: ARG002 - other games need it
        """Return False: players take turns."""
        return False

    # -- actions -------------------------------------------------------------------------------------------------

    def actions(self, position: Position) -> Mapping[int, Sequence[str]]:
        """Return the legal turns of the seat to move; only a pass if there is none (R1)."""
        if self.status(position).over:
            return {}
        return {position.seat: notation.texts(rules.legal_turns(position))}

    def check(self, position: Position, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        self._check_turn(position, (seat,))
        stages.legal(position, action)

    def why_not(self, position: Position, attempt: Attempt, done: Sequence[str] = ()) -> str | None:
        """Return the rule that forbids an attempt after the finished stages; None if it is part of a turn."""
        return stages.why_not(position, attempt, tuple(done))

    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        """Apply the turn, or the pass, of the seat to move."""
        self._check_turn(position, tuple(actions))
        turn = stages.legal(position, actions[position.seat])
        after = rules.after_pass(position) if turn is None else rules.after_turn(position, turn)
        return Transition(after, self.status(after), self.occupancy(after))

    def resign(self, position: Position, seat: int) -> Transition[Position]:
        """Let a seat resign: its runners stay and move no more; the last player left wins."""
        if self.status(position).over:
            raise GameOver(say("the game is over"))
        if seat not in self.seats(position.mode):
            known = list(self.seats(position.mode))
            raise BadAction(say("seat: expected one of {known}, got {given}", known=known, given=seat))
        if seat in position.resigned:
            raise BadAction(say("seat {seat} has resigned already", seat=seat))
        after = rules.resign(position, seat)
        return Transition(after, self.status(after), self.occupancy(after))

    def _check_turn(self, position: Position, seats: tuple[int, ...]) -> None:
        if self.status(position).over:
            raise GameOver(say("the game is over"))
        if seats != (position.seat,):
            raise BadAction(
                say(
                    "actions: expected one action of seat {seat}, got seats {given}",
                    seat=position.seat,
                    given=sorted(seats),
                )
            )

    # -- results -------------------------------------------------------------------------------------------------

    def status(self, position: Position) -> Status:
        """Return the status; its scores are each seat's runners on the goal."""
        return rules.status(position)

    def explain(self, position: Position) -> Sequence[ScoreLine]:
        """Return each seat's runners on its goal, pad by pad."""
        places = {seat: position.in_goal(seat) for seat in self.seats(position.mode)}
        return [
            ScoreLine((seat,), len(nodes), 0, {board.NODES[node]: 1 for node in nodes})
            for seat, nodes in places.items()
        ]

    # -- for hands and sensors -----------------------------------------------------------------------------------

    def occupancy(self, position: Position) -> Occupancy:
        """Return the runner on each node and the tile, as it is turned, in each well."""
        return _occupancy(position)

    def steps(self, position: Position) -> Sequence[Step]:
        """Return the hands' work for each legal turn; nothing for a pass."""
        if self.status(position).over:
            return []
        now = _occupancy(position)
        return [
            _pass_step(now) if action == notation.PASS else stages.whole_step(position, now, action)
            for action in notation.texts(rules.legal_turns(position))
        ]

    def stage(self, position: Position, done: Sequence[str]) -> Sequence[Step]:
        """Return the steps of the next stage: the places of the top tile; once it lies, the runner's moves."""
        if self.status(position).over:
            return []
        now = _occupancy(position)
        if done:
            return stages.runner_steps(position, _board_after(position, now, done), done[0])
        return stages.tile_steps(position, now) or [_pass_step(now)]

    def board_after(self, position: Position, done: Sequence[str]) -> Occupancy:
        """Return the board with the tile of the finished stage."""
        return _board_after(position, _occupancy(position), done)

    def tidying(self, position: Position, action: str) -> str | None:
        """Return the task of putting a covered tile away, in words."""
        turn = notation.parse(action)
        covered = position.faces[turn[0]] // EIGHTHS if turn else 0
        return say("tile {tile} goes to the bottom of the stack", tile=covered) if covered else None

    def supply(self, position: Position) -> TileSupply:
        """Return the tile on top of the stack."""
        return TileSupply(str(position.stack[0]), len(position.stack))

    def placements(
        self,
        position: Position,  # noqa: ARG002 - other games need it
        actions: Mapping[int, str],  # noqa: ARG002
    ) -> Sequence[tuple[int, PieceMove]]:
        """Return nothing: no actions are simultaneous."""
        return ()

    def words(self, action: str) -> str:
        """Say an action in English. Raise BadAction for what is none."""
        return notation.words(action)

    def prompt(self, position: Position) -> str:
        """Return the task: put the top tile and move a runner, leave the home side, or pass."""
        offered = rules.legal_turns(position)
        tile = position.stack[0]
        if not offered.turns:
            return say("no turn is possible with tile {tile}: pass", tile=tile)
        if offered.vacating:
            return say("lay tile {tile} and move a runner off the home side, as all pads there are occupied", tile=tile)
        return say("lay tile {tile} and move a runner along a line across it", tile=tile)

    def plays(self, position: Position) -> Mapping[int, str]:
        """Return the piece letter of each seat's runners."""
        return {seat: LETTER[side] for seat, side in enumerate(SEATED[position.mode], 1)}

    def decisive(self, position: Position) -> Sequence[str]:  # noqa: ARG002 - other games need it
        """Return no nodes: the winner's goal is lit."""
        return ()

    # -- chance --------------------------------------------------------------------------------------------------

    def random_action(self, position: Position, seat: int, rng: Random) -> str:
        """Return a random legal action of a seat."""
        offered = self.actions(position).get(seat)
        if not offered:
            raise BadAction(say("seat {seat} does not act now", seat=seat))
        return rng.choice(offered)

    def think(self, position: Position, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank the turns of the seat to move; of turnings with the same lines only the smallest one is ranked.

        The result does not depend on the order of unseen tiles.
        """
        self._check_turn(position, (seat,))
        return thinking.think(position, budget, rng)

    def playout(self, position: Position, rng: Random) -> Status:
        """Play random turns to the end and return the status."""
        if self.status(position).over:
            return self.status(position)
        game = _flat()
        game.begin(position)
        game.seed(rng.getrandbits(32))
        game.playout()
        if game.ending == flat.DRAW:
            return _DRAW
        return Status(over=True, reason="goal", winners=(int(game.winner) + 1,))

    def perft(self, position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of so many turns. Raise OverBudget when time is out."""
        if self.status(position).over:
            return 1
        game = _flat()
        game.begin(position)
        return game.perft(depth, out_of_time)

    # -- games that other programs have written ---------------------------------------------------------------------

    def read_foreign(self, text: str) -> ForeignGame | None:
        """Return the game in a text of another program, None if it is of another form. Raise UnreadableText."""
        return boardspace.read(self, text)

    # -- positions that are set up by hand -------------------------------------------------------------------------

    def set_up_choices(self, mode: str) -> Sequence[SetUpChoice]:
        """Return what has to be chosen beside the board."""
        return _set_up_choices(mode)

    def set_up(self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> Position:
        """Return the position in which these pieces lie. Raise BadPosition."""
        return _set_up_position(mode, lying, int(chosen["seat"]), rng)


_DRAW = Status(over=True, reason=rules.DRAW)


@cache
def _flat() -> flat.FlatOctiles:
    """Return the flat form for random games and counts; it keeps no position from one to the next."""
    return flat.FlatOctiles()


_LYING = tuple((face_text(face),) for face in range(len(board.PARTNER)))
"""The stack of each face; none lies with face 0."""


def _occupancy(position: Position) -> dict[str, Stack]:
    lying: dict[str, Stack] = {
        board.NODES[node]: (LETTER[side],)
        for side, nodes in zip(SEATED[position.mode], position.runners, strict=True)
        for node in nodes
    }
    for well, face in zip(board.WELLS, position.faces, strict=True):
        if face:
            lying[well] = _LYING[face]
    return lying


def _board_after(position: Position, now: Occupancy, done: Sequence[str]) -> Occupancy:
    if len(done) > 1:
        raise BadAction(say("stages: expected one at most, the tile's, got {count}", count=len(done)))
    return stages.board_with_tile(position, now, done[0]) if done else now


def _pass_step(now: Occupancy) -> Step:
    return Step(notation.PASS, notation.words(notation.PASS), (), now, frozenset())


# -- positions that are set up by hand ---------------------------------------------------------------------------------


def _set_up_choices(mode: str) -> Sequence[SetUpChoice]:
    """Return the sides."""
    return [who_acts({str(seat): capital(RUNNER_NAMES[side]) for seat, side in enumerate(SEATED[mode], 1)})]


def _set_up_position(mode: str, lying: Occupancy, seat: int, rng: Random) -> Position:
    """Return the position. Raise BadPosition."""
    faces = tuple(_face(well, lying.get(well, ("",))[0]) for well in WELLS)
    laid = [face // EIGHTHS for face in faces if face]
    for tile in laid:
        if laid.count(tile) > 1:
            raise BadPosition(say("tile {tile} lies twice, but there is only one", tile=tile))
    runners = tuple(_runners(mode, side, lying) for side in SEATED[mode])
    stack = [tile for tile in TILES if tile not in laid]
    rng.shuffle(stack)
    return rules.parse(rules.text(Position(faces, runners, tuple(stack), mode, seat)))


def _face(well: str, piece: str) -> int:
    if not piece:
        return 0
    tile, _, turned = piece.partition("r")
    if tile not in map(str, TILES) or turned not in map(str, range(EIGHTHS)):
        raise BadPosition(say("only tiles lie in wells: look at {well}", well=well))
    return int(tile) * EIGHTHS + int(turned)


def _runners(mode: str, side: str, lying: Occupancy) -> tuple[int, ...]:
    nodes = [node for node in NODES if lying.get(node) == (side[0],)]
    name = RUNNER_NAMES[side]
    if len(nodes) != RUNNERS[mode]:
        raise BadPosition(
            say("{runner}: {count} of {most} are on the board",
                runner=capital(name), count=len(nodes), most=RUNNERS[mode])
        )  # fmt: skip
    for node in nodes:
        if any(node in HOMES[other] for other in HOMES if other not in {side, OPPOSITE[side]}):
            raise BadPosition(say("{runner} on {node}: no runner stands on others' pads", runner=name, node=node))
    return tuple(NODE[node] for node in nodes)


GAME = Octiles()
