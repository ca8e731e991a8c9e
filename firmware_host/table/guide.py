"""The guidance by lights and phones: a meaning per node, tasks in order, one sentence for everybody.

Everything is derived from the table's state; nothing here changes it, and nothing here knows a sealed choice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, PieceMove, Stack, Step, bounded_cache
from firmware_host.games.naming import forms
from firmware_host.table.hypotheses import TAKEN_BACK, Done
from firmware_host.table.ledger import Ledger
from firmware_host.table.pieces import (
    a_piece,
    how_it_works,
    lacks_piece,
    missing_piece,
    nothing_belongs,
    noun,
    rotation_words,
    rule_broken,
    the_piece,
    the_pieces,
    why_wrong,
)
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.stages import chosen_step, instead, staged_words
from firmware_host.table.state import Table
from firmware_host.table.subjects.timekeeping import last_seconds
from firmware_host.table.view_form import Task
from firmware_host.table.watch import Fix, Problem
from firmware_host.text.words import capital, fill, join_sentences, list_of, one_of, say, say_many


@dataclass(frozen=True)
class Lamp:
    """The meaning of one node's light.

    ``meaning`` is one of ``lamps.LAMPS``; ``seat`` gives the colour if the meaning has none of its own; ``way``
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


def lamps(table: Table) -> Lamps:
    """Return the meaning of every lit node, urgent layers over the others; nothing while the table is paused."""
    if not table.ledger.started or table.paused:
        return {}
    guide, problem = _GUIDES.get(table.phase), table.watch.problem
    mending = problem is not None and problem.kind == "repair" and table.phase != "over"
    guided = guide(table) if guide and not mending else {}
    layers = [guided, _last_seconds(table, guided), _problems(table)]
    return {node: lamp for layer in layers for node, lamp in layer.items()}


def tasks(table: Table) -> list[Task]:
    """Return the tasks for hands now, in order (docs/view.md)."""
    return [] if table.paused else _tasks(table)


def _tasks(table: Table) -> list[Task]:
    phase, fixes = table.phase, next_fixes(table)
    if fixes:
        last = {fix.target: fix for fix in fixes if fix.tapped}  # Of a stack, the piece after which it is tapped.
        return [task for fix in fixes for task in _fix_tasks(fix, tap=last.get(fix.target) is fix)]
    if phase == "placing":
        return _placing_tasks(table)
    if phase == "clearing":
        return [{"do": "take", "node": node, "seat": None} for node in surplus(table)]
    verdict, step = table.watch.verdict, chosen_step(table) if phase == "resolving" else None
    other_begun = verdict.lifted and step not in verdict.live  # The lights follow the hands then, too.
    return _step_tasks(table, step) if step is not None and not other_begun else []


def next_fixes(table: Table) -> Sequence[Fix]:
    """Return what hands have to do next because of what lies, in order: lights, tasks and sentences are made of it.

    A board that has to be mended, a piece that was lifted a while ago, or a stage that lies while another was chosen.
    """
    problem = table.watch.problem
    if problem is not None:
        return problem.fixes
    other = instead(table, table.chosen_action) if table.phase == "resolving" else None
    return table.watch.way_to(other.after) if other is not None else ()


def _placing_tasks(table: Table) -> list[Task]:
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


def _step_tasks(table: Table, step: Step) -> list[Task]:
    seen, verdict = table.watch.tracker.sensed, table.watch.verdict
    if verdict.kind == "settling" and step.action in verdict.done.actions and not verdict.lifted:
        return []  # It lies there; a tile in place of another must not be taken out again.
    moves = [move for move in verdict.left if move in step.moves] if step in verdict.live else []
    left = [move for move in moves or step.moves if move.target or seen[move.source or ""] != NOTHING]
    todo = [_task(move.source, move.target, move.pieces, table.actor) for move in left if move.source != move.target]
    if step.moves and (step.tap_twice or table.watch.tracker.is_hidden(step)):
        masked = table.watch.tracker.masked  # A tap is not sensed there: a phone answers.
        nodes = [move.target for move in step.moves if move.target and move.target not in masked][-1:]  # One for all.
        tap: list[Task] = [{"do": "tap", "node": node, "seat": table.actor} for node in nodes]
        todo += tap * (2 if step.tap_twice else 1)  # As a chosen step without a trace is confirmed (verdict.py).
    return todo


def _fix_tasks(fix: Fix, *, tap: bool = False) -> list[Task]:
    if fix.is_turn:
        return [_task(fix.source, None, (), None), _task(None, fix.target, fix.pieces, None)]
    then: list[Task] = [{"do": "tap", "node": fix.target or "", "seat": None}] if tap else []
    return [_task(fix.source, fix.target, fix.pieces, None), *then]


def _task(source: str | None, target: str | None, pieces: Stack, seat: int | None) -> Task:
    """Return one task for a hand: from node to node, from the supply, or off the board."""
    if source is None:
        return {"do": "put", "node": target or "", "piece": pieces[0] if pieces else None, "seat": seat}
    if target is None:
        return {"do": "take", "node": source, "seat": seat}
    return {"do": "move", "from": source, "to": target, "pieces": list(pieces), "seat": seat}


# -- the guide of each phase ------------------------------------------------------------------------------------------


def _last_seconds(table: Table, lit: Lamps) -> Lamps:
    """Light a home or goal that is not needed for anything else for each seat whose last seconds run."""
    words, ledger = say("{name}: the last seconds"), table.ledger
    homes = {seat: [n for n in table.game.homes(ledger.mode, seat) if n not in lit] for seat in last_seconds(table)}
    return {free[0]: Lamp("time", fill(words, name=ledger.name(seat)), seat) for seat, free in homes.items() if free}


def _placing(table: Table) -> Lamps:
    lit: Lamps = {}
    tracker = table.watch.tracker
    begun = {node for node in table.watch.untapped_stacks() if tracker.sensed[node] != NOTHING}
    for seat, move in table.watch.missing_pieces():
        node = move.target or ""
        if node not in lit:
            words = _PUT_AND_SAY if node in tracker.masked else _PUT_AND_TAP if node in begun else _PUT
            piece = a_piece(table.game, move.pieces[0])
            lit[node] = Lamp("put", fill(words, name=table.ledger.name(seat), piece=piece, node=node), seat)
    return lit


_PUT = say("{name}: put {piece} on {node}")
_PUT_UNSENSED = say("{put} No sensor works on {nodes}: say on a phone when all stones lie.")
_TOO_AND_TAP = say("put {piece} on the stack on {node}, then tap it, or say on a phone that all lie there")
_PUT_AND_SAY = say("{name}: put {piece} on {node}, and say on a phone that it lies: no sensor works there")
_PUT_AND_TAP = say("{name}: put {piece} on {node}, too; then tap the stack, or say on a phone that both lie")


def _resolving(table: Table) -> Lamps:
    watch = table.watch
    verdict = watch.verdict
    if watch.asking:
        asked = _choices(table, [one.step for one in watch.asked])
        unsure = not watch.tracker.differing and all(one.step.partial for one in watch.asked)
        return {**_ends(table, watch.tracker.steps), **asked} if unsure else asked  # It may be that nothing was laid.
    if verdict.left:
        return _remaining_lamps(table, verdict.left)
    if verdict.kind in {"moving", "ask", "settling", "wrong"} and verdict.live and verdict.lifted:
        return _targets(table, verdict.live)
    return _open(table) if verdict.kind in {"quiet", "wrong", "moving"} else {}


def _remaining_lamps(table: Table, moves: Sequence[PieceMove]) -> Lamps:
    """Light what remains of an action whose first part lies."""
    game, lit, seen = table.game, dict[str, Lamp](), table.watch.tracker.sensed
    for move in moves:
        if move.target is None:
            node = move.source or ""
            piece = the_piece(game, node, "", move.pieces).the
            lit[node] = Lamp("remove", say("take {piece} off {node}", piece=piece, node=node))
        elif move.source is None or seen[move.source] == NOTHING:
            words = say("put {piece} on {node}", piece=a_piece(game, move.pieces[0]), node=move.target)
            lit[move.target] = Lamp("target" if move.source else "put", words, table.actor)
        else:
            lit[move.source] = Lamp("movable", _may_be_moved(game, move.source, move.pieces))
    return lit


def _open(table: Table) -> Lamps:
    """Light the possible next steps, or the chosen step."""
    steps = table.watch.tracker.steps
    step, fixes, problem = chosen_step(table), next_fixes(table), table.watch.problem
    lifted = problem is not None and problem.kind == "lifted" and problem.nodes == table.watch.tracker.differing
    if fixes and not lifted:  # While a wrong piece is in the hand, and no more than that, the right ones stay lit.
        return _repair(table, fixes)
    if step is not None:
        return _led_step(table, step)
    return {**_ends(table, steps), **traceless(table), **_movable(table, steps)}


def traceless(table: Table) -> Lamps:
    """Light where pieces can go without a trace for the sensors: a tap or a phone must confirm it."""
    taps, tracker = say("{step}; then tap {node} twice, or say so on the phone"), table.watch.tracker
    told = say("{step}; then say so on the phone")
    found = tracker.hypotheses.traceless(tracker.masked)
    ways = [(step, move.target) for step in found for move in step.moves if move.target]
    return {
        node: Lamp("confirm", fill(told if node in tracker.masked else taps, step=words, node=node))
        for step, node in ways
        if (words := how_it_works(table.game, found, node) or step.words)
    }


def _ends(table: Table, steps: Sequence[Step]) -> Lamps:
    """If an action is done in stages, light where the next stage can lead before anything is lifted."""
    leading: dict[str, list[Step]] = {}
    for step in steps:
        for move in step.moves if step.partial or table.done_stages else ():
            if move.target:
                leading.setdefault(move.target, []).append(step)
    words = {node: how_it_works(table.game, there, node) or there[0].words for node, there in leading.items()}
    return {node: Lamp("target", words[node]) for node in leading}


def _choices(table: Table, choices: Sequence[Step]) -> Lamps:
    targets = dict.fromkeys(move.target for step in choices for move in step.moves if move.target)
    what = noun(table.game, list(targets)).subject
    if all(step.partial for step in choices):
        how = say("say on the phone how {piece} in {node} is turned")
        how = how if table.watch.tracker.evidence.unread(choices) else say("say on the phone what was done")
        return {node: Lamp("confirm", fill(how, piece=what, node=node)) for node in targets}
    if len(targets) > 1 or len(choices) == 1:
        ask = say("does {piece} lie on {node}? Tap the stack, or say so on the phone")
        return {node: Lamp("confirm", fill(ask, piece=what, node=node)) for node in targets}
    sources = tuple(dict.fromkeys(move.source for step in choices for move in step.moves if move.source))
    return {
        node: Lamp("interact", say("did {piece} come from {node}?", piece=what, node=node), way=sources, order=order)
        for order, node in enumerate(sources)
    }


def _targets(table: Table, live: Sequence[Step]) -> Lamps:
    lit: Lamps = {}
    goal = table.chosen_action
    running = [step for step in live if step.line and len(step.moves) == 1]
    run = tuple(node for step in running if step.action == goal for node in step.line)
    run = run or tuple(node for step in running for node in step.line)
    for step in live:
        best = step.action == goal
        if step in running:  # One piece runs along the line, ends there; of several lines one after the other is lit.
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


def _led_step(table: Table, step: Step) -> Lamps:
    """Lead the hands to the step chosen on a phone."""
    if step.line:
        return _line(step)
    lit: Lamps = {}
    for move in step.moves:
        if step.partial and move.source and move.target is None:
            piece = the_piece(table.game, move.source, "", move.pieces).the
            words = say("take {piece} out of {node} first", piece=piece, node=move.source)
            if table.watch.tracker.sensed[move.source] != NOTHING:
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


def _movable(table: Table, steps: Sequence[Step]) -> Lamps:
    """Light the movable pieces. For a lone pair, ask to pick one of the two."""
    tracker = table.watch.tracker
    pairs = {frozenset((*step.partners, *_begins(step))) for step in steps if step.moves}
    begun = dict.fromkeys(node for step in steps for node in _begins(step))
    sources = [node for node in begun if tracker.sensed[node] != NOTHING or node in tracker.masked]
    if len(pairs) == 1 and len(sources) == 2:
        pair = tuple(sources)
        words = say(
            "{one} and {other} push or pull each other: lift the one that is to move", one=pair[0], other=pair[1]
        )
        return {node: Lamp("interact", words, way=pair, order=order) for order, node in enumerate(pair)}
    base = table.watch.target
    return {node: Lamp("movable", _may_be_moved(table.game, node, base.get(node))) for node in sources}


def _may_be_moved(game: Game[Any], node: str, stack: Stack | None) -> str:
    """Return the sentence that the piece or stack on a node may be moved."""
    if stack is None or not capabilities_of(game).tiles:
        return say("the piece on {node} may be moved", node=node)
    return say("{piece} on {node} may be moved", piece=the_piece(game, node, "", stack).subject, node=node)


def _begins(step: Step) -> tuple[str, ...]:
    """Return the nodes where hands begin a step; for a line that moves together, its rear."""
    if step.partial:
        return ()
    return step.line[:1] or tuple(move.source for move in step.moves[:1] if move.source)


def _clearing(table: Table) -> Lamps:
    removal = table.game.removal
    nodes = tuple(surplus(table))
    if removal is None:
        return {}
    lit, lifted = {}, table.watch.lifted_nodes()
    if lifted:
        lit = _targets(table, table.watch.verdict.live)
        lit |= {node: _put_back(table, node) for node in lifted}
    for order, node in enumerate(nodes):
        lit[node] = Lamp(removal.meaning, fill(removal.node, node=node), way=nodes, order=order)
    return lit


def won_lamps(game: Game[Any], ledger: Ledger) -> Lamps:
    """Return the lamps of a finished game: what decided it, else the winners' homes that count, all of them if none."""
    position, status = ledger.now.position, ledger.now.status
    way = tuple(game.decisive(position)) if status.winners else ()  # By the rules an agreed draw is no end.
    occupancy, plays = game.occupancy(position), game.plays(position)
    lit: Lamps = {}
    for seat in status.winners:
        words = say("{name} has won", name=ledger.name(seat))
        own, homes = plays.get(seat), game.homes(ledger.mode, seat)
        held = [home for home in homes if home in occupancy and own in {None, *occupancy[home]}]
        for order, node in enumerate(way or held or homes):
            strength = 1.0 if way else min(1.0, 0.25 + 0.375 * len(occupancy[node] if held else ()))
            lit[node] = Lamp("won", words, seat, way, order, strength)
    return lit


def _problems(table: Table) -> Lamps:
    problem = table.watch.problem
    if problem is None or table.phase == "over":
        return {}
    if problem.kind == "repair":
        return _repair(table, problem.fixes)
    lit: Lamps = {}
    for node in problem.nodes:
        if problem.kind == "held" or table.watch.tracker.sensed[node] == NOTHING:
            lit[node] = _put_back(table, node)
        elif (gone := missing_piece(table, node)) is not None:
            lit[node] = Lamp("return", _is_missing(table, gone, node))
        else:
            lit[node] = Lamp("wrong", why_wrong(table, node))
    return lit


def _put_back(table: Table, node: str) -> Lamp:
    piece = the_piece(table.game, node, "", table.watch.target.get(node)).the
    return Lamp("return", say("put {piece} back on {node}", piece=piece, node=node))


def fix_words(table: Table, fix: Fix) -> list[str]:
    """Return the sentences about one fix."""
    return [lamp.words for lamp in _repair(table, [fix]).values()]


def _repair(table: Table, fixes: Sequence[Fix]) -> Lamps:
    """Light one task at a time: the first. While the board is set up nothing is wrong yet."""
    if not fixes:
        return {}
    fix, game, base = fixes[0], table.game, table.watch.target
    setup, wanted = table.phase == "setup", base.get(fix.target or "", ())
    back = not setup and (not fix.pieces or fix.pieces[0] in wanted)  # It lay there in the position.
    if fix.source is None:
        return _missing(table, fix, back=back)
    lying = the_piece(game, fix.source, table.watch.tracker.sensed[fix.source])
    if fix.target is not None and not fix.is_turn:
        way = say("move {piece} from {node} back to {target}") if back else say("move {piece} from {node} to {target}")
        words = fill(way, piece=lying.the, node=fix.source, target=fix.target)
        if fix.of_unseen_kind:
            words = say("{move}, where {piece} belongs", move=words, piece=forms(game.pieces[fix.pieces[0]]).subject)
        best = Lamp("best", words, way=(fix.source, fix.target))
        return {fix.source: Lamp("remove", words), fix.target: best}
    if fix.is_turn:
        turned = rotation_words([int(fix.pieces[0].rpartition("r")[2])])
        words = say("turn {piece} on {node} until it is {turned}", piece=lying.the, node=fix.source, turned=turned)
    elif setup:
        words = say("take {piece} off {node}", piece=lying.the, node=fix.source)
    elif fix.pieces and fix.pieces[0] in base.get(fix.source, ()):
        piece = forms(game.pieces[fix.pieces[0]]).subject
        words = say("{piece} on {node} is one too many, take it off", piece=piece, node=fix.source)
    else:
        words = say("{piece} does not belong on {node}, take it off", piece=lying.subject, node=fix.source)
    return {fix.source: Lamp("remove", words)}


def _missing(table: Table, fix: Fix, *, back: bool) -> Lamps:
    """Light where a piece is missing: it goes ``back`` there, or comes to lie there by a step."""
    game, target = table.game, fix.target or ""
    piece = forms(game.pieces[fix.pieces[0]]) if fix.pieces else noun(game, [target])
    put = _TOO_AND_TAP if fix.tapped else say("put {piece} on {node}")
    words: str = fill(put, piece=piece.a if fix.pieces else piece.the, node=target)
    if back and not fix.tapped:
        words = _is_missing(table, fix.pieces[0] if fix.pieces else "", target)
    return {target: Lamp("put" if table.phase == "setup" else "return", words)}


def _is_missing(table: Table, piece: str, node: str) -> str:
    """Return that a piece, any if none is named, has to go back to its node."""
    missing = forms(table.game.pieces[piece]) if piece else noun(table.game, [node])
    return say("{piece} is missing on {node}, put it back", piece=missing.subject, node=node)


def surplus(table: Table) -> list[str]:
    """Return the nodes from which pieces have to come off."""
    tracker, target = table.watch.tracker, table.watch.target
    return [node for node in tracker.mismatch(target) if tracker.sensed[node] != NOTHING]


def _sealing(table: Table) -> Lamps:
    """Light what is asked about the last turn; nothing of the choices that are being made."""
    return _choices(table, [one.step for one in table.watch.asked]) if table.watch.asking else {}


_GUIDES: Mapping[str, Callable[[Table], Lamps]] = {
    "sealing": _sealing,
    "revealing": _sealing,
    "placing": _placing,
    "resolving": _resolving,
    "clearing": _clearing,
    "over": lambda table: won_lamps(table.game, table.ledger),
}


# -- the sentence for everybody ----------------------------------------------------------------------------------------


MAX_TARGETS = 8
"""Maximum number of nodes named in one sentence."""


def reminder(table: Table) -> str | None:
    """Return what players have to check themselves while pieces are put down or back: colours that no sensor sees."""
    if table.board_lost is not None or not _unseen_colours(table):
        return None
    return say("The sensors here don't see colours: check them yourselves.")


def _unseen_colours(table: Table) -> bool:
    """Return whether pieces are to be put down whose colours the sensors can't distinguish."""
    model, problem = table.watch.tracker.model, table.watch.problem
    if any(fix.of_unseen_kind for fix in (problem.fixes if problem else ())):
        return True
    if table.phase not in {"placing", "setup"}:
        return False
    if table.phase == "placing":
        put = {(move.target, piece) for _, move in table.watch.missing_pieces() for piece in move.pieces}
    else:
        first = problem.fixes[:1] if problem else ()  # A lesson may find pieces of another one on the board.
        put = {(fix.target, piece) for fix in first if fix.source is None or table.lesson for piece in fix.pieces}
    like = [piece for piece in table.game.pieces if piece not in model.tiles]
    return any(
        not model.tells(node or "", (one,), (other,))
        for node, one in put
        if one in like
        for other in like
        if other != one
    )


def problem_text(table: Table, problem: Problem) -> str:
    """Return the problem on the board as a sentence that starts with what to do first."""
    if problem.kind == "held":
        return _held_long(table, problem.nodes[0])
    meanings = {*_MENDING, "put"} if table.phase == "setup" else _MENDING
    lit = {node: lamp for node, lamp in lamps(table).items() if lamp.meaning in meanings}
    words = _listed_once(table, lit)
    first = words[0] if words else say("check {nodes}", nodes=", ".join(problem.nodes))
    if problem.kind == "repair":
        return _repair_text(table, problem, first)
    missing = [node for node in problem.nodes if lacks_piece(table, node)]
    if len(missing) == len(problem.nodes):
        fixed = say("{piece} can't be moved now", piece=noun(table.game, missing).subject)
        return _rule_text(rule_broken(table, missing[0]) or fixed, join_sentences(words, "; "))
    why, lifted = join_sentences(words, "; "), table.watch.verdict.lifted
    if missing or not table.layout.wells.isdisjoint(problem.nodes):  # For a tile, say how it works.
        return say("{words}.", words=capital(why))
    if len(lifted) == 1:
        return _rule_text(why, say("put it on a lit node, or back on {node}", node=lifted[0]))
    return _rule_text(why, say("take it off again"))


def _listed_once(table: Table, lit: Mapping[str, Lamp]) -> list[str]:
    """Return the sentences about some nodes; nodes with the same trouble share one."""
    back = [node for node, lamp in lit.items() if lamp.meaning == "return"]
    none = [node for node, lamp in lit.items() if lamp.words == nothing_belongs(table.game, [node])]
    words = list(dict.fromkeys(lamp.words for node, lamp in lit.items() if node not in {*back, *none}))
    if none:
        words.insert(0, nothing_belongs(table.game, none))
    if len(back) > 1:
        return [*words, say("put {pieces} back", pieces=the_pieces(table.game, back))]
    return [*words, *(lit[node].words for node in back)]


def _rule_text(why: str, do: str) -> str:
    """Return the broken rule and what to do, in words."""
    return say("{why}. {do}.", why=capital(why), do=capital(do))


def _repair_text(table: Table, problem: Problem, first: str) -> str:
    """Return what to mend first; if that is all and a rule explains the fault, with that rule."""
    setup, more = table.phase == "setup", len(problem.fixes) - 1
    if more > 0:
        start = say("Set the board up: {first} ({more} more to follow).") if setup else _DIFFERS_MORE
        return fill(start, first=first, more=more)
    why = None
    if len(problem.nodes) == 1 and all(fix.source and not fix.is_turn for fix in problem.fixes):  # None is missing.
        why = rule_broken(table, problem.nodes[0])
    if why is not None:
        return _rule_text(why, first)
    return fill(say("Set the board up: {first}.") if setup else _DIFFERS, first=first)


_DIFFERS = say("The board differs from the game: {first}.")
_DIFFERS_MORE = say("The board differs from the game: {first} ({more} more to follow).")


_MENDING = frozenset({"wrong", "return", "remove"})


def _setup_sentence(table: Table) -> str:
    problem = table.watch.problem
    if table.ledger.lot_due is not None:
        return say("{words}.", words=capital(table.ledger.prompt))
    return problem_text(table, problem) if problem else say("The board is being checked.")


def _placing_sentence(table: Table) -> str:
    todo = [
        say("{name} {piece} on {node}", name=table.ledger.name(seat), piece=table.game.pieces[piece], node=move.target)
        for seat, move in table.watch.missing_pieces()
        for piece in move.pieces
    ]
    stacks = table.watch.untapped_stacks()
    if todo:
        put = say("Put these stones where the lights are: {stones}.", stones=join_sentences(todo))
        if off := [node for node in table.watch.unseen_stacks() if node not in stacks]:
            put = fill(_PUT_UNSENSED, put=put, nodes=list_of(off))
        then = say("{put} Then tap {nodes}: no sensor shows how many stones lie there.", put=put, nodes=list_of(stacks))
        return then if stacks else put
    if stacks:
        return say("Tap {nodes}, or say on a phone that all stones lie there.", nodes=list_of(stacks))
    return say("All stones are on the board.")


def _resolving_sentence(table: Table) -> str:
    name = table.ledger.name(table.actor or 0)
    if table.waits_for_tables is not None or table.watch.asking:
        return table.waits_for_tables or question(table)
    verdict = table.watch.verdict
    if verdict.left and not verdict.lifted and not table.is_played_for(table.actor):
        return _going_on(table, name)
    if verdict.lifted and verdict.live:
        return _holding(table, name)
    if table.is_played_for(table.actor):
        return _computing(table, name)
    if verdict.kind == "settling" and verdict.live and not verdict.done.undo:
        return say("{name}: {words}.", name=name, words=verdict.live[0].words)
    return _stage_text(table, name) if table.done_stages else _choosing(table, name)


def _going_on(table: Table, name: str) -> str:
    """Return what remains of an action whose first part lies: a piece to take off, or to put after that."""
    game, tracker, left = table.game, table.watch.tracker, table.watch.verdict.left
    takes = list(dict.fromkeys(move.source for move in left if move.source and move.target is None))
    if len(takes) == 1:
        piece = noun(game, takes).the
        return say("{name}: take {piece} on {node} off the board.", name=name, piece=piece, node=takes[0])
    if takes:
        nodes = one_of(takes) if len(takes) <= MAX_TARGETS else say("any of the lit nodes")
        return say("{name}: take one of the lit pieces off the board: {nodes}.", name=name, nodes=nodes)
    taken = [node for node in tracker.differing if tracker.sensed[node] == NOTHING]
    then = _prompt(game, table.ledger.now.position)
    puts = list(dict.fromkeys(move.target for move in left if move.source is None and move.target))
    if puts and len(puts) <= MAX_TARGETS:
        then = say("put {piece} on {node}", piece=a_piece(game, left[0].pieces[0]), node=one_of(puts))
    return say("{name} has taken {pieces} off the board: {then}.", name=name, pieces=the_pieces(game, taken), then=then)


def _stage_text(table: Table, name: str) -> str:
    """Return what goes on once a stage lies; where another one was chosen, what has to be done first."""
    if fixes := next_fixes(table):
        return say("{name}: {words}.", name=name, words=join_sentences(dict.fromkeys(fix_words(table, fixes[0])), "; "))
    words = staged_words(table)
    return say("{name}: {words}. Go on with what is lit, or take the tile back.", name=name, words=words)


def _choosing(table: Table, name: str) -> str:
    """Name the step that was chosen on a phone, or what can be chosen."""
    hidden: Collection[str] = traceless(table)
    led = chosen_step(table)
    if led is None:
        prompt = say("{name}: {prompt}.", name=name, prompt=_prompt(table.game, table.ledger.now.position))
    else:
        prompt = say("{name}: {step}. The lights show the way.", name=name, step=led.words)
        hidden = [node for node in hidden if node in led.touches]
    masked = table.watch.tracker.masked
    stacks, off = [node for node in hidden if node not in masked], [node for node in hidden if node in masked]
    if stacks:
        nodes = one_of(stacks) if len(stacks) <= MAX_TARGETS else say("the node")
        prompt = fill(_UNSEEN, prompt=prompt, nodes=nodes)
    if off:
        nodes = one_of(off) if len(off) <= MAX_TARGETS else say("some nodes")
        prompt = fill(_NOT_SENSED, prompt=prompt, nodes=nodes)
    return say("{first}. {then}", first=capital(table.tidying), then=prompt) if table.tidying else prompt


@bounded_cache(8)
def _prompt(game: Game[Any], position: Any) -> str:
    """Return a game's sentence about a position: slow, as it may go through all legal actions."""
    return game.prompt(position)


_NOT_SENSED = say("{prompt} No sensor works on {nodes}: say on your phone what was done there.")
_UNSEEN = say("{prompt} If a stone goes onto another one, tap {nodes} twice: no sensor here shows that.")


def _computing(table: Table, name: str) -> str:
    step = chosen_step(table)
    if table.is_late(table.actor):
        if step is None:
            return say("{name}'s time is up. Put the board right first; then the lot decides.", name=name)
        return say("{name}'s time is up. Drawn by lot: {step}.", name=name, step=step.words)
    far = table.far if table.is_far(table.actor) else None
    who = name if far is not None or name.startswith("Computer ") else say("{name} (computer)", name=name)
    if step is not None:
        return say("{name}: {step}. The lights show the way.", name=who, step=step.words)
    if far is not None:
        return say("{name} plays at the table {table}.", name=name, table=far.seats[table.actor or 0])
    return say("{name} is thinking.", name=who)


def question(table: Table) -> str:
    """Return who has to answer the open question, and how."""
    return say("{name}: {words}.", name=table.ledger.name(table.answering_seat or 0), words=_asking(table))


def _asking(table: Table) -> str:
    choices, tracker = [one.step for one in table.watch.asked], table.watch.tracker
    if tracker.evidence.unread(choices):
        if tracker.differing:
            return say("say on the phone how the tile is turned")
        wells = one_of(dict.fromkeys(move.target for step in choices for move in step.moves if move.target))
        return say("say on the phone how the new tile in {wells} is turned, or lay it somewhere else", wells=wells)
    hidden = [one.step for one in table.watch.asked if one.stacks and tracker.is_hidden(one.step)]
    stacks = list(dict.fromkeys(node for one in table.watch.asked for node in one.stacks))
    if not hidden or capabilities_of(table.game).tiles:
        return say("say on the phone what was done")
    ends = any(tracker.evidence.ends(Done((step.action,))) for step in hidden)
    if len(choices) > 1:
        return fill(_TAP_ONE_TWICE if ends else _TAP_ONE, nodes=one_of(stacks))
    return fill(_TAP_TWICE if ends else _TAP, node=stacks[0])


_TAP = say("if the stone lies on {node} now, tap that stack, or say so on the phone")
_TAP_TWICE = say("if the stone lies on {node} now, tap that stack twice, or say so on the phone")
_TAP_ONE = say("tap the stack on which the stone lies now ({nodes}), or say on the phone what was done")
_TAP_ONE_TWICE = say("tap the stack on which the stone lies now ({nodes}) twice, or say on the phone what was done")


def _holding(table: Table, name: str) -> str:
    """Return where a lifted piece may go, in words; a tile that others may cover goes off the board."""
    game, verdict = table.game, table.watch.verdict
    if all(step.action == TAKEN_BACK and len(step.moves) > 1 for step in verdict.live):
        return _back(game, verdict.lifted)
    held = the_pieces(game, verdict.lifted)
    if all(step.partial for step in verdict.live):
        works = [how_it_works(game, verdict.live, well, lying=False) for well in verdict.lifted]
        return say("{name} has taken out {pieces}: {works}.", name=name, pieces=held, works=join_sentences(works, "; "))
    goals = _goals(table, verdict.lifted)
    if not goals and (len(verdict.lifted) == 1 or len(verdict.live[0].moves) > 1):  # Others of its line are to follow.
        return say("{name}: {words}.", name=name, words=verdict.live[0].words)
    if len(verdict.lifted) > 1:
        return fill(_HOLDS_MORE if goals else _HOLDS_TOO_MANY, name=name, pieces=held, targets=_nodes(goals))
    rounds = [node for node in verdict.lifted for step in verdict.live if node in step.tap_twice and node in goals]
    holds = _HOLDS_ROUND if rounds else _HOLDS if any(goals) else _HOLDS_OFF
    return fill(holds, name=name, piece=held, targets=_nodes(goals))


def _goals(table: Table, lifted: Collection[str]) -> list[str | None]:
    """Return where the pieces lifted from some nodes may go by the steps under way, None off the board."""
    tracker = table.watch.tracker
    taken = {node for node in tracker.differing if tracker.sensed[node] != NOTHING}
    # Where one piece alone moves, what was lifted from its goal has to go back there first.
    steps = [(step.moves, lifted if len(lifted) > len(step.moves) else ()) for step in table.watch.verdict.live]
    own = [move for moves, full in steps for move in moves if move.source in lifted and move.target not in full]
    return list(dict.fromkeys(move.target for move in own if (move.target or move.source) not in taken))


def _nodes(goals: Collection[str | None]) -> str:
    nodes = [node for node in goals if node]
    listed = ", ".join(nodes) if len(nodes) <= MAX_TARGETS else say("any of the lit nodes")
    return say("{nodes}, or off the board", nodes=listed) if None in goals else listed


def _held_long(table: Table, node: str) -> str:
    """Return what may be done with a piece that has been in the hand for a while: it may go on, or back."""
    if table.phase == "clearing":
        return _back(table.game, [node])
    goals = [goal for goal in _goals(table, [node]) if goal != node]
    if table.phase != "resolving" or not goals:
        return say("Put {piece} back on {node}.", piece=noun(table.game, [node]).the, node=node)
    name, piece = table.ledger.name(table.actor or 0), the_pieces(table.game, [node])
    holds = _HOLDS_LONG if any(goals) else _HOLDS_OFF_LONG
    return fill(holds, name=name, piece=piece, targets=_nodes(goals), node=node)


_HOLDS = say("{name} holds {piece}: it may go to {targets}.")
_HOLDS_LONG = say("{name} holds {piece}: it may go to {targets}, or back on {node}.")
_HOLDS_OFF = say("{name} holds {piece}: it comes off the board.")
_HOLDS_OFF_LONG = say("{name} holds {piece}: it comes off the board, or goes back on {node}.")
_HOLDS_MORE = say("{name} holds {pieces}: they may go to {targets}.")
_HOLDS_TOO_MANY = say("{name} holds {pieces}: put one of them back first.")
_HOLDS_ROUND = say(
    "{name} holds {piece}: it may go to {targets}, or once round and back to its place: then tap that twice."
)
_TAKING_BACK = say("put {pieces} back, or move back the rest, too: that takes back the last action")


def _back(game: Game[Any], nodes: Sequence[str]) -> str:
    return say("{words}.", words=capital(fill(_TAKING_BACK, pieces=the_pieces(game, nodes))))


def _clearing_sentence(table: Table) -> str:
    if lifted := table.watch.lifted_nodes():
        return _back(table.game, lifted)
    removal, nodes = table.game.removal, surplus(table)
    if removal is None or not nodes:
        return say("Take the lit stones off the board.")
    first = capital(fill(removal.node, node=nodes[0]))
    if len(nodes) == 1:
        return say("{why} {first}.", why=removal.message, first=first)
    return say("{why} {first} ({more} more to follow).", why=removal.message, first=first, more=len(nodes) - 1)


def _over_sentence(table: Table) -> str:
    status = table.ledger.now.status
    won = list_of(table.ledger.name(seat) for seat in status.winners)
    if not won:
        return say("A draw.")
    return say_many(
        "The game is over: {names} has won.", "The game is over: {names} have won.", len(status.winners), names=won
    )


SENTENCES: Mapping[str, Callable[[Table], str]] = {
    "setup": _setup_sentence,
    "placing": _placing_sentence,
    "resolving": _resolving_sentence,
    "clearing": _clearing_sentence,
    "over": _over_sentence,
}
"""The sentence for everybody in the phases in which hands have to do something, or nobody."""
