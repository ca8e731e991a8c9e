"""Spokes as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from random import Random

from firmware_host.games.capabilities import ENDLESS, Attempt, Facts
from firmware_host.games.game import (
    Analysis,
    BadAction,
    Defaults,
    GameError,
    GameOver,
    Layout,
    Occupancy,
    OverBudget,
    PieceMove,
    Removal,
    ScoreLine,
    Scoring,
    Status,
    Step,
    Transition,
)
from firmware_host.games.spokes import board, notation, rules
from firmware_host.games.spokes.board import ACROSS, HOMES, INDEX, NEAR, NEIGHBOURS, NODES, STRAIGHT, members
from firmware_host.games.spokes.flat import Leftovers, Listing
from firmware_host.games.spokes.how_to_play import HOW_TO_PLAY
from firmware_host.games.spokes.lessons import CONDITIONS, LESSONS
from firmware_host.games.spokes.player import FIRST_STEPS, STRENGTHS, think
from firmware_host.games.spokes.rules import SEATS, TEAMS, Cells, Position, counts, occupied_nodes
from firmware_host.games.spokes.search import proofs
from firmware_host.games.spokes.search.proofs import LoopFinder
from firmware_host.games.thinking import Budget, Strength, Thought
from firmware_host.text.words import fill, say, say_many


class Spokes(Defaults[Position]):
    """The game; its only state are caches."""

    name = "spokes"
    title: str = say("Spokes")
    modes: tuple[str, ...] = rules.MODES
    pieces: Mapping[str, str] = notation.COLOURS
    poles: Mapping[str, str] = {"w": "N", "b": "S"}
    endings: Mapping[str, str] = rules.WORDS
    removal: Removal | None = Removal(
        meaning="loop",
        message=say("An unbreakable loop has ended the game."),
        node=say("take the stone on {node} off: it is in the loop"),
        event=say("An unbreakable loop: the stones on {nodes} are removed."),
    )
    goals = False
    how_to_play = HOW_TO_PLAY
    lessons, conditions = LESSONS, CONDITIONS
    strengths: Sequence[Strength] = STRENGTHS
    first_steps: Strength | None = FIRST_STEPS
    scoring: Scoring | None = Scoring(
        score=say("On home nodes"),
        tiebreak=say("In the sector"),
        line=say("{score} on home nodes, {tiebreak} in the sector"),
        hint=say("Stones on home nodes count, a block as two."),
        tied=say("If scores are equal, more stones in one's own sector decide, then the higher seat number."),
    )

    def __init__(self) -> None:
        """Begin with empty caches."""
        self._loops = proofs.LoopFinder()
        self._large_loops = proofs.LoopFinder(proofs.BUDGET, kept=1)
        places = board.coordinates()
        self._layout = Layout(
            nodes=places,
            lines=tuple((board.NODES[one], board.NODES[other]) for one, other in board.LINES),
            circles=(1.0, 2.0, 3.0, 4.0),
            placeable=frozenset(board.NODES[:29]),
        )

    # -- what it is ----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the board's drawing."""
        return self._layout

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return the seats of a mode. Raise GameError for an unknown one."""
        if mode not in SEATS:
            raise GameError(say("mode: expected one of {known}, got {given}", known=", ".join(SEATS), given=repr(mode)))
        return SEATS[mode]

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return a tuple of seats for each player or team."""
        return TEAMS[mode]

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return a seat's home nodes."""
        return rules.homes_of(mode, seat)

    def start(self, mode: str) -> Position:
        """Return the empty board."""
        self.seats(mode)
        return rules.start(mode)

    def parse(self, text: str) -> Position:
        """Return the position of a text. Raise BadPosition."""
        return notation.parse(text)

    def text(self, position: Position) -> str:
        """Return a position's text."""
        return notation.text(position)

    def turn(self, position: Position) -> int:
        """Return the turn, from 1."""
        return position.turn

    def actor(self, position: Position) -> int | None:
        """Return the resolver."""
        return None if position.phase == "over" else position.resolver

    def simultaneous(self, position: Position) -> bool:
        """Return whether this is the placement phase."""
        return position.phase == "place"

    # -- actions -------------------------------------------------------------------------------------------------

    def actions(self, position: Position) -> Mapping[int, Sequence[str]]:
        """Return the legal actions: placements of all seats, or the resolver's steps."""
        if position.phase == "over":
            return {}
        if position.phase == "place":
            offered = sorted(colour + board.NODES[node] for colour, node in rules.placements(position))
            return dict.fromkeys(position.active, offered)
        return {position.resolver: sorted(act.text for act in rules.legal_steps(position.cells))}

    def check(self, position: Position, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        if position.phase == "over":
            raise GameOver(say("the game is over"))
        if position.phase == "place":
            self._check_placement(position, seat, action)
            return
        if seat != position.resolver:
            raise BadAction(say("seat {seat}: seat {other} resolves this turn", seat=seat, other=position.resolver))
        self._act(position, action)

    def why_not(self, position: Position, attempt: Attempt, done: Sequence[str] = ()) -> str | None:  # noqa: ARG002
        """Return the rule that forbids an attempt; None if it is a placement or part of a step."""
        return why_not(position, attempt)

    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        """Apply all seats' placements, or the resolver's step."""
        if position.phase == "over":
            raise GameOver(say("the game is over"))
        if position.phase == "place":
            expected = position.active
            if tuple(sorted(actions)) != expected:
                raise BadAction(
                    say(
                        "actions: expected a placement of each of seats {seats}, got {given}",
                        seats=list(expected),
                        given=sorted(actions),
                    )
                )
            for seat, action in sorted(actions.items()):
                self._check_placement(position, seat, action)
            cells = position.cells
            for _, move in self.placements(position, actions):
                cells = rules.add(cells, board.INDEX[move.target or ""], move.pieces)
        else:
            if tuple(actions) != (position.resolver,):
                raise BadAction(
                    say(
                        "actions: expected one step of seat {seat}, got seats {given}",
                        seat=position.resolver,
                        given=sorted(actions),
                    )
                )
            cells = rules.after(position.cells, self._act(position, actions[position.resolver]))
            position = replace(position, met=rules.Boards(position.met, position.cells))
        return self._arrive(replace(position, cells=cells, phase="resolve"))

    def resign(self, position: Position, seat: int) -> Transition[Position]:
        """Let a seat resign (R10): it no longer places; the next seat resolves in its place."""
        if position.phase == "over":
            raise GameOver(say("the game is over"))
        if seat not in SEATS[position.mode]:
            known = list(SEATS[position.mode])
            raise BadAction(say("seat: expected one of {known}, got {given}", known=known, given=seat))
        if seat in position.resigned:
            raise BadAction(say("seat {seat} has resigned already", seat=seat))
        left = replace(position, resigned=tuple(sorted((*position.resigned, seat))))
        placed = self.occupancy(position)
        if len(rules.teams_left(left)) == 1:
            over = replace(left, phase="over")
            return Transition(over, rules.status(over, "resigned"), placed)
        if position.resolver == seat:
            left = replace(left, resolver=rules.next_resolver(left))
        return Transition(left, Status(over=False), placed)

    def _arrive(self, position: Position) -> Transition[Position]:
        """Return the transition to new cells: more steps, the next turn, or the end."""
        rest = rules.at_rest(position.cells)
        nodes = 0 if rest else self._loops.nodes(position.cells)
        if not rest and not nodes:
            return Transition(position, Status(over=False), self.occupancy(position))
        return self._end(position, nodes)

    def _end(self, position: Position, nodes: int) -> Transition[Position]:
        """Return the transition out of the phase, at rest or by a loop that clears nodes: the next turn, or the end."""
        following, status = rules.phase_over(position, nodes)
        return Transition(following, status, self.occupancy(position), _single(position.cells, nodes))

    def _check_placement(self, position: Position, seat: int, action: str) -> None:
        if seat not in position.active:
            raise BadAction(say("seat {seat} does not place", seat=seat))
        colour, node = notation.placement(action)
        reason = why_not(position, Attempt(None, node, colour))
        if reason is not None:
            raise BadAction(say("placement: {reason}", reason=reason))

    def _act(self, position: Position, action: str) -> rules.SpokesStep:
        for act in rules.legal_steps(position.cells):
            if act.text == action:
                return act
        raise BadAction(say("step: {action} is not possible now", action=repr(action[:20])))

    # -- results -------------------------------------------------------------------------------------------------

    def status(self, position: Position) -> Status:
        """Return the status; without a reason if the position does not show it."""
        return rules.status(position)

    def explain(self, position: Position) -> Sequence[ScoreLine]:
        """Return the present scores."""
        return rules.explain(position)

    # -- for hands and sensors -----------------------------------------------------------------------------------

    def occupancy(self, position: Position) -> Occupancy:
        """Return the stacks; black stones are listed below white ones."""
        return _occupancy(position.cells)

    def steps(self, position: Position) -> Sequence[Step]:
        """Return the hands' work for each step of the resolver."""
        if position.phase != "resolve":
            return ()
        now, found = self.occupancy(position), []
        for act in sorted(rules.legal_steps(position.cells), key=lambda act: act.text):
            after = rules.after(position.cells, act)
            # Hands may clear the nodes of a loop at once.
            found.append(_step(now, act, frozenset(_single(after, self._loops.nodes(after)))))
        return found

    def placements(
        self,
        position: Position,  # noqa: ARG002 - other games need it
        actions: Mapping[int, str],
    ) -> Sequence[tuple[int, PieceMove]]:
        """Return (seat, move) for revealed placements, in seat order. Raise BadAction for other text."""
        moves = []
        for seat, action in sorted(actions.items()):
            colour, node = notation.placement(action)
            moves.append((seat, PieceMove((colour,), None, node)))
        return moves

    def words(self, action: str) -> str:
        """Return an action in words."""
        return notation.words(action)

    def prompt(self, position: Position) -> str:
        """Return the task, with the number of possible steps."""
        count = len(rules.legal_steps(position.cells)) if position.phase == "resolve" else 0
        return say_many(
            "move a lit stone; {count} step is possible",
            "move a lit stone; {count} steps are possible",
            count,
        )

    def facts(self, position: Position) -> Facts:
        """Return the stones that are not on the board."""
        return Facts(stock=dict(zip("wb", rules.supply(position.cells), strict=True)))

    def plays(self, position: Position) -> Mapping[int, str]:  # noqa: ARG002 - other games need it
        """Return nothing: stones belong to nobody."""
        return {}

    # -- chance and search ---------------------------------------------------------------------------------------

    def think(self, position: Position, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank a seat's actions. Raise GameOver, or BadAction if the seat does not act now."""
        return think(position, seat, budget, rng)

    def playout(self, position: Position, rng: Random) -> Status:
        """Play random actions to the end and return the status."""
        return playout(position, rng)

    def perft(self, position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of so many actions. Raise OverBudget when time is out."""
        return Counting(self._loops, out_of_time).count(position, depth)

    def outcomes(
        self,
        position: Position,
        budget: int = proofs.BUDGET,
        deciding: int = proofs.DECIDING,
        out_of_time: Callable[[], bool] | None = None,
    ) -> proofs.Outcomes:
        """Return the ends of the resolution phase. Raise GameError outside of it."""
        if position.phase != "resolve":
            raise GameError(f"outcomes: expected a position in phase resolve, got phase {position.phase}")
        return proofs.outcomes(position.cells, budget, deciding, out_of_time)

    def foresee(self, position: Position, max_positions: int, out_of_time: Callable[[], bool]) -> Analysis:
        """Search the ends of the resolution phase and the resolver's best path. Raise GameError outside of it."""
        if position.phase != "resolve":
            raise GameError(f"expected a position in phase resolve, got phase {position.phase}")
        return proofs.foresee(position, max_positions, out_of_time)

    def loop(self, position: Position) -> tuple[str, ...]:
        """Return the nodes cleared by the loop around this position; nothing if no loop can be proved."""
        if position.phase != "resolve" or rules.at_rest(position.cells):
            return ()
        proved = _single(position.cells, self._large_loops.nodes(position.cells))
        if proved:
            return proved
        nodes = self.circling(position)
        return nodes if nodes and proofs.is_restless(rules.circling_boards(position)) else ()

    def circling(self, position: Position, by: str = ENDLESS) -> tuple[str, ...]:
        """Return the nodes that R12 clears if no rest can be reached; nothing while the phase does not circle (R11)."""
        boards = rules.circling_boards(position)
        if position.phase != "resolve" or rules.at_rest(position.cells) or not boards:
            return ()
        nodes = rules.mobile_nodes(position.cells) if by == ENDLESS else rules.loop_nodes(set(boards))
        return _single(position.cells, nodes)

    def call_loop(self, position: Position, nodes: Sequence[str]) -> Transition[Position]:
        """End the phase as an unbreakable loop (R6, R7) that clears the charged stones on some nodes."""
        if position.phase != "resolve":
            raise BadAction(say("a loop can be declared only while a turn is being resolved"))
        unknown = [node for node in nodes if node not in board.INDEX]
        if unknown:
            given = repr(unknown[0][:20])
            raise BadAction(say("nodes: expected labels such as {example}, got {given}", example="D12", given=given))
        charged = position.cells[0] | position.cells[1]
        cleared = sum({1 << board.INDEX[node] for node in nodes}) & charged
        if not cleared:
            raise BadAction(say("nodes: none of them carries a single stone that a loop could clear"))
        return self._end(position, cleared)

    def cells_text(self, cells: Cells) -> str:
        """Return the text of cells alone."""
        return notation.cells_text(cells)


def _occupancy(cells: Cells) -> Occupancy:
    return {board.NODES[node]: ("b",) * b + ("w",) * w for node, (w, b) in rules.counts(cells).items()}


def _single(cells: Cells, nodes: int) -> tuple[str, ...]:
    """Return the names of those nodes that carry a single stone."""
    return tuple(board.NODES[node] for node in board.members(nodes & (cells[0] | cells[1])))


def _step(now: Occupancy, act: rules.SpokesStep, removed: frozenset[str]) -> Step:
    source, target = board.NODES[act.subject], board.NODES[act.target]
    left, more = list(now[source]), [*now.get(target, ()), *act.pieces]
    for piece in act.pieces:
        left.remove(piece)
    after = {**now, target: tuple(sorted(more))}
    if left:
        after[source] = tuple(left)
    else:
        del after[source]
    partners = () if act.kind == rules.SHIFT else (board.NODES[act.actor],)
    move = PieceMove(act.pieces, source, target)
    touches = frozenset((source, target, *partners))
    return Step(act.text, notation.step_words(act), (move,), after, touches, partners, removed=removed)


GAME = Spokes()


TOO_FEW = {
    "w": say("there are not enough white stones left for all players"),
    "b": say("there are not enough black stones left for all players"),
}
_OF_A_STACK = {
    ("w",): say("first a white stone has to leave the stack on {node}"),
    ("b",): say("first a black stone has to leave the stack on {node}"),
    ("b", "w"): say("first a block has to leave the stack on {node}: a white and a black stone together"),
}


def why_not(position: Position, attempt: Attempt) -> str | None:
    """Return why an attempt is not part of a legal action; None if it is."""
    if position.phase == "place":
        return _why_not_placed(position, attempt)
    cells, source, target = position.cells, attempt.source, attempt.target
    if source is None:
        return say("stones are added at the beginning of a turn only, when all players place one")
    acts = rules.legal_steps(cells)
    mine = [act for act in acts if act.subject == INDEX[source]]
    if not mine:
        return _why_not_moved(cells, INDEX[source], [act.subject for act in acts if act.kind == rules.SHIFT])
    there = mine if target is None else [act for act in mine if act.target == INDEX[target]]
    if not there:
        return _why_not_there(cells, INDEX[source], INDEX[target or source])
    if attempt.piece is not None and all(attempt.piece not in act.pieces for act in there):
        return fill(_OF_A_STACK[there[0].pieces], node=source)
    return None


# -- placements --------------------------------------------------------------------------------------------------------


def _why_not_placed(position: Position, attempt: Attempt) -> str | None:
    if attempt.source is not None:
        return say("no stone is moved while all players choose a placement")
    if attempt.target is not None:
        node = INDEX[attempt.target]
        if HOMES >> node & 1:
            return say("{node} is a home: new stones go inside the ring of homes", node=attempt.target)
        if not rules.empty_nodes(position.cells) >> node & 1:
            return say("{node} is not empty", node=attempt.target)
    if attempt.piece is not None and attempt.piece not in rules.colours_left(position.cells, len(position.active)):
        return TOO_FEW[attempt.piece]
    return None


# -- steps -------------------------------------------------------------------------------------------------------------


def _why_not_moved(cells: Cells, node: int, excess: list[int]) -> str:
    """Return why no piece on a node can be moved; ``excess`` are the nodes whose excess has to move first."""
    name = NODES[node]
    if not occupied_nodes(cells) >> node & 1:
        return say("there is no stone on {node}", node=name)
    if excess:
        first = ", ".join(dict.fromkeys(NODES[one] for one in excess))
        return say("stacks come first: the extra stones on {nodes} have to move away", nodes=first)
    if cells[2] >> node & 1:
        return say("the block on {node} stays where it is: a block never moves", node=name)
    if not (cells[0] | cells[1]) >> node & 1:
        return say("the stack on {node} is enclosed and stays where it is", node=name)
    if not NEAR[node] & (cells[0] | cells[1]):
        return say("no single stone lies beside {node} that could push or pull the stone there", node=name)
    return say("the stones beside {node} can't push the stone there: no free node is left for it", node=name)


def _why_not_there(cells: Cells, source: int, target: int) -> str:
    """Return why the movable piece of a node can't go to this other node."""
    names = {"source": NODES[source], "target": NODES[target]}
    if not NEAR[source] >> target & 1:
        return say("{target} is not next to {source}: a stone moves along one line at a time", **names)
    pieces = rules.excess(*counts(cells)[source])
    if pieces:
        return _why_no_excess(cells, source, target, pieces)
    if occupied_nodes(cells) >> target & 1:
        same = (cells[0] if cells[0] >> source & 1 else cells[1]) >> target & 1
        if same:
            return say("{target} carries a stone of the same colour: they push each other, neither pulls", **names)
        return say("on {target} lies more than one stone: that pulls nothing", **names)
    return _why_not_pushed(cells, source, target)


def _why_no_excess(cells: Cells, source: int, target: int, pieces: tuple[str, ...]) -> str:
    names = {"source": NODES[source], "target": NODES[target]}
    if not (cells[0] | cells[1]) >> target & 1:
        if occupied_nodes(cells) >> target & 1:
            return say("{target} carries more than a single stone already", **names)
    elif len(pieces) == 2:
        free = NEAR[source] & ~occupied_nodes(cells)
        if free:
            return say("{target} is not empty, and there is an empty node for the block to go to", **names)
    elif rules.settling_nodes(rules.remove(cells, source, pieces), source, pieces[0]):
        return say(
            "{target} carries a stone of the same colour, and there is an empty node or a stone of the other colour "
            "to go to",
            **names,
        )
    return say("from {target} the extra stone could never get to a node of its own", **names)


def _why_not_pushed(cells: Cells, source: int, target: int) -> str:
    """Return why no stone pushes the stone on a node to an empty node beside it."""
    names = {"source": NODES[source], "target": NODES[target]}
    mine = cells[0] if cells[0] >> source & 1 else cells[1]
    for pusher in NEIGHBOURS[source]:
        if mine >> pusher & 1 and target in ACROSS[pusher, source]:
            onward = STRAIGHT.get((pusher, source))
            if onward is None:
                continue
            if not occupied_nodes(cells) >> onward & 1:
                where = {"pusher": NODES[pusher], "onward": NODES[onward]}
                return say("it can't turn aside: {pusher} pushes it straight on to {onward}, which is empty", **where)
    return say("no stone of its colour pushes the one on {source} towards {target}", **names)


LONG_PHASE = 24
"""Number of steps in one phase after which a random walk is checked for a loop, again and again."""
ENDLESS_PHASE = 1200
"""Number of steps after which a playout takes a phase for one that circles for ever (R12), even without a proof:
playouts are estimates."""
LOOP_BUDGET = 2_000
"""Number of positions explored to check a playout for a loop; most loops are far smaller."""


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions to the end and return the status; ``position`` may be in any phase."""
    loops = LoopFinder(LOOP_BUDGET)
    status = rules.status(position)
    while not status.over:
        cells = position.cells
        if position.phase == "place":
            colours = rules.colours_left(cells, len(position.active))
            nodes = members(rules.empty_nodes(cells))
            for _ in position.active:
                cells = rules.add(cells, rng.choice(nodes), (rng.choice(colours),))
        cells, nodes_of_loop = _resolve(cells, loops, rng)
        position, status = rules.phase_over(replace(position, cells=cells), nodes_of_loop)
    return status


def _resolve(cells: Cells, loops: LoopFinder, rng: Random) -> tuple[Cells, int]:
    """Walk to a rest or into a loop. Return the cells, and the nodes that the loop clears."""
    leftovers = Leftovers()
    listing = Listing(leftovers)
    here = leftovers.pair(cells)
    steps = 0
    while True:
        following = listing.after(*here)
        if not following:
            return leftovers.cells(*here), 0
        steps += 1
        if steps % LONG_PHASE == 0:
            cells = leftovers.cells(*here)
            nodes = loops.nodes(cells)
            if nodes or steps > ENDLESS_PHASE:
                return cells, nodes or rules.mobile_nodes(cells)
        here = rng.choice(following)


class Counting:
    """Counts sequences of actions: the placements of all players are one, and the end of the game ends a sequence."""

    def __init__(self, loops: LoopFinder, out_of_time: Callable[[], bool]) -> None:
        """``loops`` finds those that end a phase at once."""
        self._loops = loops
        self._out_of_time = out_of_time
        self._leftovers = Leftovers()
        self._listing = Listing(self._leftovers)

    def count(self, position: Position, depth: int) -> int:
        """Return the number of sequences of a length. Raise OverBudget when time is out: a part is no answer."""
        if depth == 0 or position.phase == "over":
            return 1
        if position.phase == "resolve":
            return self._steps(position, self._leftovers.pair(position.cells), depth)
        offered, players = rules.placements(position), len(position.active)
        if depth == 1:
            return int(len(offered) ** players)
        total = 0
        for chosen in product(offered, repeat=players):
            cells = position.cells
            for colour, node in chosen:
                cells = rules.add(cells, node, (colour,))
            total += self._arrive(position, self._leftovers.pair(cells), depth - 1)
        return total

    def _steps(self, position: Position, here: tuple[int, int], depth: int) -> int:
        following = self._listing.after(*here)
        return len(following) if depth == 1 else sum(self._arrive(position, later, depth - 1) for later in following)

    def _arrive(self, position: Position, here: tuple[int, int], depth: int) -> int:
        """Count from cells within a phase of a position's turn, which they may end."""
        if self._out_of_time():
            raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
        cells = self._leftovers.cells(*here)
        rest = not self._listing.after(*here)
        nodes = 0 if rest else self._loops.nodes(cells)
        if rest or nodes:
            return self.count(rules.phase_over(replace(position, cells=cells), nodes)[0], depth)
        return 1 if depth == 0 else self._steps(position, here, depth)
