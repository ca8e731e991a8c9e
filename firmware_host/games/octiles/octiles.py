"""Octiles as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules.

A turn has two stages, first the tile, then the runner (octiles.md, A turn). No part of a turn counts before the
runner's move: the tile may be turned again or put elsewhere, if a legal turn begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from random import Random

from firmware_host.games.capabilities import Attempt, TileSupply
from firmware_host.games.game import (
    BadAction,
    Defaults,
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
from firmware_host.games.octiles import board, deal, flat, names, notation, rules
from firmware_host.games.octiles.board import (
    DEAD,
    FIRST_NODE,
    NODE,
    NODES,
    PADS,
    PARTNER,
    WELL,
    WELLS,
)
from firmware_host.games.octiles.how_to_play import HOW_TO_PLAY
from firmware_host.games.octiles.lessons import CONDITIONS, LESSONS
from firmware_host.games.octiles.player import thinking
from firmware_host.games.octiles.rules import EIGHTHS, GOAL, HOME, SEATED, Position, face_text
from firmware_host.games.thinking import Budget, Strength, Thought
from firmware_host.text.words import fill, say

_IS_OF = {
    "blue": say("the runner on {node} is blue, and it is the turn of {side}"),
    "red": say("the runner on {node} is red, and it is the turn of {side}"),
    "yellow": say("the runner on {node} is yellow, and it is the turn of {side}"),
    "green": say("the runner on {node} is green, and it is the turn of {side}"),
}

KEPT = 4
"""Number of positions whose turns are cached: those of the present, the last and the next. A position has a thousand
turns and takes half a megabyte."""


def tile_stage(position: Position, text: str) -> tuple[int, int]:
    """Return well and eighths of the stage ``b3r5``. Raise BadAction if no legal turn begins with it."""
    found = _by_text(position).get(text)
    if found is not None:
        return found
    raise BadAction(
        say(
            "stage: expected a well and a turning with which a turn is legal, such as {example}, got {given}",
            example="b3r5",
            given=repr(text[:20]),
        )
    )


def tile_steps(position: Position, now: Occupancy) -> list[Step]:
    """Return the steps that put the top tile, one for each beginning of a legal turn."""
    return [_tile(position, now, well, eighths) for well, eighths in stage_beginnings(position)]


def runner_steps(position: Position, now: Occupancy, text: str) -> list[Step]:
    """Return the runners' steps after the tile of a stage. ``now`` is the board with the tile."""
    well, eighths = tile_stage(position, text)
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    onward = rules.ways(faces)
    return [_runner(onward, now, turn) for turn in runner_turns(position, well, eighths)]


def runner_turns(position: Position, well: int, eighths: int) -> Sequence[rules.Turn]:
    """Return the sorted legal turns that begin with the top tile in this well, turned so."""
    return _turns(position).get((well, eighths), ())


def board_with_tile(position: Position, now: Occupancy, text: str) -> Occupancy:
    """Return the board with the tile of a stage. Raise BadAction as :func:`tile_stage` does."""
    well, eighths = tile_stage(position, text)
    return _with_tile(position, now, well, eighths)


def whole_step(position: Position, now: Occupancy, action: str) -> Step:
    """Return the step of a whole turn: a covered tile is taken out, the top one put in, the runner moved."""
    text = action.partition(":")[0]
    tile = _tile(position, now, *tile_stage(position, text))
    runner = next(step for step in runner_steps(position, tile.after, text) if step.action == action)
    touches = tile.touches | runner.touches
    return replace(runner, words=notation.words(action), moves=(*tile.moves, *runner.moves), touches=touches)


@lru_cache(maxsize=KEPT)
def stage_beginnings(position: Position) -> tuple[tuple[int, int], ...]:
    """Return every (well, eighths) with which a legal turn begins, sorted."""
    return tuple(sorted(_turns(position)))


@lru_cache(maxsize=KEPT)
def _by_text(position: Position) -> Mapping[str, tuple[int, int]]:
    """Return the same by the texts of the stages."""
    return {notation.laid_text(*stage): stage for stage in stage_beginnings(position)}


@lru_cache(maxsize=KEPT)
def _turns(position: Position) -> Mapping[tuple[int, int], Sequence[rules.Turn]]:
    """Return the legal turns by the (well, eighths) with which they begin."""
    found: dict[tuple[int, int], list[rules.Turn]] = {}
    for turn in map(rules.decode, sorted(rules.legal_turns(position).turns)):
        found.setdefault(turn[:2], []).append(turn)
    return found


def _tile(position: Position, now: Occupancy, well: int, eighths: int) -> Step:
    """Return the step that puts the top tile; a tile in that well is taken out first."""
    place, tile = WELLS[well], position.stack[0]
    new = PieceMove((face_text(tile * EIGHTHS + eighths),), None, place)
    moves = (PieceMove(now[place], place, None), new) if place in now else (new,)
    words = names.tile_words(tile, place, eighths)
    after = _with_tile(position, now, well, eighths)
    return Step(notation.laid_text(well, eighths), words, moves, after, frozenset((place,)), partial=True)


def _runner(onward: Sequence[int], now: Occupancy, turn: rules.Turn) -> Step:
    """Return the step of a runner along its line; on a loop it is lifted and put back."""
    source, target = NODES[turn[2]], NODES[turn[3]]
    after = dict(now)
    after[target] = after.pop(source)
    return Step(
        notation.text(rules.code(turn)),
        names.run_words(source, target),
        (PieceMove(now[source], source, target),),
        after,
        frozenset((source, target)),
        line=notation.line(onward, turn),
        tap_twice=frozenset((source,)) if source == target else frozenset(),
    )


def _with_tile(position: Position, now: Occupancy, well: int, eighths: int) -> Occupancy:
    return {**now, WELLS[well]: (face_text(position.stack[0] * EIGHTHS + eighths),)}


# -- why not ---------------------------------------------------------------------------------------------------------


def legal(position: Position, action: str) -> rules.Turn | None:
    """Return the turn of a text, None for a pass. Raise BadAction (saying why) if it is not legal."""
    turn = notation.parse(action)
    offered = rules.legal_turns(position)
    if turn is None:
        if offered.turns:
            example = notation.text(min(offered.turns))
            raise BadAction(say("pass: expected a turn, as one is legal (ruling R1), such as {turn}", turn=example))
        return None
    if rules.code(turn) not in offered.turns:
        well, eighths, source, target = turn
        reason = _why_no_run(position, Attempt(NODES[source], NODES[target]), well, eighths)
        raise BadAction(say("action: {reason}", reason=reason))
    return turn


def why_not(position: Position, attempt: Attempt, done: tuple[str, ...]) -> str | None:
    """Return why an attempt is not part of a legal turn after these stages; None if it is."""
    if done:
        well, eighths = tile_stage(position, done[0])
        return _why_no_run(position, attempt, well, eighths)
    if attempt.source is None:
        return _why_not_laid(position, attempt.target or "", attempt.piece)
    if attempt.source in NODE:
        reason = _why_not_own(position, attempt.source)
        return reason or say("tile {tile} is laid first, then a runner moves", tile=position.stack[0])
    if not position.faces[WELL[attempt.source]]:
        return say("there is no tile in {well}", well=attempt.source)
    if attempt.target is not None:
        return say("a tile that has been laid is never moved")
    return _why_not_laid(position, attempt.source, None)  # A tile is taken out to be covered.


def _why_not_laid(position: Position, place: str, piece: str | None) -> str | None:
    """Return why the next tile can't be put in a well, with the sensed turning or with any."""
    top = position.stack[0]
    if place not in WELL:
        return say("{node} takes no tile: tile {tile} is laid in a well", node=place, tile=top)
    tile, _, turned = (piece or str(top)).partition("r")
    if tile != str(top):
        return say("tile {top} is on top of the stack: that one is laid now", top=top)
    beginnings = stage_beginnings(position)
    eighths = int(turned) if turned else None
    if any(well == WELL[place] and eighths in {None, turn} for well, turn in beginnings):
        return None
    if not beginnings:
        return say("no turn is possible with tile {tile}: the player passes", tile=top)
    return _why_no_line(position, place, eighths)


def _why_no_line(position: Position, place: str, eighths: int | None) -> str:
    """Return why no runner can move along a line across a tile in a well."""
    onward, side = rules.ways(position.faces), position.side
    comes = [
        (node, edge)
        for node in position.runners[position.seat - 1]
        if node not in GOAL[side]
        for edge in rules.crossings(onward, node)
        if edge >> 3 == WELL[place]
    ]
    if not comes:
        words = say("no line leads from a runner of {side} to {well}, and one has to move across the new tile")
        return fill(words, side=names.SIDES[side], well=place)
    if rules.legal_turns(position).vacating and all(node not in HOME[side] for node, _ in comes):
        return _leave_home(side)
    if eighths is None:
        return say(
            "every line across {well} ends where no runner of {side} may stop", side=names.SIDES[side], well=place
        )
    node, edge = next((one for one in comes if one[0] in HOME[side]), comes[0])
    end = rules.end(onward, edge, PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, node, place, end)


def _ends(position: Position, node: int, well: str, end: int) -> str:
    """Return why a runner can't move along a line that ends at this node."""
    source = NODES[node]
    if end == DEAD:
        return say("the line from {source} across {well} ends at a well without a tile", source=source, well=well)
    target = NODES[end - FIRST_NODE]
    if PADS[end - FIRST_NODE] and end - FIRST_NODE not in GOAL[position.side]:
        return say(
            "the line from {source} across {well} ends on {end}, a pad that is not the goal of {side}",
            source=source,
            well=well,
            end=target,
            side=names.SIDES[position.side],
        )
    if target == source or not any(end - FIRST_NODE in nodes for nodes in position.runners):
        return _leave_home(position.side)
    return say(
        "the line from {source} across {well} ends on {end}, which is taken", source=source, well=well, end=target
    )


def _leave_home(side: str) -> str:
    return say("all home pads of {side} are taken: a runner has to leave one of them", side=names.SIDES[side])


def _why_not_own(position: Position, node: str) -> str | None:
    """Return why the piece on a node is not a runner of the seat to move; None if it is."""
    for seat, nodes in enumerate(position.runners, 1):
        if NODE[node] in nodes:
            side = SEATED[position.mode][seat - 1]
            whose = fill(_IS_OF[side], node=node, side=names.SIDES[position.side])
            return None if seat == position.seat else whose
    return say("there is no runner on {node}", node=node)


def _why_no_run(position: Position, attempt: Attempt, well: int, eighths: int) -> str | None:
    """Return why a runner can't make this move with the tile as it lies."""
    source, target = attempt.source, attempt.target
    if source is None or source in WELL:
        if source is not None and WELL[source] == well:  # The tile put last may still be lifted and put elsewhere.
            return None if target is None else _why_not_laid(position, target, None)
        return say("the tile is laid: now a runner moves along a line across it")
    reason = _why_not_own(position, source)
    if reason is not None:
        return reason
    if NODE[source] in GOAL[position.side]:
        return say("the runner on {node} has reached its goal and stays there", node=source)
    ends = [turn[3] for turn in runner_turns(position, well, eighths) if turn[2] == NODE[source]]
    if target is None:
        return None if ends else _why_it_stays(position, source, well, eighths)
    return None if NODE.get(target) in ends else _why_not_there(position, source, target, well)


def _why_it_stays(position: Position, source: str, well: int, eighths: int) -> str:
    if rules.legal_turns(position).vacating and NODE[source] not in HOME[position.side]:
        return _leave_home(position.side)
    onward, name = rules.ways(position.faces), WELLS[well]
    found = [edge for edge in rules.crossings(onward, NODE[source]) if edge >> 3 == well]
    if not found:
        return say("no line from {source} crosses the tile on {well}", source=source, well=name)
    end = rules.end(onward, found[0], PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, NODE[source], name, end)


def _why_not_there(position: Position, source: str, target: str, well: int) -> str:
    if target in WELL:
        return say("runners stop on stops and on pads, never in a well")
    node, side = NODE[target], position.side
    if PADS[node] and node not in GOAL[side]:
        return say(
            "{node} is a pad that is not the goal of {side}: no runner stops there", node=target, side=names.SIDES[side]
        )
    if target != source and any(node in nodes for nodes in position.runners):
        return say("{node} is taken", node=target)
    if rules.legal_turns(position).vacating and NODE[source] not in HOME[side]:
        return _leave_home(side)
    return say(
        "no line leads from {source} to {target} across the tile on {well}",
        source=source,
        target=target,
        well=WELLS[well],
    )


LETTER = {side: side[0] for side in board.SIDES}
"""Side → the piece letter of its runners."""


class Octiles(Defaults[Position]):
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
        legal(position, action)

    def why_not(self, position: Position, attempt: Attempt, done: Sequence[str] = ()) -> str | None:
        """Return the rule that forbids an attempt after the finished stages; None if it is part of a turn."""
        return why_not(position, attempt, tuple(done))

    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        """Apply the turn, or the pass, of the seat to move."""
        self._check_turn(position, tuple(actions))
        turn = legal(position, actions[position.seat])
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
            _pass_step(now) if action == notation.PASS else whole_step(position, now, action)
            for action in notation.texts(rules.legal_turns(position))
        ]

    def stage(self, position: Position, done: Sequence[str]) -> Sequence[Step]:
        """Return the steps of the next stage: the places of the top tile; once it lies, the runner's moves."""
        if self.status(position).over:
            return []
        now = _occupancy(position)
        if done:
            return runner_steps(position, _board_after(position, now, done), done[0])
        return tile_steps(position, now) or [_pass_step(now)]

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

    # -- chance --------------------------------------------------------------------------------------------------

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
    return board_with_tile(position, now, done[0]) if done else now


def _pass_step(now: Occupancy) -> Step:
    return Step(notation.PASS, notation.words(notation.PASS), (), now, frozenset())


GAME = Octiles()
