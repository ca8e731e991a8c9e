"""The computer player of Octiles: a search in shuffles of the tiles that nobody has seen.

**What it knows.** Of the stack it knows the top tile, whose face is seen, and those that were covered and went to the
bottom. The rest is shuffled: the order in which a position holds it is never read. Each turn is valued in many such
shuffles as if their order were known, and the mean counts: *determinization*, or perfect information Monte Carlo
(Ginsberg, *GIB: imperfect information in a computationally challenging game*, JAIR 14, 2001). It can't value a turn for
what it hides or learns; in Octiles all players see the same, and turns reveal the same tile whatever they are, so that
little is lost (Long, Sturtevant, Buro and Furtak, *Understanding the success of perfect information Monte Carlo
sampling*, AAAI 2010). All turns meet the same shuffles, so that luck is equal for all (common random numbers), and one
order and its rotations make as many shuffles as tiles are hidden: each of them comes next once (stratified sampling).
:mod:`firmware_host.searching.shuffles` spends the budget in stages: fewer turns, deeper.

**How a shuffle is valued** (:mod:`firmware_host.games.octiles.player.lookahead`). With two players by alpha-beta, whose
last turn is not made: of it only the most matters that a seat can add to its sum. With more, each seat in turn adds the
most to its own sum, as in max-n (Luckhardt and Irani, 1986) with one candidate: nobody is singled out.

**What a position is worth.** To each seat the sum of what its runners' nodes are worth, in thousandths of a logit; the
seats win in proportion to the exponentials of their sums (Bradley and Terry, 1952). ``worth.toml`` was fitted to
self-play by ``fit_octiles`` of the laboratory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from firmware_host.games.octiles import names, rules
from firmware_host.games.octiles.board import FIRST_NODE, MEETS, NODES, ROWS_GAINED
from firmware_host.games.octiles.flat import SHOWN, WIN, action, parts
from firmware_host.games.octiles.notation import PASS
from firmware_host.games.octiles.player import worth
from firmware_host.games.octiles.player.lookahead import SURE, Lookahead
from firmware_host.games.octiles.rules import GOAL, SEATED, Position
from firmware_host.games.thinking import Budget, Choice, Oversights, Strength, Thought
from firmware_host.searching.shuffles import RankedCandidate, Stage, rank
from firmware_host.text.words import say

_OF_THREE = (
    Strength(Budget(nodes=300, depth=1, evaluation=worth.SIMPLE), spread=0.23),
    Strength(Budget(nodes=300, depth=1, evaluation=worth.FITTED), spread=0.15),
    Strength(Budget(nodes=600, depth=3, evaluation=worth.FITTED), spread=0.12),
    Strength(Budget(nodes=2_500, depth=3, evaluation=worth.FITTED), spread=0.05),
)
_OF_FOUR = (
    Strength(Budget(nodes=300, depth=1, evaluation=worth.SIMPLE), spread=0.28),
    Strength(Budget(nodes=300, depth=1, evaluation=worth.FITTED), spread=0.25),
    Strength(Budget(nodes=600, depth=4, evaluation=worth.FITTED), spread=0.19),
    Strength(Budget(nodes=2_500, depth=4, evaluation=worth.FITTED), spread=0.11),
)
"""The lower levels with more than two: two that look at their own turn, two that look at a whole round."""
_OF_TWO = (
    Strength(Budget(nodes=1000, depth=3, evaluation=worth.SIMPLE), spread=0.1),
    Strength(Budget(nodes=2000, depth=2, evaluation=worth.FITTED), spread=0.03),
    Strength(Budget(nodes=2700, depth=3, evaluation=worth.FITTED), spread=0.06),
    Strength(Budget(nodes=8000, depth=5, evaluation=worth.FITTED), spread=0.055),
)
STRENGTHS = (
    *(
        replace(two, modes={"3": three, "4": four})
        for two, three, four in zip(_OF_TWO, _OF_THREE, _OF_FOUR, strict=True)
    ),
    Strength(Budget(nodes=60_000, evaluation=worth.FITTED)),
)
"""The levels. Among several it counts more than between two whether a level looks beyond its own turn at all."""
FIRST_STEPS = Strength(Budget(nodes=1000, depth=3, evaluation=worth.SIMPLE), oversights=Oversights(wins=0.2, plans=0.2))
SURELY = 0.999
"""The value of a win that is ahead, less a little for each turn until then; the last tenth of a percent is for R3."""
A_TURN = 0.0001
WINS = say("This brings the last runner to the goal and wins.")
FAR = 2
"""Rows that a runner gets on by when that is worth a word."""
_SPARE: list[Lookahead] = []
"""Scratch space of earlier thoughts: making it anew takes longer than a weak level thinks."""


def think(position: Position, budget: Budget, rng: Random) -> Thought:
    """Rank the turns of the seat to move, of a position that is not over."""
    track = _SPARE.pop() if _SPARE else Lookahead()
    thought = _rank(position, ShuffledGame(track, position, budget, rng), budget)
    _SPARE.append(track)
    return thought


def _rank(position: Position, table: ShuffledGame, budget: Budget) -> Thought:
    """Rank the turns of a position that has been set up."""
    if not table.turns:
        return Thought((Choice(PASS, table.present_chance()),), table.nodes_used)
    wins = [turn for turn in table.turns if table.wins(turn)]
    if wins:
        found = [Choice(action(turn), 1.0, reasons=(WINS,)) for turn in wins]
        return Thought(tuple(found), table.nodes_used, proved=True)
    if len(table.turns) == 1:
        budget = replace(budget, nodes=1)
    ranked = rank(table, len(table.turns), table.different, stages(budget, table.seats), budget)
    ranked = sorted(map(table.with_draw, ranked), key=lambda one: -one.value)
    choices = [Choice(action(table.turns[one.candidate]), one.value) for one in ranked]
    choices[0] = replace(choices[0], reasons=reasons(position, table.turns[ranked[0].candidate]))
    return Thought(tuple(choices), table.nodes_used)


_USUAL = 60_000
"""Nodes for which :data:`_PLAN` is made: fields and shuffles grow with them."""
_FEW = 15_000
"""With fewer nodes a single look six turns ahead may take more than there are."""
_FEWEST = 4
"""Shuffles of a stage, at least."""
_PLAN = (
    Stage(2, 0, 0.08, 17),
    Stage(3, 40, 0.25, 17),
    Stage(4, 16, 0.55, 17),
    Stage(5, 8, 0.85, 17),
    Stage(6, 4, 1.0, 8),
)
"""How a search of two without a limit of depth spends its nodes."""
_DEEPER = (Stage(7, 3, 1.2, 8), Stage(8, 2, 1.3, 8))
"""Stages that follow where there are four times as many nodes, and sixteen times."""


def stages(budget: Budget, seats: int) -> list[Stage]:
    """Return how a budget is spent: the whole field first, then ever fewer candidates ever deeper.

    Of more than two, each plays for itself: one turn of every seat, then a second round. A level that looks at less
    than a round does not see what the seats after it win by.
    """
    deepest = budget.depth or 9
    width = budget.width
    if seats == 2 and not budget.depth:
        more = budget.nodes / _USUAL
        # Small fields drop the best turn, so they shrink less than shuffles do (7,500 nodes: Elo +78; by the root -21).
        wider, often = more ** (0.5 if more > 1 else 0.25), more**0.5
        later = [*(_PLAN[1:] if budget.nodes >= _FEW else _PLAN[1:-1]), *_DEEPER[: int(math.log(max(1.0, more), 4))]]
        plan = [
            replace(_PLAN[0], field=width),
            *(
                replace(one, field=max(2, round(one.field * wider)), shuffles=max(_FEWEST, int(one.shuffles * often)))
                for one in later
            ),
        ]
    elif seats == 2:
        plan = [Stage(2, width, 0.15, 17), Stage(3, 20, 0.45, 17), Stage(4, 6, 0.9, 17), Stage(5, 3, 1.0, 2)]
    else:
        plan = [Stage(seats, width, 0.3, 17), Stage(seats + 1, 20, 0.6, 34), Stage(2 * seats + 1, 6, 1.0, 68)]
    if deepest < plan[0].depth:
        return [Stage(deepest, width, 1.0, 1 if deepest == 1 else 17)]
    plan = [stage for stage in plan if stage.depth <= deepest]
    return [replace(stage, share=stage.share / plan[-1].share) for stage in plan]


class ShuffledGame:
    """A position set up for a search with shuffles of what is hidden."""

    def __init__(self, track: Lookahead, position: Position, budget: Budget, rng: Random) -> None:
        """Set up a running position."""
        self._position = position
        self._rng = rng
        self._active = [seat - 1 for seat in rules.active(position)]
        self.seats = len(self._active)
        worths, self._to_move = worth.evaluation(position, budget.evaluation)
        self._track = track
        self._before = int(track.lists)
        track.begin(position)
        for number, values in enumerate(worths):
            track.worth_of(number, list(values))
        self._hidden = sorted(position.stack[1 : 1 + position.unseen])
        self._orders: list[list[int]] = []
        self.different = 1 if len(self._hidden) < 2 else 2 if len(self._hidden) == 2 else 1000
        self.turns = self._list_turns()
        self.deal(0)

    @property
    def nodes_used(self) -> int:
        """How many lists of turns have been made."""
        return int(self._track.lists) - self._before

    def _list_turns(self) -> list[int]:
        last = int(self._track.turns(0, SHOWN))
        return [int(self._track.move_list[at]) for at in range(last)]

    def deal(self, shuffle: int) -> None:
        """Put what is hidden in the order of a shuffle.

        So many shuffles as there are hidden tiles are one order and its rotations: each tile comes next once.
        """
        hidden = self._hidden
        if not hidden:
            return
        order, turned = divmod(shuffle, len(hidden))
        while len(self._orders) <= order:
            self._orders.append(self._rng.sample(hidden, len(hidden)))
        tiles = self._orders[order]
        self._track.restack(tiles[turned:] + tiles[:turned])

    def wins(self, turn: int) -> bool:
        """Tell whether a turn wins at once."""
        return int(self._track.duel(turn, 1)) == WIN

    def value(self, candidate: int, depth: int) -> float:
        """Return the seat's chance to win after a turn, looking so many turns ahead, that one counted."""
        turn, seat = self.turns[candidate], self._position.seat - 1
        if self.seats == 2:
            lead = int(self._track.duel(turn, depth))
            if abs(lead) >= SURE:
                left = min(9, WIN - abs(lead)) * A_TURN
                return SURELY - left if lead > 0 else 1 - SURELY + left
            first, second = self._to_move[0], self._to_move[len(self._to_move) // 2]
            ahead = first - second if depth % 2 == 0 else second - first
            return _inside(1 / (1 + math.exp(-(lead + ahead) / 1000)))
        self._track.rounds(turn, depth)
        ends = [int(self._track.ends[one]) for one in self._active]
        own = self._active.index(seat)
        if max(ends) >= SURE:
            return SURELY if ends[own] >= SURE else 1 - SURELY
        return self._share(ends, own, depth)

    def _share(self, ends: list[int], own: int, made: int) -> float:
        """Return a seat's share of the chances, ``made`` turns after the position."""
        sums = [end + self._to_move[(place - own - made) % self.seats] for place, end in enumerate(ends)]
        most = max(sums)
        parts = [math.exp((one - most) / 1000) for one in sums]
        return _inside(parts[own] / sum(parts))

    def present_chance(self) -> float:
        """Return the seat's chance before its turn, nothing looked at."""
        ends = [int(self._track.sums[one]) for one in self._active]
        return self._share(ends, self._active.index(self._position.seat - 1), 0)

    def with_draw(self, ranked: RankedCandidate) -> RankedCandidate:
        """Return a candidate as it is, or as a draw where its turn brings the same position for the third time."""
        if len(self._position.past) < rules.REPEATS - 1:
            return ranked
        turn = self.turns[ranked.candidate]
        after = rules.after_turn(self._position, parts(turn))
        return RankedCandidate(ranked.candidate, 1 / self.seats, ranked.depth) if after.ending == rules.DRAW else ranked


def _inside(value: float) -> float:
    """Keep an estimate away from what is certain."""
    return min(max(value, 2 - 2 * SURELY), 2 * SURELY - 1)


# -- reasons ---------------------------------------------------------------------------------------------------------


def reasons(position: Position, turn: int) -> tuple[str, ...]:
    """Return the reasons for a turn that does not win, the most important first."""
    _, _, source, target = parts(turn)
    side, after = position.side, rules.after_turn(position, parts(turn))
    found = []
    if target in GOAL[side] and target != source:
        found.append(say("This brings a runner to the goal."))
    for seat, other in enumerate(SEATED[position.mode], 1):
        if seat in position.resigned or other == side:
            continue
        if _ways_home(position, seat) and not _ways_home(after, seat):
            found.append(say("This closes a line that leads {side} to the goal.", side=names.SIDES[other]))
    before = set(_ways_home(position, position.seat))
    opened = [node for node in _ways_home(after, position.seat) if node not in before]
    if opened:
        found.append(say("This opens a way to the goal for the runner on {node}.", node=NODES[opened[0]]))
    rows = ROWS_GAINED[side][source * len(NODES) + target]
    if rows >= FAR and target not in GOAL[side]:
        found.append(say("This takes a runner {rows} rows further.", rows=rows))
    return tuple(found)


def _ways_home(position: Position, seat: int) -> Sequence[int]:
    """Return the nodes of a seat's runners from which a line leads to a free pad of its goal."""
    goal = GOAL[SEATED[position.mode][seat - 1]]
    onward = rules.ways(position.faces)
    free = goal.difference(*position.runners)
    return [
        node
        for node in position.runners[seat - 1]
        if node not in goal and any(rules.line(onward, edge)[-1] - FIRST_NODE in free for edge in MEETS[node])
    ]
