"""The guidance by lights and phones: a meaning per node, tasks in order, one sentence for everybody.

Everything is derived from the table's state; nothing here changes it, and nothing here knows a sealed choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.games.game import Game, PieceMove, Stack, Step
from firmware_host.games.offers import offers_of
from firmware_host.table.queries.pieces import a_piece, how_it_works, noun, the_piece, why_wrong
from firmware_host.table.queries.stages import instead, leads_to
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import TableState
from firmware_host.table.view_form import Task
from firmware_host.table.watch import Fix
from firmware_host.text.words import fill, listed, say


@dataclass(frozen=True)
class Lamp:
    """The meaning of one node's light.

    ``meaning`` is one of ``view_form.MEANINGS``; ``seat`` gives the colour if the meaning has none of its own; ``way``
    are nodes that a motion runs along or swaps with (a comet's path, the pair that interacts, the loop); ``order`` is
    the node's place among those of the same meaning; ``strength`` is from 0 to 1.
    """

    meaning: str
    words: str
    seat: int | None = None
    way: tuple[str, ...] = ()
    order: int = 0
    strength: float = 1.0


Lamps = dict[str, Lamp]


def lamps(table: TableState) -> Lamps:
    """Return the meaning of every lit node, urgent layers over the others; nothing while the table is paused."""
    if not table.ledger.started or table.held:
        return {}
    guide, problem = _GUIDES.get(table.phase), table.watch.problem
    mending = problem is not None and problem.kind == "repair" and table.phase != "over"
    guided = guide(table) if guide and not mending else {}
    layers = [guided, _last_seconds(table, guided), _problems(table)]
    return {node: lamp for layer in layers for node, lamp in layer.items()}


def tasks(table: TableState) -> list[Task]:
    """Return the tasks for hands now, in order (docs/view.md)."""
    return [] if table.held else _tasks(table)


def _tasks(table: TableState) -> list[Task]:
    phase, fixes = table.phase, next_fixes(table)
    if fixes:
        return [task for fix in fixes for task in _fix_tasks(fix)]
    if phase == "placing":
        return _placing_tasks(table)
    if phase == "clearing":
        return [{"do": "take", "node": node, "seat": None} for node in surplus(table)]
    if phase == "resolving" and table.wanted is not None:
        step = _step(table, table.wanted)
        if step is not None:
            return _step_tasks(table, step)
    return []


def next_fixes(table: TableState) -> Sequence[Fix]:
    """Return what hands have to do next because of what lies, in order: lights, tasks and sentences are made of it.

    A board that has to be mended, a piece that was lifted a while ago, or a stage that lies while another was chosen.
    """
    problem = table.watch.problem
    if problem is not None:
        return problem.fixes
    other = instead(table, table.wanted) if table.phase == "resolving" else None
    return table.watch.way_to(other.after) if other is not None else ()


def _placing_tasks(table: TableState) -> list[Task]:
    """Return the stones to put down, then the stacks to tap, for a person rather than a computer where both placed."""
    todo: list[Task] = [
        {"do": "put", "node": move.target or "", "piece": piece, "seat": seat}
        for seat, move in table.watch.missing_pieces()
        for piece in move.pieces
    ]
    for node in table.watch.untapped_stacks():
        seats = [seat for seat, move in table.watch.placements if move.target == node]
        todo.append({"do": "tap", "node": node, "seat": min(seats, key=table.is_computer)})
    return todo


def _step_tasks(table: TableState, step: Step) -> list[Task]:
    seen, verdict = table.watch.tracker.seen, table.watch.verdict
    if verdict.kind == "settling" and step.action in verdict.done.actions:
        return []  # It lies there; a tile in place of another must not be taken out again.
    moves = [move for move in verdict.left if move in step.moves] if step in verdict.live else []
    left = [move for move in moves or step.moves if move.target or seen[move.source or ""] != NOTHING]
    todo = [_task(move.source, move.target, move.pieces, table.actor) for move in left]
    if step.moves and table.watch.tracker.is_hidden(step):
        todo += [{"do": "tap", "node": move.target, "seat": table.actor} for move in step.moves if move.target]
    return todo


def _fix_tasks(fix: Fix) -> list[Task]:
    if fix.is_turn:
        return [_task(fix.source, None, (), None), _task(None, fix.target, fix.pieces, None)]
    return [_task(fix.source, fix.target, fix.pieces, None)]


def _task(source: str | None, target: str | None, pieces: Stack, seat: int | None) -> Task:
    """Return one task for a hand: from node to node, from the supply, or off the board."""
    if source is None:
        return {"do": "put", "node": target or "", "piece": pieces[0] if pieces else None, "seat": seat}
    if target is None:
        return {"do": "take", "node": source, "seat": seat}
    return {"do": "move", "from": source, "to": target, "pieces": list(pieces), "seat": seat}


# -- the guide of each phase ------------------------------------------------------------------------------------------


def _last_seconds(table: TableState, lit: Lamps) -> Lamps:
    """Light a home or goal that is not needed for anything else for each seat whose last seconds run."""
    words, ledger = say("{name}: the last seconds"), table.ledger
    homes = {seat: [n for n in table.game.homes(ledger.mode, seat) if n not in lit] for seat in table.last_seconds}
    return {free[0]: Lamp("time", fill(words, name=ledger.name(seat)), seat) for seat, free in homes.items() if free}


def _placing(table: TableState) -> Lamps:
    lit: Lamps = {}
    tracker = table.watch.tracker
    stacks = [node for node in table.watch.unseen_stacks() if not tracker.tapped(node)]
    begun = {node for node in stacks if tracker.seen[node] != NOTHING}
    for seat, move in table.watch.missing_pieces():
        node = move.target or ""
        if node not in lit:
            words = _PUT_AND_TAP if node in begun else _PUT
            piece = a_piece(table.game, move.pieces[0])
            lit[node] = Lamp("put", fill(words, name=table.ledger.name(seat), piece=piece, node=node), seat)
    for node in begun - lit.keys():
        lit[node] = Lamp("confirm", say("do all stones lie on {node}? Say so on a phone", node=node))
    return lit


_PUT = say("{name}: put {piece} on {node}")
_PUT_AND_TAP = say("{name}: put {piece} on {node}, too; then tap the stack, or say on a phone that both lie")


def _resolving(table: TableState) -> Lamps:
    watch = table.watch
    verdict = watch.verdict
    if watch.asking:
        asked = _choices(table, [one.step for one in verdict.choices])
        unsure = not watch.tracker.differing and all(one.step.partial for one in verdict.choices)
        return {**_ends(table, watch.tracker.steps), **asked} if unsure else asked  # It may be that nothing was laid.
    if verdict.left:
        return _left(table, verdict.left)
    if verdict.kind in {"moving", "ask", "settling", "wrong"} and verdict.live and verdict.lifted:
        return _targets(table, verdict.live)
    return _open(table) if verdict.kind in {"quiet", "wrong", "moving"} else {}


def _left(table: TableState, moves: Sequence[PieceMove]) -> Lamps:
    """Light what remains of an action whose first part lies."""
    game, lit, seen = table.game, dict[str, Lamp](), table.watch.tracker.seen
    for move in moves:
        if move.target is None:
            node = move.source or ""
            piece = the_piece(game, node, "", move.pieces).the
            lit[node] = Lamp("remove", say("take {piece} on {node} off", piece=piece, node=node))
        elif move.source is None or seen[move.source] == NOTHING:
            words = say("put {piece} on {node}", piece=a_piece(game, move.pieces[0]), node=move.target)
            lit[move.target] = Lamp("target" if move.source else "put", words, table.actor)
        else:
            lit[move.source] = Lamp("movable", _may_be_moved(game, move.source, move.pieces))
    return lit


def _open(table: TableState) -> Lamps:
    """Light the possible next steps, or the chosen step."""
    steps = table.watch.tracker.steps
    wanted = _step(table, table.wanted) if table.wanted else None
    if wanted is not None:
        return _wanted(table, wanted)
    fixes = next_fixes(table)
    if fixes:
        return _repair(table, fixes)
    return {**traceless(table), **_ends(table, steps), **_movable(table, steps)}


def traceless(table: TableState) -> Lamps:
    """Light where pieces can go without a trace for the sensors: a tap or a phone must confirm it."""
    words, tracker = say("{step}: tap {node} twice then, or say so on the phone"), table.watch.tracker
    found = tracker.hypotheses.traceless(tracker.masked)
    ways = [(step, move.target) for step in found for move in step.moves if move.target]
    return {node: Lamp("confirm", fill(words, step=step.words, node=node)) for step, node in ways}


def _ends(table: TableState, steps: Sequence[Step]) -> Lamps:
    """If an action is done in stages, light where the next stage can lead before anything is lifted."""
    leading: dict[str, list[Step]] = {}
    for step in steps:
        for move in step.moves if step.partial or table.done_stages else ():
            if move.target:
                leading.setdefault(move.target, []).append(step)
    words = {node: how_it_works(table.game, there, node) or there[0].words for node, there in leading.items()}
    return {node: Lamp("target", words[node]) for node in leading}


def _choices(table: TableState, choices: Sequence[Step]) -> Lamps:
    targets = dict.fromkeys(move.target for step in choices for move in step.moves if move.target)
    what = noun(table.game, list(targets)).subject
    if all(step.partial for step in choices):
        how = say("say on the phone how {piece} in {node} lies")
        return {node: Lamp("confirm", fill(how, piece=what, node=node)) for node in targets}
    if len(targets) > 1 or len(choices) == 1:
        ask = say("does {piece} lie on {node}? Tap the stack, or say so on the phone")
        return {node: Lamp("confirm", fill(ask, piece=what, node=node)) for node in targets}
    sources = tuple(dict.fromkeys(move.source for step in choices for move in step.moves if move.source))
    return {
        node: Lamp("interact", say("did {piece} come from {node}?", piece=what, node=node), way=sources, order=order)
        for order, node in enumerate(sources)
    }


def _targets(table: TableState, live: Sequence[Step]) -> Lamps:
    lit: Lamps = {}
    goal = table.wanted
    running = [step for step in live if step.line and len(step.moves) == 1]
    run = tuple(node for step in running if step.action == goal for node in step.line)
    run = run or tuple(node for step in running for node in step.line)
    for step in live:
        best = step.action == goal
        if (
            step in running
        ):  # One piece runs along the line and ends there; of several lines one after the other is lit.
            lit = {**lit, **{node: Lamp("line", step.words, way=run) for node in step.line if node not in lit}}
            lit[step.line[-1]] = Lamp("best" if best else "target", step.words, way=step.line)
            continue
        if step.line:
            lit = {**lit, **_line(step)} if best else {**_line(step), **lit}
            continue
        for move in step.moves:
            if move.target is not None and (best or move.target not in lit):
                words = how_it_works(table.game, live, move.target, lying=False) if not best else ""
                way = (move.source, move.target) if move.source else ()
                lit[move.target] = Lamp("best" if best else "target", words or step.words, way=way)
    return lit


def _line(step: Step) -> Lamps:
    """Let light run along a line that moves together."""
    return {node: Lamp("line", step.words, way=step.line, order=order) for order, node in enumerate(step.line)}


def _wanted(table: TableState, step: Step) -> Lamps:
    """Lead the hands to the step chosen on a phone."""
    if step.line:
        return _line(step)
    lit: Lamps = {}
    for move in step.moves:
        if step.partial and move.source and move.target is None:
            piece = the_piece(table.game, move.source, "", move.pieces).the
            words = say("take {piece} out of {node} first", piece=piece, node=move.source)
            if table.watch.tracker.seen[move.source] != NOTHING:
                return {move.source: Lamp("remove", words)}
            continue
        if move.source:
            lit[move.source] = Lamp("movable" if move.target else "remove", step.words)
        if move.source and move.target:
            lit[move.target] = Lamp("best", step.words, way=(move.source, move.target))
        elif move.target:
            words = say("put {piece} on {node}", piece=a_piece(table.game, move.pieces[0]), node=move.target)
            lit[move.target] = Lamp("put", words, table.actor)
    return lit


def _movable(table: TableState, steps: Sequence[Step]) -> Lamps:
    """Light the movable pieces. For a lone pair, ask to pick one of the two."""
    pairs = {frozenset((*step.partners, *_begins(step))) for step in steps if step.moves}
    sources = dict.fromkeys(node for step in steps for node in _begins(step))
    if len(pairs) == 1 and len(sources) == 2:
        pair = tuple(sources)
        words = say("{one} and {other} interact: pick one", one=pair[0], other=pair[1])
        return {node: Lamp("interact", words, way=pair, order=order) for order, node in enumerate(pair)}
    base = table.watch.target
    return {node: Lamp("movable", _may_be_moved(table.game, node, base.get(node))) for node in sources}


def _may_be_moved(game: Game[Any], node: str, stack: Stack | None) -> str:
    """Return the sentence that the piece or stack on a node may be moved."""
    if stack is None or not offers_of(game).tiles:
        return say("the piece on {node} may be moved", node=node)
    return say("{piece} on {node} may be moved", piece=the_piece(game, node, "", stack).subject, node=node)


def _begins(step: Step) -> tuple[str, ...]:
    """Return the nodes where hands begin a step; for a line that moves together, its rear."""
    if step.partial:
        return ()
    return step.line[:1] or tuple(move.source for move in step.moves[:1] if move.source)


def _clearing(table: TableState) -> Lamps:
    removal = table.game.removal
    nodes = tuple(surplus(table))
    if removal is None:
        return {}
    lit, lifted = {}, table.watch.taken_back()
    if lifted:
        lit = _targets(table, table.watch.verdict.live)
        words = say("put {piece} back on {node}")
        for node in lifted:
            piece = the_piece(table.game, node, "", table.watch.target.get(node)).the
            lit[node] = Lamp("return", fill(words, piece=piece, node=node))
    for order, node in enumerate(nodes):
        lit[node] = Lamp(removal.meaning, fill(removal.node, node=node), way=nodes, order=order)
    return lit


def _over(table: TableState) -> Lamps:
    ledger, game = table.ledger, table.game
    lit: Lamps = {}
    way = tuple(game.decisive(ledger.now.position))
    if way:
        seat = ledger.now.status.winners[0]
        words = say("{name} has won", name=ledger.name(seat))
        return {node: Lamp("won", words, seat, way=way, order=order) for order, node in enumerate(way)}
    occupancy = game.occupancy(ledger.now.position)
    for seat in ledger.now.status.winners:
        words = say("{name} has won", name=ledger.name(seat))
        for order, node in enumerate(game.homes(ledger.mode, seat)):
            strength = min(1.0, 0.25 + 0.375 * len(occupancy.get(node, ())))
            lit[node] = Lamp("won", words, seat, order=order, strength=strength)
    return lit


def _problems(table: TableState) -> Lamps:
    problem = table.watch.problem
    if problem is None or table.phase == "over":
        return {}
    if problem.kind == "repair":
        return _repair(table, problem.fixes)
    lit: Lamps = {}
    for node in problem.nodes:
        if problem.kind == "held" or table.watch.tracker.seen[node] == NOTHING:
            piece = the_piece(table.game, node, "", table.watch.target.get(node)).the
            lit[node] = Lamp("return", say("put {piece} back on {node}", piece=piece, node=node))
        else:
            lit[node] = Lamp("wrong", why_wrong(table, node))
    return lit


def fix_words(table: TableState, fix: Fix) -> list[str]:
    """Return the sentences about one fix."""
    return [lamp.words for lamp in _repair(table, [fix]).values()]


def _repair(table: TableState, fixes: Sequence[Fix]) -> Lamps:
    """Light one task at a time: the first."""
    if not fixes:
        return {}
    fix, game = fixes[0], table.game
    if fix.source is None:
        target = fix.target or ""
        pieces = listed(a_piece(game, piece) for piece in fix.pieces) or noun(game, [target]).the
        return {target: Lamp("return", say("put {piece} on {node}", piece=pieces, node=target))}
    piece = the_piece(game, fix.source, table.watch.tracker.seen[fix.source]).the
    if fix.target is None:
        return {fix.source: Lamp("remove", say("take {piece} on {node} off", piece=piece, node=fix.source))}
    if fix.is_turn:
        eighths = fix.pieces[0].rpartition("r")[2]
        words = say("turn {piece} on {node} to {eighths}/8", piece=piece, node=fix.source, eighths=eighths)
        return {fix.source: Lamp("remove", words)}
    back = table.phase != "setup"
    way = say("move {piece} on {node} back to {target}") if back else say("move {piece} on {node} to {target}")
    words = fill(way, piece=piece, node=fix.source, target=fix.target)
    return {
        fix.source: Lamp("remove", words),
        fix.target: Lamp("best", words, way=(fix.source, fix.target)),
    }


def surplus(table: TableState) -> list[str]:
    """Return the nodes from which pieces have to come off."""
    tracker, target = table.watch.tracker, table.watch.target
    return [node for node in tracker.mismatch(target) if tracker.seen[node] != NOTHING]


def _step(table: TableState, action: str) -> Step | None:
    return next((step for step in table.watch.tracker.steps if leads_to(step, action)), None)


_GUIDES = {
    "placing": _placing,
    "resolving": _resolving,
    "clearing": _clearing,
    "over": _over,
}
